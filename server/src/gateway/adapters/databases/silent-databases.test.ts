import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import { type MysqlServer, startMysqlServer } from '../../../testing/databases/mysql-server.ts';
import type { QueryClient } from '../../../testing/databases/query-client.ts';
import { type HostileServer, startHostileServer } from '../../../testing/hostile/hostile-server.ts';
import { POSTGRESQL_ATTACKS } from '../../../testing/hostile/postgresql.ts';
import { until } from '../../../testing/poll.ts';

const ACCOUNT = { user: 'reader', password: 'reader hunter2' };

let world: DatabaseWorld;
let mysql: MysqlServer;
let postgres: HostileServer;
/** Results of the workspaces, which wait for their timeouts at the same time. */
let ends: Readonly<Record<string, Promise<readonly unknown[]>>>;
beforeAll(async () => {
  const nothing = POSTGRESQL_ATTACKS.find(({ name }) => name === 'answers nothing');
  if (!nothing) throw new Error('no such attack');
  [world, mysql, postgres] = await Promise.all([
    startDatabaseWorld(),
    startMysqlServer(ACCOUNT, {
      'set session transaction read only': { neverEnds: true },
      'select @@autocommit': { neverEnds: true },
      'select sleep(3605)': { neverEnds: true },
    }),
    startHostileServer(nothing.serve),
  ]);
  const [reader, other, previewed, ...stopped] = await Promise.all([
    grant('mysql', mysql.port, { is_read_only: true }),
    grant('postgresql', postgres.port, { is_read_only: true }),
    grant('mysql', mysql.port),
    grant('mysql', mysql.port),
    grant('postgresql', postgres.port),
  ]);
  await world.administrator.patch(`assets/system-users/${previewed.systemUser}/`, {
    preview_changes: true,
  });
  ends = {
    mysql: endOf(reader),
    postgresql: endOf(other),
    preview: endOf(previewed, (client) => preview(client)),
    'stop at mysql': endOf(stopped[0], (client) => stopTwice(client)),
    'stop at postgresql': endOf(stopped[1], (client) => stopTwice(client)),
  };
});
afterAll(async () => {
  await Promise.allSettled(Object.values(ends));
  await world?.stop();
  await Promise.all([mysql?.stop(), postgres?.stop()]);
});

const grant = (type: 'mysql' | 'postgresql', port: number, permission = {}) =>
  world.grant({
    type,
    port,
    database: 'sales',
    username: ACCOUNT.user,
    password: ACCOUNT.password,
    permission,
  });

async function preview(client: QueryClient): Promise<void> {
  await client.message('open');
  client.begin('update t set a = 1 where b = 2');
}

/** Stops a statement, and stops it again after the notice that it still runs. */
async function stopTwice(client: QueryClient): Promise<void> {
  await client.message('open');
  client.begin('select sleep(3605)');
  await client.message('statement');
  client.send({ type: 'cancel' });
  await until(
    () => client.received.includes('has not stopped the statement yet'),
    'the notice that the statement still runs',
    100_000,
  );
  client.send({ type: 'cancel' });
}

/** Opens a workspace, does some work, and returns how the session ends. */
async function endOf(
  granted: GrantedDatabase,
  work: (client: QueryClient) => Promise<void> = async () => undefined,
): Promise<readonly unknown[]> {
  const client = await granted.connect();
  await work(client);
  const closed = () => client.messages.find(({ type }) => type === 'closed');
  await until(() => closed() !== undefined, 'the workspace is closed', 100_000);
  const isFinished = async () => (await granted.lastSession()).is_finished === true;
  await until(isFinished, 'the session has ended', 100_000);
  const { end_reason: reason } = await granted.lastSession();
  return [
    reason,
    Reflect.get(closed() ?? {}, 'message') === `${granted.name} did not answer in time.`,
  ];
}

it.each(['mysql', 'postgresql'])(
  'ends a read-only workspace in words when a %s server signs in and then stays silent',
  async (type) => {
    expect(await ends[type]).toEqual(['connect_timeout', true]);
  },
);

it('ends a workspace whose server stays silent at a preview and after its cancellation', async () => {
  expect(await ends.preview).toEqual(['connect_timeout', true]);
  expect(mysql.statements).toContain('select @@autocommit');
  expect(mysql.statements.some((text) => text.startsWith('kill query'))).toBe(true);
});

it.each(['mysql', 'postgresql'])(
  'says that a silent %s server has not stopped a statement, and ends the session at the second request',
  async (type) => {
    expect(await ends[`stop at ${type}`]).toEqual(['connect_timeout', true]);
  },
);
