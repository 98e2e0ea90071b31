import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { int32 } from '@sallyport/sql-relays';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../../testing/databases/grant-database.ts';
import { startMysqlServer } from '../../../testing/databases/mysql-server.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../testing/databases/postgres-server.ts';
import { QueryClient } from '../../../testing/databases/query-client.ts';
import { freePort } from '../../../testing/free-port.ts';
import { until } from '../../../testing/poll.ts';

const CANCEL = Buffer.concat([int32(16), int32(80_877_102)]);

/**
 * A proxy that reads cancel requests like PgBouncer 1.18.0: it forwards a request only while the
 * connection of the client is open in both directions.
 */
async function startPooler(port: number) {
  const held: (() => void)[] = [];
  const arrived: (() => void)[] = [];
  const sockets = new Set<Socket>();
  let dropped = 0;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connectTcp(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    let hasEnded = false;
    near.on('end', () => {
      hasEnded = true;
    });
    far.on('close', () => near.destroy());
    near.once('data', (first: Buffer) => {
      if (!first.subarray(0, 8).equals(CANCEL)) {
        far.write(first);
        near.pipe(far).pipe(near);
        return;
      }
      held.push(() => {
        if (hasEnded) dropped++;
        else far.write(first);
      });
      arrived.shift()?.();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Resolves with the next cancel request, which waits to be forwarded. */
    async next(): Promise<() => void> {
      if (held.length === 0) await new Promise<void>((done) => arrived.push(done));
      return held.shift() ?? (() => undefined);
    },
    dropped: () => dropped,
    /** Refuses new connections. */
    refuse: () => void server.close(),
    async stop() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) server.close();
    },
  };
}

let server: PostgresServer;
let world: DatabaseWorld;
let pooler: Awaited<ReturnType<typeof startPooler>>;
let sales: DatabaseGrant;
beforeAll(async () => {
  const [postgresqlPort, started] = await Promise.all([freePort(), startPostgres()]);
  server = started;
  pooler = await startPooler(server.port);
  world = await startDatabaseWorld({ postgresqlPort });
  sales = await world.add({
    type: 'postgresql',
    port: pooler.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  });
});
afterAll(async () => {
  await world?.test.stop();
  await pooler?.stop();
  await server?.stop();
});

const isRunning = async (text: string) =>
  (
    await server.admin(
      `select 1 from pg_stat_activity where query = '${text}' and state = 'active'`,
    )
  ).length === 1;

it('keeps the connection of a cancel request from the workspace open until the server closes it', async () => {
  const browser = await QueryClient.connect(
    world.test.program.url,
    { app: sales.app, system_user: sales.systemUser },
    world.person.headers,
  );
  await browser.message('open');
  const running = browser.begin('select pg_sleep(3601)');
  await until(() => isRunning('select pg_sleep(3601)'), 'the statement runs');
  browser.send({ type: 'cancel' });
  const forward = await pooler.next();
  // The end of our side would arrive before these rows.
  await server.admin('select 1');
  forward();
  expect((await browser.finish(running)).failed?.message).toContain('cancel');
  expect(pooler.dropped()).toBe(0);
  browser.close();
});

it('ends the cancel request of a client program after the server has handled it, and not before', async () => {
  const { port, username: user, password } = await world.password(sales);
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'sales' });
  client.on('error', () => undefined);
  await client.connect();
  const failed = client.query('select pg_sleep(3602)').catch((error: Error) => error.message);
  await until(() => isRunning('select pg_sleep(3602)'), 'the statement runs');
  const processID: unknown = Reflect.get(client, 'processID');
  const secretKey: unknown = Reflect.get(client, 'secretKey');
  const canceling = connectTcp(port, '127.0.0.1');
  const ended = once(canceling, 'end');
  let hasEnded = false;
  canceling.once('end', () => {
    hasEnded = true;
  });
  canceling.resume();
  canceling.write(Buffer.concat([CANCEL, int32(Number(processID)), int32(Number(secretKey))]));
  const forward = await pooler.next();
  await server.admin('select 1');
  expect(hasEnded).toBe(false);
  forward();
  await ended;
  expect(await failed).toContain('canceling statement due to user request');
  expect(pooler.dropped()).toBe(0);
  await client.end();
});

it('keeps the workspace and says why when the database accepts no connection for a cancel request', async () => {
  const browser = await QueryClient.connect(
    world.test.program.url,
    { app: sales.app, system_user: sales.systemUser },
    world.person.headers,
  );
  await browser.message('open');
  const running = browser.begin('select pg_sleep(3603)');
  await until(() => isRunning('select pg_sleep(3603)'), 'the statement runs');
  pooler.refuse();
  browser.send({ type: 'cancel' });
  expect((await browser.message('notice')).message).toContain('could not be canceled');
  await server.admin(
    "select pg_cancel_backend(pid) from pg_stat_activity where query = 'select pg_sleep(3603)'",
  );
  expect((await browser.finish(running)).failed?.message).toContain('cancel');
  expect(await browser.rows('select 1')).toEqual([['1']]);
  browser.close();
});

// MySQL Router 9.7.4 with connection_sharing=1 greets with the number 0, and its server answers a
// KILL with error 1094.
it.each([
  ['greets without a number', { connectionId: 0 }],
  ['does not know the session by its number', {}],
])('says that a statement of MySQL continues when the server %s', async (_, more) => {
  const login = { user: 'clerk', password: 'the secret of the vault' };
  const mysql = await startMysqlServer(
    { ...login, ...more },
    {
      'select sleep(3604)': { neverEnds: true },
      'kill query 1': { error: [1094, 'Unknown thread id: 1'] },
    },
  );
  const { app, systemUser } = await world.add({
    type: 'mysql',
    port: mysql.port,
    database: 'shop',
    username: login.user,
    password: login.password,
  });
  const browser = await QueryClient.connect(
    world.test.program.url,
    { app, system_user: systemUser },
    world.person.headers,
  );
  await browser.message('open');
  browser.begin('select sleep(3604)');
  await until(() => mysql.statements.includes('select sleep(3604)'), 'the statement runs');
  browser.send({ type: 'cancel' });
  expect((await browser.message('notice')).message).toContain('could not be canceled');
  browser.close();
  await mysql.stop();
});
