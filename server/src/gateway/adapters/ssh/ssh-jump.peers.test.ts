import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { actionMask } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildAsset, buildPermission, unique } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import { runOperatorCommand } from '../../../testing/operator-command.ts';
import { until } from '../../../testing/poll.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

interface Ran {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

let world: OpenSshWorld;
let config: string;
let knownHosts: string;
beforeAll(async () => {
  world = await startOpenSshWorld();
  await writeFile(join(world.sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
  const printed = await runOperatorCommand(world.test, ['host-keys'], {
    SALLYPORT_SSH_HOST: '127.0.0.1',
    SALLYPORT_SSH_PORT: String(world.port),
  });
  knownHosts = printed.stdout;
  config = await world.ssh.jumpConfig({ login: world.member.username, knownHosts });
});
afterAll(() => world.stop());

/** Runs a program whose configuration names the bastion. */
async function run(
  program: string,
  words: readonly string[],
  input: Buffer | string = '',
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const env = {
    ...world.ssh.environment({ login: '', password: world.member.password }),
    ...environment,
  };
  const child = spawn(program, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(output), stderr: Buffer.concat(errors).toString() };
}

/** Options of the inner client, which reaches sshd with its own key. */
const INNER = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', 'direct'];
const account = () => world.sshd.username;
const ssh = (
  words: readonly string[],
  input?: Buffer | string,
  environment?: Readonly<Record<string, string>>,
) => run('ssh', ['-F', config, ...words], input, environment);
const target = () => `${account()}@${world.hostname}`;
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const ended = async () => {
  let row: Json = {};
  await until(async () => {
    row = await world.lastSession();
    return row.is_finished === true;
  }, 'the session has ended');
  return row;
};

it("runs a command through -J as without the bastion, and stores a session of the outer connection's user", async () => {
  const { code, stdout, stderr } = await ssh(
    [target(), 'echo "$LC_TIME"; echo err >&2; exit 7'],
    '',
    { LC_TIME: 'de_DE.UTF-8' },
  );
  expect([code, stdout.toString(), stderr]).toEqual([7, 'de_DE.UTF-8\n', 'err\n']);
  expect(await ended()).toMatchObject({
    user_id: world.member.id,
    login_from: 'ST',
    system_user_id: world.systemUser,
    is_success: true,
  });
  expect((await ssh([target(), 'kill -TERM $$'])).code).toBe(255);
  const bytes = randomBytes(3 * 1024 * 1024);
  expect(sha((await ssh([target(), 'cat'], bytes)).stdout)).toBe(sha(bytes));
  const { stderr: log } = await ssh(['-o', 'LogLevel=DEBUG1', target(), 'true']);
  expect(log.match(/kex: \S+ cipher: \S+/g)).toEqual(
    ['server->client', 'client->server'].map((way) => `kex: ${way} cipher: aes128-gcm@openssh.com`),
  );
});

it('opens a terminal through -J with size, exit status and recording, and runs a shell without one', async () => {
  const { stdout, code } = await ssh(['-tt', target()], 'stty size; tty\nexit 3\n');
  expect(stdout.toString()).toMatch(/\d+ \d+\r\n\/dev\/pts\/\d+/);
  expect(code).toBe(3);
  const row = await ended();
  expect((await world.administrator.get(`terminal/sessions/${row.id}/replay/`)).status).toBe(200);
  // The first request of VS Code Remote-SSH: a script for a shell without a terminal, with and
  // without a named shell.
  const script = 'uname -s; printf \'%s\\n\' "listeningOn==$$==" | sed s/[0-9]//g; exit 5\n';
  for (const words of [
    ['-T', target()],
    ['-T', target(), 'bash'],
    ['-T', target(), 'sh'],
  ])
    expect(await ssh(words, script)).toMatchObject({
      code: 5,
      stdout: Buffer.from('Linux\nlisteningOn====\n'),
    });
});

it("presents a certificate for the server's names, which clients without the authority or with another name reject", async () => {
  const serverNames = [world.hostname, world.asset, '127.0.0.1', world.hostname.toUpperCase()];
  for (const name of serverNames)
    expect([name, (await ssh([`${account()}@${name}`, 'echo in'])).stdout.toString()]).toEqual([
      name,
      'in\n',
    ]);
  expect((await ssh(['-p', String(world.sshd.port), target(), 'echo in'])).stdout.toString()).toBe(
    'in\n',
  );
  const alias = await ssh(['-o', 'HostKeyAlias=another-server', target(), 'echo in']);
  expect([alias.code, alias.stdout.toString()]).toEqual([255, '']);
  expect(alias.stderr).toContain('Host key verification failed');
  const trusting = knownHosts;
  await world.ssh.jumpConfig({
    login: world.member.username,
    knownHosts: trusting.replace(/^@cert-authority.*$/m, ''),
  });
  expect(await ssh([target(), 'echo in'])).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('Host key verification failed'),
  });
  await world.ssh.jumpConfig({ login: world.member.username, knownHosts: trusting });
});

it('rejects servers without a grant like missing ones, other ports with the reason, and forwarding inside', async () => {
  const { db } = world.test;
  const foreign = unique('foreign');
  await buildAsset(db, { organization: world.organization, hostname: foreign });
  const missing = await ssh([`${account()}@no-such-server`, 'true']);
  expect(missing).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('You have no access to a server named no-such-server.'),
  });
  expect(
    (await ssh([`${account()}@${foreign}`, 'true'])).stderr.replaceAll(foreign, 'no-such-server'),
  ).toBe(missing.stderr);
  expect((await ssh(['-p', '25', target(), 'true'])).stderr).toContain('has no SSH at port 25');
  expect(await ssh([`nobody@${world.hostname}`, 'true'])).toMatchObject({
    code: 255,
    stderr: expect.stringContaining(world.accountName),
  });
  const inside = await ssh(['-W', `127.0.0.1:${world.sshd.port}`, target()]);
  expect(`${inside.stdout}`).not.toContain('SSH-2.0');
  expect(inside.code).toBe(255);
});

