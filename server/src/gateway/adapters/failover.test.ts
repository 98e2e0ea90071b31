import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { createEarlierDatabase, type EarlierDatabase } from '../../testing/earlier-database.ts';
import { freePort } from '../../testing/free-port.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { type CanaryTarget, startCanaryTarget } from '../canary/target.ts';

let database: EarlierDatabase;
let test: TestProgram;
let target: CanaryTarget;
let administrator: Client;
let grant: { readonly asset: string; readonly system_user: string };
let userHeaders: Client['headers'];

beforeAll(async () => {
  database = await createEarlierDatabase();
  [test, target] = await Promise.all([
    startTestProgram({ databaseUrl: database.url, sshPort: await freePort() }),
    startCanaryTarget(),
  ]);
  administrator = await bearer(test);
  const asset = await buildAsset(test.db, { port: target.port });
  const account = {
    name: unique('account'),
    username: target.username,
    login_mode: 'auto',
    protocol: 'ssh',
    password: target.password,
  };
  const { body } = await administrator.post<Json>('assets/system-users/', account);
  grant = { asset, system_user: String(body.id) };
  const user = await buildUser(test.db);
  await administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [user.id],
    assets: [asset],
    system_users: [grant.system_user],
  });
  userHeaders = (await bearer(test, user)).headers;
});
afterAll(async () => {
  await test?.stop();
  await target?.stop();
  await database?.drop();
});

async function openTerminal() {
  const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const terminal = await TerminalClient.connect(base, grant, userHeaders);
  const { session } = await terminal.message('open');
  await terminal.waitFor('canary$ ');
  const type = async (line: string) => {
    terminal.type(`echo ${line}\r`);
    await terminal.waitFor(`\n${line}\r\n`);
  };
  const exit = async () => {
    terminal.type('exit\r');
    await terminal.message('closed');
  };
  return { session, type, exit };
}

interface Row {
  readonly is_finished: boolean;
  readonly end_reason: string | null;
  readonly replay_state: string;
  readonly command_amount: number;
  readonly commands: readonly string[];
  readonly digests: number;
}
const rowOf = async (id: string): Promise<Row | undefined> =>
  (
    await database.query<Row>(
      `select is_finished, end_reason, replay_state, command_amount, array(select input from command
        where session = s.id order by sequence) as commands,
        (select count(*)::int from session_digest d where d.session = s.id) as digests
      from session s where id = $1`,
      [id],
    )
  )[0];
const hasCommands = (id: string, count: number) =>
  until(
    async () => (await rowOf(id))?.command_amount === count,
    `${count} commands of the session ${id} in the database`,
  );

it('sends again what a database lacks that went back: commands, whole sessions, ends and digests', async () => {
  const running = await openTerminal();
  await running.type('before');
  const ending = await openTerminal();
  await ending.type('stays');
  await hasCommands(running.session, 1);
  await hasCommands(ending.session, 1);
  await database.remember();
  await running.type('lost 1');
  await running.type('lost 2');
  await ending.exit();
  const brief = await openTerminal();
  await brief.type('only here');
  await brief.exit();
  const begun = await openTerminal();
  await hasCommands(running.session, 3);
  for (const { session } of [ending, brief])
    await until(async () => (await rowOf(session))?.digests === 1, `the end of ${session}`);
  const ends = [await rowOf(ending.session), await rowOf(brief.session)];
  await database.goBack();
  expect(await rowOf(brief.session)).toBeUndefined();
  await running.type('after');
  await begun.type('begun');
  await running.exit();
  await begun.exit();
  for (const { session } of [running, ending, brief, begun])
    await until(async () => (await rowOf(session))?.digests === 1, `the end of ${session}`);
  expect((await rowOf(running.session))?.commands).toEqual(
    ['before', 'lost 1', 'lost 2', 'after'].map((line) => `echo ${line}`).concat('exit'),
  );
  expect((await rowOf(begun.session))?.commands).toEqual(['echo begun', 'exit']);
  expect([await rowOf(ending.session), await rowOf(brief.session)]).toEqual(ends);
  const { body } = await administrator.post<{ sessions: Json }>('audits/verify/', {});
  expect(body.sessions).toMatchObject({ wrong: 0 });
  expect(test.log()).toContain('the database lacks entries that it had stored');
});
