import { ssh2 } from '@sallyport/ssh';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildUser, unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { type CuttingProxy, startCuttingProxy, throughPort } from '../../testing/cutting-proxy.ts';
import { freePort } from '../../testing/free-port.ts';
import { until } from '../../testing/poll.ts';
import { ADMIN, bearer } from '../../testing/sign-in.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { type CanaryTarget, startCanaryTarget } from '../canary/target.ts';

let database: TestDatabase;
let proxy: CuttingProxy;
let test: TestProgram;
let target: CanaryTarget;
let direct: pg.Client;
let administrator: Client;
let asset: string;
let systemUser: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const { path, at } = throughPort(database.url);
  proxy = await startCuttingProxy({ path });
  [test, target] = await Promise.all([
    startTestProgram({ databaseUrl: at(proxy.port), sshPort: await freePort() }),
    startCanaryTarget(),
  ]);
  direct = new pg.Client({ connectionString: database.url });
  await direct.connect();
  administrator = await bearer(test);
  asset = await buildAsset(test.db, { port: target.port });
  const account = {
    name: unique('account'),
    username: target.username,
    login_mode: 'auto',
    protocol: 'ssh',
    password: target.password,
  };
  systemUser = String((await administrator.post<Json>('assets/system-users/', account)).body.id);
});
afterAll(async () => {
  proxy?.restore();
  await test?.stop();
  await target?.stop();
  await direct?.end();
  await proxy?.stop();
  await database?.drop();
});

interface Row {
  readonly is_finished: boolean;
  readonly end_reason: string | null;
  readonly date_end: Date | null;
  readonly command_amount: number;
}

const rowOf = async (id: string) =>
  (
    await direct.query<Row>(
      'select is_finished, end_reason, date_end, command_amount from session where id = $1',
      [id],
    )
  ).rows[0];
const commandsOf = async (id: string) =>
  (
    await direct.query<{ input: string }>(
      'select input from command where session = $1 order by sequence',
      [id],
    )
  ).rows.map(({ input }) => input);
const finished = (id: string) =>
  until(async () => (await rowOf(id))?.is_finished === true, `the end of ${id} in its row`);

async function openTerminal() {
  const user = await buildUser(test.db);
  await administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [user.id],
    assets: [asset],
    system_users: [systemUser],
  });
  const { headers } = await bearer(test, user);
  const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const terminal = await TerminalClient.connect(base, { asset, system_user: systemUser }, headers);
  const { session } = await terminal.message('open');
  await terminal.waitFor('canary$ ');
  const type = async (line: string) => {
    terminal.type(`echo ${line}\r`);
    await terminal.waitFor(`\n${line}\r\n`);
  };
  return { terminal, session, type };
}

const notices = ({ messages }: TerminalClient) =>
  messages.flatMap((message) => (message.type === 'notice' ? [message.over] : []));

it('keeps a terminal open while the database is away, shows a notice, and writes the commands in order afterwards', async () => {
  const { terminal, session, type } = await openTerminal();
  await type('before');
  proxy.cut();
  await type('during');
  const notice = await terminal.message('notice');
  expect(notice.message).toContain('cannot reach its database');
  for (let line = 1; line <= 10; line++) await type(`line ${line}`);
  proxy.restore();
  await terminal.until('the notice that the database is back', () =>
    notices(terminal).includes(true) ? true : undefined,
  );
  await type('after');
  terminal.type('exit\r');
  expect((await terminal.message('closed')).code).not.toBe('connect_expired');
  await finished(session);
  const lines = [
    'before',
    'during',
    ...Array.from({ length: 10 }, (_, index) => `line ${index + 1}`),
    'after',
  ].map((line) => `echo ${line}`);
  expect(await commandsOf(session)).toEqual([...lines, 'exit']);
  expect((await rowOf(session))?.command_amount).toBe(lines.length + 1);
});

it('writes the true time and reason of an end during the outage, and the digest after the last command', async () => {
  const { terminal, session, type } = await openTerminal();
  proxy.cut();
  await type('last words');
  terminal.type('exit\r');
  const { code } = await terminal.message('closed');
  const endedAt = Date.now();
  await until(() => Date.now() > endedAt + 3000, 'some time without the database');
  expect((await rowOf(session))?.is_finished).toBe(false);
  proxy.restore();
  await finished(session);
  const row = await rowOf(session);
  expect(row?.end_reason).toBe(code);
  expect(Math.abs((row?.date_end?.getTime() ?? 0) - endedAt)).toBeLessThan(2500);
  expect(await commandsOf(session)).toEqual(['echo last words', 'exit']);
  expect(
    (await administrator.post<{ sessions: Json }>('audits/verify/', {})).body.sessions,
  ).toMatchObject({ wrong: 0 });
});

it('ends a session immediately with its own reason when the setting is 0', async () => {
  await changeSettings([administrator], 'security', { SECURITY_SESSION_OUTAGE_TIME: 0 });
  const { terminal, session } = await openTerminal();
  proxy.cut();
  expect(await terminal.message('closed')).toMatchObject({
    code: 'session_database_away',
    message: 'The bastion cannot reach its database; the session was ended for safety.',
  });
  proxy.restore();
  await finished(session);
  expect((await rowOf(session))?.end_reason).toBe('session_database_away');
  await changeSettings([administrator], 'security', { SECURITY_SESSION_OUTAGE_TIME: 2 });
});

it('closes a row without a live session when an administrator terminates it', async () => {
  const { terminal, session } = await openTerminal();
  terminal.type('exit\r');
  await finished(session);
  await direct.query(
    'update session set is_finished = false, date_end = null, end_reason = null where id = $1',
    [session],
  );
  expect((await administrator.post<Json>('terminal/tasks/kill-session/', [session])).body).toEqual({
    ok: [session],
  });
  await finished(session);
  expect((await rowOf(session))?.end_reason).toBe('interrupted');
});

it('offers only the prompt with the explanation to SSH clients while no sign-in is possible', async () => {
  proxy.cut();
  const client = new ssh2.Client();
  const offered: unknown[] = [];
  client.on('error', () => undefined);
  const closed = new Promise<void>((done) => client.once('close', () => done()));
  client.connect({
    ...{
      host: '127.0.0.1',
      port: test.program.sshPort,
      username: ADMIN.username,
      password: ADMIN.password,
    },
    authHandler: (methods, _isPartial, next) => {
      const attempt = offered.push(methods);
      if (attempt === 1) next({ type: 'none', username: ADMIN.username });
      else if (attempt === 2) next({ type: 'password', ...ADMIN });
      else client.end();
    },
  });
  await closed;
  expect(offered.at(-1)).toEqual(['keyboard-interactive']);
  proxy.restore();
});