it('forwards ports of the server inside with the matching permission, each as a session, and no other hosts', async () => {
  const through = (address: string) =>
    run('ssh', [
      '-F',
      config,
      '-o',
      `ProxyCommand=ssh -F ${config} -W ${address} ${target()}`,
      '-i',
      world.sshd.keyFile,
      '-l',
      world.sshd.username,
      ...INNER,
      'echo',
      'in',
    ]);
  expect(await through(`localhost:${world.sshd.port}`)).toMatchObject({ code: 255 });
  expect(await ended()).toMatchObject({ is_success: false, end_reason: 'transfer_denied' });
  const forward = {
    users: [world.member.id],
    assets: [world.asset],
    systemUsers: [world.systemUser],
    actions: actionMask(['forward_port']),
  };
  await buildPermission(world.test.db, { organization: world.organization, ...forward });
  for (const host of ['localhost', '127.0.0.1', world.hostname, world.asset])
    expect([host, await through(`${host}:${world.sshd.port}`)]).toMatchObject([
      host,
      { code: 0, stdout: Buffer.from('in\n') },
    ]);
  const row = await ended();
  expect(row).toMatchObject({
    user_id: world.member.id,
    is_success: true,
    end_reason: expect.stringMatching(/connect_target_closed|session_finished/),
  });
  const { rows } =
    await sql<Json>`select input, output from command where session = ${row.id}`.execute(
      world.test.db,
    );
  expect(rows).toEqual([
    {
      input: `forward 127.0.0.1:${world.sshd.port}`,
      output: expect.stringMatching(/sent \d+ bytes, received \d+ bytes/),
    },
  ]);
  expect(await through(`another-host:${world.sshd.port}`)).toMatchObject({ code: 255 });
  expect(await ended()).toMatchObject({ is_success: false, end_reason: 'forward_elsewhere' });
  // No program listens on this port.
  expect(await through('localhost:1')).toMatchObject({ code: 255 });
});

it('serves scp, rsync and git through -J, and rejects them without the right to move files', async () => {
  const bytes = randomBytes(200_000);
  const [file, back] = [
    join(world.sshd.home, '..', unique('local')),
    join(world.sshd.home, '..', unique('back')),
  ];
  await writeFile(file, bytes);
  const remote = unique('remote');
  expect(await run('scp', ['-O', '-F', config, file, `${target()}:${remote}`])).toMatchObject({
    code: 0,
  });
  expect(sha(await readFile(join(world.sshd.home, remote)))).toBe(sha(bytes));
  expect(await run('scp', ['-O', '-F', config, `${target()}:${remote}`, back])).toMatchObject({
    code: 0,
  });
  expect(sha(await readFile(back))).toBe(sha(bytes));
  expect(
    await run('rsync', ['-e', `ssh -F ${config}`, file, `${target()}:${remote}-2`]),
  ).toMatchObject({ code: 0 });
  expect(sha(await readFile(join(world.sshd.home, `${remote}-2`)))).toBe(sha(bytes));

  const repository = unique('repository');
  const git = {
    GIT_SSH_COMMAND: `ssh -F ${config}`,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
  };
  const committer = { ...git, GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' };
  expect(await ssh([target(), `git init -q --bare -b main ${repository}`])).toMatchObject({
    code: 0,
  });
  const clone = join(world.sshd.home, '..', unique('clone'));
  expect(
    await run('git', ['clone', '-q', `${target()}:${repository}`, clone], '', git),
  ).toMatchObject({ code: 0 });
  await writeFile(join(clone, 'file'), 'content');
  for (const words of [
    ['checkout', '-q', '-B', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'first'],
    ['push', '-q', 'origin', 'main'],
  ])
    expect([words, await run('git', ['-C', clone, ...words], '', committer)]).toMatchObject([
      words,
      { code: 0 },
    ]);
  expect(
    (await ssh([target(), `git -C ${repository} log --format=%s main`])).stdout.toString(),
  ).toBe('first\n');

  const look = await buildAsset(world.test.db, {
    organization: world.organization,
    hostname: unique('look-only'),
    port: world.sshd.port,
  });
  await buildPermission(world.test.db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [look],
    systemUsers: [world.systemUser],
    actions: 1,
  });
  const refused = await run('scp', ['-O', '-F', config, file, `${account()}@${look}:${remote}`]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('Your permission does not include'),
  ]);
});

it('ends inner sessions at sign-out, and rejects a shell without a terminal when command filters apply', async () => {
  const env = world.ssh.environment({ login: '', password: world.member.password });
  const child = spawn('ssh', ['-F', config, target(), 'echo begun; sleep 1000'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const exit = once(child, 'close');
  await until(() => output.includes('begun'), 'the command runs');
  await sql`with gone as (delete from web_session where user_id = ${world.member.id} and kind = 'ssh' returning id) select pg_notify('signed_out', id::text) from gone`.execute(
    world.test.db,
  );
  expect((await exit)[0]).toBe(255);
  const { body: filter } = await world.administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [world.systemUser],
  });
  await world.administrator.post<Json>(`assets/cmd-filters/${filter.id}/rules/`, {
    type: 'command',
    content: 'touch',
    action: 0,
    priority: 1,
  });
  expect(await ssh(['-T', target()], 'echo in\n')).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('Command filters apply'),
  });
  expect((await ssh([target(), 'touch x'])).code).toBe(255);
  await world.administrator.delete(`assets/cmd-filters/${filter.id}/`);
});
