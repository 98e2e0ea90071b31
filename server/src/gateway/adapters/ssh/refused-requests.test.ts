import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Client, Json } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

let world: SshWorld;
let member: Client;
/** Requests that the target refuses. */
let refused: ReadonlySet<string> = new Set();
let refusesSessions = false;
beforeAll(async () => {
  const target = startSshServer({
    refuses: (request) => refused.has(request),
    refusesSessions: () => refusesSessions,
  });
  world = await startWorld({}, target, sshClient);
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
});
afterAll(() => world.stop());
beforeEach(() => {
  refused = new Set();
  refusesSessions = false;
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

it('counts an account as accepted in a test when the server then refuses commands, and says so', async () => {
  refused = new Set(['exec']);
  const { text } = await test();
  expect(text).toContain('account accepted, but the server runs no commands for it');
  const accounts = await world.administrator.get<Json[]>(
    `assets/asset-users/?asset_id=${world.asset}`,
  );
  expect(accounts.body[0]?.connectivity).toMatchObject({ status: 1 });
  refused = new Set();
  expect((await test()).text).not.toContain('runs no commands');
});
