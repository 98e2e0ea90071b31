import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runningRecordings } from './platform/storage/testing/running-recordings.ts';
import { Client, type Json } from './testing/client.ts';
import { useCommands } from './testing/command.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from './testing/databases/postgres-server.ts';
import { QueryClient } from './testing/databases/query-client.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/poll.ts';
import { prepareFolder } from './testing/prepared-folder.ts';

const { folder, start } = useCommands();
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await server.admin('create table note (id int); grant all on note to public');
});
afterAll(() => server?.stop());

const signIn = async (url: string) => {
  const visitor = new Client(url);
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: 'of the command',
  });
  return visitor.with({ authorization: `Bearer ${body.token}`, 'accept-language': 'en' });
};

it('logs every acknowledged statement, closes the sessions and keeps their recordings readable when a server is killed', async () => {
  const environment = {
    SALLYPORT_POSTGRESQL_PORT: String(await freePort()),
    SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
  };
  prepareFolder(folder());
  const first = start(environment);
  const url = await first.ready();
  const admin = await signIn(url);
  const make = async (path: string, body: Json) =>
    String((await admin.post<Json>(path, body)).body.id);
  const app = await make('applications/database-apps/', {
    name: 'sales',
    type: 'postgresql',
    host: '127.0.0.1',
    port: server.port,
    database: 'sales',
  });
  const systemUser = await make('assets/system-users/', {
    name: 'a',
    username: VAULT_ACCOUNT,
    login_mode: 'auto',
    protocol: 'postgresql',
    password: VAULT_PASSWORD,
  });
  const { body: me } = await admin.get<Json>('users/profile/');
  await make('perms/database-app-permissions/', {
    name: 'rule',
    users: [me.id],
    database_apps: [app],
    system_users: [systemUser],
  });
  const { body: password } = await admin.post<Json>('terminal/databases/passwords/', {
    database_app: app,
    system_user: systemUser,
  });

  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(password.port),
    user: String(password.username),
    password: String(password.password),
  });
  client.on('error', () => undefined);
  await client.connect();
  const browser = await QueryClient.connect(url, { app, system_user: systemUser }, admin.headers);
  await browser.message('open');
  await browser.query('select 1 as from_the_browser');
  // Insert in sequence until the server dies, and count acknowledged rows.
  let acknowledged = 0;
  const inserting = (async () => {
    for (;;) {
      await client.query(`insert into note values (${acknowledged + 1})`);
      acknowledged += 1;
    }
  })().catch(() => undefined);
  const running = browser.begin('select pg_sleep(600)');
  await browser.message('statement', running.from);
  await until(() => acknowledged >= 20, 'statements were acknowledged');
  const areRecorded = async () => {
    const texts = await runningRecordings(join(folder(), 'recordings'));
    return ['insert into note values', 'from_the_browser'].every((text) =>
      texts.some((recording) => recording.includes(text)),
    );
  };
  await until(areRecorded, 'both sessions are recorded');
  process.kill(first.child.pid ?? 0, 'SIGKILL');
  await inserting;

  const again = await signIn(await start(environment).ready());
  const { body: sessions } = await again.get<readonly Json[]>('terminal/sessions/');
  expect(
    sessions.map(({ is_finished: isOver, can_replay: canReplay }) => [isOver, canReplay]),
  ).toEqual([
    [true, true],
    [true, true],
  ]);
  const inputs: string[] = [];
  for (const { id } of sessions) {
    const { body } = await again.get<{ results: readonly { input: string }[] }>(
      `terminal/commands/?limit=10000&session_id=${id}`,
    );
    inputs.push(...body.results.map(({ input }) => input));
    const { status, text } = await again.get(`terminal/sessions/${id}/replay/download/`);
    expect([status, /insert into note values|from_the_browser/.test(text)]).toEqual([200, true]);
  }
  expect(inputs).toContain('select 1 as from_the_browser');
  const logged = new Set(inputs);
  const missing = Array.from(
    { length: acknowledged },
    (_, at) => `insert into note values (${at + 1})`,
  ).filter((statement) => !logged.has(statement));
  expect(missing).toEqual([]);
});
