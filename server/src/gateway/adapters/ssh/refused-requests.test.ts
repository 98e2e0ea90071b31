import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Client, Json } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { type SshServerOptions, startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

let world: SshWorld;
let member: Client;
/** Requests that the target refuses. */
let refused: ReadonlySet<string> = new Set();
let refusesSessions = false;
let runs: NonNullable<SshServerOptions['runs']> = () => false;
let accepts = true;
beforeAll(async () => {
  const target = startSshServer({
    refuses: (request) => refused.has(request),
    refusesSessions: () => refusesSessions,
    runs: (request, program) => runs(request, program),
    accepts: () => accepts,
  });
  world = await startWorld({}, target, sshClient);
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
});
afterAll(() => world.stop());
beforeEach(() => {
  refused = new Set();
  refusesSessions = false;
  runs = () => false;
  accepts = true;
});

const run = (command: string) =>
  world.ssh.run({ login: world.login, password: world.member.password, command });
const connect = () =>
  TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    member.headers,
  );
/** Tests the system user; returns the log of the job. */
async function test(): Promise<{ readonly state: unknown; readonly text: string }> {
  const path = `assets/system-users/${world.systemUser}/tasks/`;
  const started = await world.administrator.post<Json>(path, { action: 'test' });
  const job = `common/jobs/${started.body.task ?? started.body.job}/`;
  await until(async () => {
    const { state } = (await world.administrator.get<Json>(job)).body;
    return !['queued', 'running'].includes(String(state));
  }, 'the test is over');
  const { body } = await world.administrator.get<Json>(job);
  return { state: body.state, text: (await world.administrator.get(`${job}log/`)).text };
}

it('says that a server runs no commands, gives no terminal or opens no session for an account that it accepted', async () => {
  refused = new Set(['exec']);
  const command = await run('uptime');
  expect([command.code, command.stderr]).toEqual([
    255,
    expect.stringContaining('and runs no commands for it. A terminal or the file manager may work'),
  ]);
  for (const request of ['pty', 'shell']) {
    refused = new Set([request]);
    expect([request, await (await connect()).message('closed')]).toMatchObject([
      request,
      { code: 'connect_no_terminal' },
    ]);
  }
  refusesSessions = true;
  expect((await run('uptime')).stderr).toContain('opens no session for it');
  expect(await (await connect()).message('closed')).toMatchObject({ code: 'connect_no_channel' });
});

/** The connectivity of the system user's account, and the line of the job about it. */
async function tested() {
  const { text } = await test();
  const path = `assets/asset-users/?asset_id=${world.asset}`;
  const [account] = (await world.administrator.get<Json[]>(path)).body;
  return { text, connectivity: account?.connectivity };
}

it('tests the sign-in, commands and files of an account separately', async () => {
  const cases = [
    // OpenSSH 9.2, and every server with a shell.
    [[], true, true],
    // FakeNOS 1.2.1: a device with a terminal.
    [['exec', 'sftp'], false, false],
    // ProFTPD 1.3.8 mod_sftp, Apache MINA sshd 2.15.0 without factories: files only.
    [['exec', 'shell', 'pty'], false, true],
    // TinySSH 20230101 without a subsystem.
    [['sftp'], true, false],
  ] as const;
  for (const [requests, runsCommands, servesFiles] of cases) {
    refused = new Set(requests);
    const { text, connectivity } = await tested();
    expect([requests, connectivity]).toEqual([
      requests,
      expect.objectContaining({
        status: 1,
        signed_in: true,
        runs_commands: runsCommands,
        serves_files: servesFiles,
      }),
    ]);
    const commands = runsCommands ? 'runs commands' : 'runs no commands';
    const files = servesFiles ? 'serves files' : 'serves no files';
    expect(text).toContain(`account accepted, ${commands}, ${files} (`);
  }
});

// OpenSSH 9.2 with `ForceCommand internal-sftp`, and accounts with the shell nologin, run a
// program that prints a message in place of the command.
it('counts an account as accepted when the server runs its own program in place of the command', async () => {
  runs = (request, { accept }) => {
    const channel = accept();
    channel.write('This service allows sftp connections only.\n');
    channel.exit(1);
    channel.end();
    return request === 'exec';
  };
  expect((await tested()).connectivity).toMatchObject({
    status: 1,
    signed_in: true,
    runs_commands: false,
    serves_files: true,
  });
});

it('keeps refused credentials and refused sessions apart in a test', async () => {
  refusesSessions = true;
  expect((await tested()).connectivity).toMatchObject({
    status: 1,
    signed_in: true,
    runs_commands: false,
    serves_files: false,
  });
  refusesSessions = false;
  accepts = false;
  const { connectivity } = await tested();
  expect(connectivity).toMatchObject({
    status: 0,
    signed_in: false,
    reason: expect.stringContaining('did not accept the credentials'),
  });
  expect(connectivity).not.toHaveProperty('runs_commands');
});
