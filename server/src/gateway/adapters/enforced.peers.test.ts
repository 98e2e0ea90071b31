import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { actionMask } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildPermission } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../testing/ssh/open-ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

const LIST = [
  '# what may run',
  'id -un',
  'printf %s *',
  'printenv LC_TIME',
  'cat',
  'stty size',
  'cat hello -',
  'tail notes/*',
].join('\n');

let world: OpenSshWorld;
let path: string;
beforeAll(async () => {
  world = await startOpenSshWorld();
  path = `assets/system-users/${world.systemUser}/`;
  // The startup files of the account's shell still run. The alias must not replace an allowed
  // command.
  await writeFile(join(world.sshd.home, 'hello'), 'hello\n', { mode: 0o644 });
  await writeFile(
    join(world.sshd.home, '.bashrc'),
    'shopt -s expand_aliases; alias id="touch aliased;"\n',
    { mode: 0o644 },
  );
});
afterAll(() => world.stop());

const allow = (list: string) =>
  world.administrator.patch<Json>(path, { enforced: true, allowed_commands: list });
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
const isThere = (name: string) => existsSync(join(world.sshd.home, name));
const denied = async () =>
  (
    await sql<Json>`select input, output, risk_level, is_denied from command where is_denied order by date desc limit 1`.execute(
      world.test.db,
    )
  ).rows[0];

async function terminal(): Promise<TerminalClient> {
  const base = world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const { headers } = await bearer(world.test, world.member);
  const client = await TerminalClient.connect(
    base,
    { asset: world.asset, system_user: world.systemUser },
    headers,
  );
  await client.message('open');
  await client.waitFor('allowed> ');
  return client;
}

it('rejects an unusable list of commands at its field, and enforced mode for other protocols', async () => {
  for (const list of ['', '# only a comment', 'id\n* -un', 'ls | sort', 'ls "a', 'ls ... x']) {
    const answer = await allow(list);
    expect([list, answer.status, Object.keys(answer.body)]).toEqual([
      list,
      400,
      ['allowed_commands'],
    ]);
  }
  expect(JSON.stringify((await allow('id\n* -un')).body)).toContain('Line 2');
  expect(
    (
      await world.administrator.patch<Json>(path, {
        enforced: true,
        allowed_commands: 'id',
        protocol: 'telnet',
      })
    ).body,
  ).toHaveProperty('enforced');
  expect((await allow(LIST)).status).toBe(200);
});

it('runs allowed commands with literal words, and rejects and logs all others with risk level 5', async () => {
  expect(await run('id -un')).toMatchObject({
    code: 0,
    stdout: Buffer.from(`${world.sshd.username}\n`),
  });
  expect(isThere('aliased')).toBe(false);
  const odd = `a'b"c\\d$(touch x)\`touch x\`;&|*?~`;
  const quoted = `'${odd.replaceAll("'", "'\\''")}'`;
  expect((await run(`printf %s ${quoted}`)).stdout.toString()).toBe(odd);
  expect((await run('printf %s x', { options: ['-tt'] })).stdout.toString()).toContain('x');
  for (const command of [
    'touch x',
    'id -un; touch x',
    'id -un && touch x',
    'id -un\ntouch x',
    'printf %s $(touch x)',
    'printf %s `touch x`',
    'cat > x',
    'bash',
    'tail notes/../.bashrc',
  ]) {
    const { code, stdout, stderr } = await run(command);
    expect([command, code, stdout.toString()]).toEqual([command, 255, '']);
    expect(stderr).toContain('The command was not run');
    await until(async () => (await denied())?.input === command, `${command} is logged`);
    expect(await denied()).toMatchObject({ input: command, is_denied: true, risk_level: 5 });
  }
  expect(isThere('x')).toBe(false);
  // Variables of the client never reach the shell.
  expect(
    await run('printenv LC_TIME', {
      options: ['-o', 'SendEnv=LC_TIME'],
      environment: { LC_TIME: 'de_DE.UTF-8' },
    }),
  ).toMatchObject({ code: 1 });
});

