import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startClient } from '../../../testing/databases/client-programs.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../../testing/databases/grant-database.ts';
import { type Pooler, startPgBouncer, startPgpool } from '../../../testing/databases/poolers.ts';
import {
  debianBinaries,
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../testing/databases/postgres-server.ts';
import { QueryClient } from '../../../testing/databases/query-client.ts';
import { freePort } from '../../../testing/free-port.ts';
import { requirePeers } from '../../../testing/peers.ts';
import { until } from '../../../testing/poll.ts';

requirePeers('python3-asyncpg', 'python3-psycopg');

let server: PostgresServer;
let world: DatabaseWorld;
beforeAll(async () => {
  const [postgresqlPort, started] = await Promise.all([
    freePort(),
    startPostgres(debianBinaries()),
  ]);
  server = started;
  world = await startDatabaseWorld({ postgresqlPort });
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

/** Cancels of one way in. PgBouncer 1.18.0 lost 5 of 5 from a client that closed too early. */
const TIMES = 4;

/** Programs that run a statement, cancel it after a line of input, and run another one. */
const CANCELING = {
  asyncpg: `
async def main():
    connection = await asyncpg.connect(**at, database="sales")
    running = asyncio.create_task(connection.execute(statement))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    running.cancel()
    try:
        await running
    except asyncio.CancelledError:
        print(await connection.fetchval("select 1"))
    await connection.close()
import asyncio, asyncpg
asyncio.run(main())`,
  psycopg: `
import psycopg, threading
connection = psycopg.connect(**at, dbname="sales")
canceling = threading.Thread(target=lambda: (sys.stdin.readline(), connection.cancel()))
canceling.start()
try:
    connection.execute(statement)
except psycopg.errors.QueryCanceled:
    connection.rollback()
    print(connection.execute("select 1").fetchone()[0])
canceling.join()
connection.close()`,
} as const;
/** Ends a client that waits for ever, with its stack. */
const CLIENT_LIMIT_S = 100;
const START = `import faulthandler, os, sys
faulthandler.dump_traceback_later(${CLIENT_LIMIT_S}, exit=True)
statement = os.environ["TEST_STATEMENT"]
at = dict(host="127.0.0.1", port=int(os.environ["TEST_PORT"]), user=os.environ["TEST_USER"],
    password=os.environ["TEST_PASSWORD"])`;

describe.each([
  ['PgBouncer 1.18.0', (of: PostgresServer) => startPgBouncer(of)],
  ['pgpool-II 4.3.5', startPgpool],
] as const)('a database behind %s', (_, startPooler) => {
  let pooler: Pooler;
  let sales: DatabaseGrant;
  beforeAll(async () => {
    pooler = await startPooler(server);
    sales = await world.add({
      type: 'postgresql',
      port: pooler.port,
      database: 'sales',
      username: VAULT_ACCOUNT,
      password: VAULT_PASSWORD,
    });
  });
  afterAll(() => pooler?.stop());

  const running = async (text: string) =>
    (
      await server.admin(
        `select 1 from pg_stat_activity where query = '${text}' and state = 'active'`,
      )
    ).length === 1;

  it('cancels each running statement of psql and of the workspace, and the pooler survives', async () => {
    const { port, username, password } = await world.password(sales);
    const statements = Array.from({ length: TIMES }, (_, at) => `select pg_sleep(${4000 + at})`);
    for (const text of statements) {
      const psql = startClient(
        'psql',
        ['-X', '-d', `host=127.0.0.1 port=${port} user=${username}`, '-c', text],
        { PGPASSWORD: password, PGCONNECT_TIMEOUT: '90' },
      );
      await until(() => running(text), `psql runs ${text}`);
      psql.child.kill('SIGINT');
      expect((await psql.result).err).toContain('canceling statement due to user request');
    }
    const browser = await QueryClient.connect(
      world.test.program.url,
      { app: sales.app, system_user: sales.systemUser },
      world.person.headers,
    );
    await browser.message('open');
    for (const text of statements) {
      const run = browser.begin(text);
      await until(() => running(text), `the workspace runs ${text}`);
      browser.send({ type: 'cancel' });
      expect((await browser.finish(run)).failed?.message).toContain('cancel');
    }
    expect((await browser.query('select missing')).failed?.message).toContain('missing');
    expect(await browser.rows('select 1')).toEqual([['1']]);
    browser.close();
    expect(pooler.isRunning()).toBe(true);
    expect(pooler.log()).not.toContain('bad client state');
  });

  it.each(Object.entries(CANCELING))(
    'cancels the running statement of %s, whose connection continues',
    async (driver, program) => {
      const { port, username, password } = await world.password(sales);
      const text = `select pg_sleep(5000), '${driver}'`;
      const client = startClient('/usr/bin/python3', ['-c', `${START}${program}`], {
        TEST_PORT: String(port),
        TEST_USER: username,
        TEST_PASSWORD: password,
        TEST_STATEMENT: text,
      });
      await until(() => running(text.replaceAll("'", "''")), `${driver} runs its statement`);
      client.child.stdin?.end('\n');
      const { code, out, err } = await client.result;
      expect([code, out, err]).toEqual([0, '1\n', '']);
      expect(await running(text.replaceAll("'", "''"))).toBe(false);
      expect(pooler.isRunning()).toBe(true);
    },
  );
});

describe('read-only access through PgBouncer 1.18.0, whose transactions share one session', () => {
  const SENTENCE = 'connection pooler';
  let pooler: Pooler;
  beforeAll(async () => {
    pooler = await startPgBouncer(server, ['pool_mode = transaction', 'default_pool_size = 1']);
    await server.admin('create table shared (id int); grant all on shared to public');
  });
  afterAll(() => pooler?.stop());

  const grant = (isReadOnly: boolean) =>
    world.add(
      {
        type: 'postgresql',
        port: pooler.port,
        database: 'sales',
        username: VAULT_ACCOUNT,
        password: VAULT_PASSWORD,
      },
      { is_read_only: isReadOnly },
    );
  const clientAt = async (port: number, user: string, password: string) => {
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'sales' });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const connect = async (database: DatabaseGrant) => {
    const { port, username, password } = await world.password(database);
    return clientAt(port, username, password);
  };
  const workspace = ({ app, systemUser }: DatabaseGrant) =>
    QueryClient.connect(
      world.test.program.url,
      { app, system_user: systemUser },
      world.person.headers,
    );
  /** Another program of the same pool. */
  const otherWrites = async () => {
    const other = await clientAt(pooler.port, VAULT_ACCOUNT, VAULT_PASSWORD);
    expect((await other.query('insert into shared values (1)')).rowCount).toBe(1);
    await other.end();
  };

  it('refuses to begin with a sentence, in a client program and the workspace, and leaks nothing', async () => {
    const database = await grant(true);
    await expect(connect(database)).rejects.toMatchObject({
      message: expect.stringContaining(SENTENCE),
    });
    await otherWrites();
    await expect((await workspace(database)).message('open')).rejects.toThrow('database_pooled');
    await otherWrites();
  });

  it('refuses the statements of a running session whose permission becomes read-only', async () => {
    const database = await grant(false);
    const client = await connect(database);
    const browser = await workspace(database);
    await browser.message('open');
    await client.query('insert into shared values (2)');
    const change = (isReadOnly: boolean) =>
      world.administrator.patch(`perms/database-app-permissions/${database.permission}/`, {
        is_read_only: isReadOnly,
      });
    await change(true);
    const refused = (text: string) =>
      client.query(text).then(
        () => '',
        (error: unknown) => String(error),
      );
    await until(
      async () => (await refused('select 1')).includes(SENTENCE),
      'the client is refused',
    );
    await until(
      async () => (await browser.query('select 1')).failed?.message.includes(SENTENCE) === true,
      'the workspace is refused',
    );
    expect(await refused('select 1 from shared')).toContain(SENTENCE);
    await otherWrites();
    await change(false);
    await until(async () => (await refused('insert into shared values (3)')) === '', 'it writes');
    await Promise.all([client.end(), browser.close()]);
    await otherWrites();
  });
});
