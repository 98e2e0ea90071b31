import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Verdicts } from '../../../features/audits/verification.ts';
import { sql } from '../../../platform/db/sql.ts';
import {
  buildAsset,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  unique,
} from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { whileRefused } from '../../../testing/sign-in-rule.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

let world: OpenSshWorld;
beforeAll(async () => {
  world = await startOpenSshWorld();
  await writeFile(join(world.sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
});
afterAll(() => world.stop());

const run = (
  command: string | undefined,
  more: Partial<Parameters<OpenSshWorld['ssh']['run']>[0]> = {},
) =>
  world.ssh.run({
    login: world.login,
    password: world.member.password,
    ...(command !== undefined && { command }),
    ...more,
  });
const commandsOf = async (session: unknown) =>
  (
    await sql<Json>`select input, output, risk_level from command where session = ${session} order by sequence`.execute(
      world.test.db,
    )
  ).rows;
const ended = async () => {
  let row: Json = {};
  await until(async () => {
    row = await world.lastSession();
    return row.is_finished === true;
  }, 'the session has ended');
  return row;
};

it('runs a command with exit status and both outputs, and stores session, command and recording', async () => {
  const { code, stdout, stderr } = await run('echo out; echo err >&2; exit 7');
  expect([code, stdout.toString(), stderr]).toEqual([7, 'out\n', 'err\n']);
  const row = await ended();
  expect(row).toMatchObject({
    login_from: 'ST',
    protocol: 'ssh',
    is_success: true,
    replay_state: 'finished',
    end_reason: 'connect_target_closed',
  });
  expect(await commandsOf(row.id)).toEqual([
    {
      input: 'echo out; echo err >&2; exit 7',
      output: expect.stringContaining('[exit status 7]'),
      risk_level: 0,
    },
  ]);
  const replay = await world.administrator.get(`terminal/sessions/${row.id}/replay/`);
  expect(replay.status).toBe(200);
  // The digest now covers recording, row and command.
  const verdict = (await world.administrator.inOrganization('').post<Verdicts>('audits/verify/'))
    .body;
  expect(verdict).toMatchObject({ intact: true, sessions: { wrong: 0 } });
  const { rows } =
    await sql<Json>`select recording_size, recording_sha256 from session_digest where session = ${row.id}`.execute(
      world.test.db,
    );
  expect(rows).toEqual([
    {
      recording_size: expect.any(Number),
      recording_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ]);
});

it('passes bytes unchanged in both directions up to the end of input', async () => {
  const bytes = randomBytes(3 * 1024 * 1024);
  const sent = await run('cat', { input: bytes });
  expect(sent.code).toBe(0);
  expect(createHash('sha256').update(sent.stdout).digest('hex')).toBe(
    createHash('sha256').update(bytes).digest('hex'),
  );
});

it('delivers large output on both streams complete and in order', async () => {
  const { stdout, stderr, code } = await run(
    'for i in $(seq 1 60000); do echo "out $i 0123456789012345678901234567890123456789"; echo "err $i 012345678901234567890123456789" >&2; done',
  );
  expect(code).toBe(0);
  const lines = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[1]));
  const expected = Array.from({ length: 60_000 }, (_, index) => index + 1);
  expect(lines(stdout.toString())).toEqual(expected);
  expect(lines(stderr)).toEqual(expected);
});

it('passes on the end by a signal and the language of the client', async () => {
  expect((await run('kill -TERM $$')).code).toBe(255);
  const environment = { LC_TIME: 'de_DE.UTF-8', SECRET: 'x' };
  const { stdout } = await run('echo "$LC_TIME/$SECRET"', {
    environment,
    options: ['-o', 'SendEnv=LC_* SECRET'],
  });
  expect(stdout.toString()).toBe('de_DE.UTF-8/\n');
});

it("runs a command in a terminal of the client's size, and records its commands", async () => {
  // `script` gives the client its own terminal; without one the size is 24×80.
  const { stdout, code } = await run('stty size; tty; exit 3', { options: ['-tt'] });
  expect(stdout.toString()).toMatch(/24 80\r\n\/dev\/pts\/\d+/);
  expect(code).toBe(3);
  const row = await ended();
  expect(await commandsOf(row.id)).toMatchObject([{ input: 'stty size; tty; exit 3' }]);
  const { stdout: output } = await run(undefined, {
    options: ['-tt'],
    input: 'echo first-"line"\nexit 4\n',
  });
  expect(output.toString()).toContain('first-line');
  const shell = await ended();
  await until(
    async () => (await commandsOf(shell.id)).length === 2,
    'both commands are in the log',
  );
  expect((await commandsOf(shell.id)).map(({ input }) => input)).toEqual([
    'echo first-"line"',
    'exit 4',
  ]);
});

it('reports to the client that an administrator ended the session, and closes it', async () => {
  const call = {
    login: world.login,
    password: world.member.password,
    command: 'echo begun; sleep 1000',
  };
  const child = spawn('ssh', [...world.ssh.words(call)], {
    env: world.ssh.environment(call),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const exit = new Promise<number | null>((done) => void child.once('close', done));
  await until(() => output.includes('begun'), 'the command runs');
  const row = await world.lastSession();
  expect(
    (await world.administrator.post('terminal/tasks/kill-session/', [row.id])).status,
  ).toBeLessThan(300);
  expect(await exit).toBe(255);
  expect(errors).toContain('sallyport: ');
  expect(await ended()).toMatchObject({ id: row.id, end_reason: 'session_terminated' });
});

it('closes the connection when its sign-in is revoked', async () => {
  const call = {
    login: world.login,
    password: world.member.password,
    command: 'echo begun; sleep 1000',
  };
  const child = spawn('ssh', [...world.ssh.words(call)], {
    env: world.ssh.environment(call),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const exit = new Promise<number | null>((done) => void child.once('close', done));
  await until(() => output.includes('begun'), 'the command runs');
  const signIns = async () =>
    (
      await sql<{
        id: string;
      }>`select id from web_session where user_id = ${world.member.id} and kind = 'ssh'`.execute(
        world.test.db,
      )
    ).rows;
  // Sign-ins of earlier clients end shortly after their clients.
  await until(async () => (await signIns()).length === 1, 'no other sign-in is left');
  const [signIn] = await signIns();
  await sql`with gone as (delete from web_session where id = ${signIn?.id} returning id) select pg_notify('signed_out', id::text) from gone`.execute(
    world.test.db,
  );
  expect(await exit).toBe(255);
  expect(await signIns()).toEqual([]);
});

it('prefers no server of another organization that is named like an address', async () => {
  const { db } = world.test;
  const { username, password, id } = world.member;
  const run = () => world.ssh.run({ login: `${username}@@127.0.0.1`, password, command: 'true' });
  expect((await run()).code).toBe(0);
  const organization = await buildOrganization(db);
  await sql`insert into organization_member (organization_id, user_id, role)
    values (${organization}, ${id}, 'User')`.execute(db);
  const alike = await buildAsset(db, { organization, hostname: '127.0.0.1' });
  const systemUsers = [await buildSystemUser(db, { organization, priority: 99 })];
  await buildPermission(db, { organization, users: [id], assets: [alike], systemUsers });
  expect(await run()).toMatchObject({ code: 255, stderr: expect.stringContaining(alike) });
  await sql`delete from asset where id = ${alike}`.execute(db);
  expect((await run()).code).toBe(0);
});

it('rejects a server without a grant like a missing one, and never guesses an ambiguous name', async () => {
  const { db } = world.test;
  const foreign = unique('foreign');
  await buildAsset(db, { organization: world.organization, hostname: foreign });
  const { username, password } = world.member;
  const to = (account: string, asset: string) =>
    world.ssh.run({ login: `${username}@${account}@${asset}`, password, command: 'true' });
  const missing = await to('root', 'no-such-server');
  expect(missing).toMatchObject({
    code: 255,
    stderr: 'sallyport: You have no access to a server named no-such-server.\n',
  });
  expect((await to('root', foreign)).stderr.replace(foreign, 'no-such-server')).toBe(
    missing.stderr,
  );
  expect(await to('nobody', world.hostname)).toMatchObject({
    code: 255,
    stderr: expect.stringContaining(world.accountName),
  });
  // The account's name, its login name, its id, and no name if only one account exists.
  for (const account of [world.accountName, world.sshd.username, world.systemUser, ''])
    expect((await to(account, world.hostname)).code).toBe(0);
  expect((await to('', '127.0.0.1')).code).toBe(0);
  expect((await to('', world.hostname.toUpperCase())).code).toBe(0);

  const duplicate = await buildAsset(db, {
    organization: world.organization,
    hostname: unique('duplicate'),
    port: world.sshd.port,
  });
  const other = await buildSystemUser(db, { organization: world.organization, priority: 99 });
  await buildPermission(db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [duplicate, world.asset],
    systemUsers: [other],
  });
  expect(await to('', '127.0.0.1')).toMatchObject({
    code: 255,
    stderr: expect.stringContaining(duplicate),
  });
  expect(await to(other, duplicate)).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('ssh -t'),
  });
});

it('opens no file transfer while a sign-in rule of the account refuses it', async () => {
  const transfer = () =>
    world.ssh.transfer({
      program: 'sftp',
      login: world.login,
      password: world.member.password,
      batch: 'pwd\n',
    });
  const refused = await whileRefused(world.administrator, world.member.id, transfer);
  expect(refused.code).not.toBe(0);
  expect(refused.stdout.toString()).not.toContain('Remote working directory');
  expect((await transfer()).code).toBe(0);
});

it('requires the right to move files for scp, rsync and sftp', async () => {
  const { db } = world.test;
  const server = await buildAsset(db, {
    organization: world.organization,
    hostname: unique('look-only'),
    port: world.sshd.port,
  });
  await buildPermission(db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [server],
    systemUsers: [world.systemUser],
    actions: 1,
  });
  const to = (asset: string, command: string, options: readonly string[] = []) =>
    world.ssh.run({
      login: `${world.member.username}@${world.systemUser}@${asset}`,
      password: world.member.password,
      command,
      options,
    });
  expect(await to(server, 'echo fine')).toMatchObject({ code: 0 });
  for (const command of [
    'scp -t /tmp',
    'scp -r -f x',
    'rsync --server -e.Lsfx . y',
    'rsync --server --sender -e.Lsfx . y',
    '/usr/lib/openssh/sftp-server',
  ])
    expect([command, await to(server, command)]).toMatchObject([
      command,
      { code: 255, stderr: expect.stringContaining('Your permission does not include') },
    ]);
});

it('rejects a filtered command before it starts, with and without a terminal', async () => {
  const { body: filter } = await world.administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [world.systemUser],
  });
  const rule = await world.administrator.post<Json>(`assets/cmd-filters/${filter.id}/rules/`, {
    type: 'command',
    content: 'touch',
    action: 0,
    priority: 1,
  });
  expect(rule.status).toBe(201);
  const file = join(world.sshd.home, 'made');
  for (const options of [[], ['-tt']]) {
    const { code, stdout, stderr } = await run(`touch ${file}; echo made`, { options });
    expect([code, `${stdout}${stderr}`]).toEqual([255, expect.stringContaining('touch')]);
    const row = await ended();
    expect(await commandsOf(row.id)).toMatchObject([
      { input: `touch ${file}; echo made`, risk_level: 5 },
    ]);
  }
  expect((await run(`ls ${file}`)).code).toBe(2);
  await world.administrator.delete(`assets/cmd-filters/${filter.id}/`);
});

it('rejects new sessions on a retired server with the reason, and opens them once it is active again', async () => {
  const terminals = world.administrator.inOrganization('');
  const [own] = (await terminals.get<Json[]>('terminal/terminals/')).body;
  const setActive = (isActive: boolean) =>
    terminals.patch(`terminal/terminals/${own?.id}/`, { is_active: isActive });
  expect((await setActive(false)).status).toBe(200);
  // A notification of the database tells the server.
  await until(
    async () => (await run('echo new')).stderr.includes('was retired'),
    'a new session is refused with the reason',
  );
  expect((await run('echo new')).stdout.toString()).toBe('');
  await setActive(true);
  await until(
    async () => (await run('echo new')).stdout.toString() === 'new\n',
    'sessions are opened again',
  );
});