it('rejects shells without a terminal, unlisted SFTP, and port forwarding', async () => {
  const nothingElse = 'This account may run allowed commands only';
  expect(await run(undefined, { options: ['-T'], input: 'touch x\n' })).toMatchObject({
    code: 255,
    stderr: expect.stringContaining(nothingElse),
  });
  const sftp = () =>
    world.ssh.transfer({
      program: 'sftp',
      login: world.login,
      password: world.member.password,
      batch: 'ls\n',
    });
  expect(await sftp()).toMatchObject({ stderr: expect.stringContaining(nothingElse) });
  const forward = {
    users: [world.member.id],
    assets: [world.asset],
    systemUsers: [world.systemUser],
    actions: actionMask(['forward_port']),
  };
  await buildPermission(world.test.db, { organization: world.organization, ...forward });
  expect((await run(undefined, { options: ['-W', `localhost:${world.sshd.port}`] })).code).toBe(
    255,
  );
  expect((await allow(`${LIST}\nsftp`)).status).toBe(200);
  expect(await sftp()).toMatchObject({ code: 0, stderr: '' });
  expect(isThere('x')).toBe(false);
});

it('runs each line of its prompt on its own, feeds programs, logs rejected lines, and ends when the list changes', async () => {
  const client = await terminal();
  client.type('id -un\r');
  await client.waitFor(`id -un\r\n${world.sshd.username}\r\n`);
  await client.waitFor('allowed> ');
  client.send({ type: 'resize', cols: 101, rows: 33 });
  client.type('stty size\r');
  await client.waitFor('33 101');
  await client.waitFor('allowed> ');
  // Pasted lines run one after the other, each with its own verdict.
  client.type('id -un\rprintf %s pasted\rtouch x\r');
  await client.waitFor('pasted\r\npasted\r\n');
  await client.waitFor('This command is not allowed');
  await client.waitFor('allowed> ');
  await until(
    async () => (await denied())?.input === 'touch x',
    'the rejected line of the paste is logged',
  );
  // Edits a line, and recalls an earlier one.
  client.type('stty sizX\x7fe\r');
  await client.waitFor('33 101');
  await client.waitFor('allowed> ');
  client.type('cat hello -\r');
  await client.waitFor('hello\r\n');
  client.type('to the program; touch x\r');
  await client.waitFor('to the program; touch x\r\nto the program; touch x');
  client.type('\x04');
  await client.waitFor('allowed> ');
  client.type('touch x\r');
  await client.waitFor('This command is not allowed');
  await client.waitFor('allowed> ');
  client.type('id -un; touch x\r');
  await client.waitFor('Only plain commands run here');
  await client.waitFor('allowed> ');
  client.type('help\r');
  await client.waitFor('tail notes/*');
  await client.waitFor('allowed> ');
  client.type('cat hello -\r');
  await client.waitFor('hello\r\n');
  client.type('more\r');
  await client.waitFor('more\r\nmore\r\n');
  client.type('\x03');
  await client.waitFor('^C');
  await client.waitFor('allowed> ');
  expect(isThere('x')).toBe(false);
  await until(
    async () => (await world.lastSession()).risk_level === 5,
    'the session has the risk level of its rejected line',
  );
  await until(
    async () => (await denied())?.input === 'id -un; touch x',
    'the second one is logged',
  );
  const ran = async () =>
    (
      await sql<Json>`select input from command where session = ${(await world.lastSession()).id} and not is_denied`.execute(
        world.test.db,
      )
    ).rows.map((row) => row.input);
  await until(async () => (await ran()).includes('stty size'), 'the allowed commands are logged');
  expect(await ran()).not.toContain('id -un; touch x');
  expect((await allow('id -un')).status).toBe(200);
  expect(await client.message('closed')).toMatchObject({
    code: 'account_rules_changed',
    retry: true,
  });
  const again = await terminal();
  again.type('cat\r');
  await again.waitFor('This command is not allowed');
  await again.waitFor('allowed> ');
  again.type('exit\r');
  expect(await again.message('closed')).toMatchObject({ code: 'connect_target_closed' });
  await until(
    async () => (await denied())?.input === 'cat',
    'the command that the new list forbids is logged',
  );
  // The prompt over SSH; end of input closes it.
  const { code, stdout } = await run(undefined, { options: ['-tt'], input: 'id -un\n' });
  expect([code, stdout.toString()]).toEqual([
    0,
    expect.stringContaining(`allowed> id -un\r\n${world.sshd.username}\r\n`),
  ]);
  expect(isThere('x')).toBe(false);
});
