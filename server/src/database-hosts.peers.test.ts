import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from './platform/db/database.ts';
import { openClient } from './platform/db/open-client.ts';
import { answers, openSideDatabase } from './platform/db/side-database.ts';
import { examine } from './start/doctor/doctor.ts';
import { unique } from './testing/builders.ts';
import type { Client, Json } from './testing/client.ts';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from './testing/databases/replicated-postgres.ts';
import { freePort } from './testing/free-port.ts';
import { notePeers, requirePeers } from './testing/peers.ts';
import { until } from './testing/poll.ts';
import { bearer } from './testing/sign-in.ts';
import { type CanaryWorld, startCanaryWorld } from './testing/terminals/canary-world.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

requirePeers('postgresql');

let database: ReplicatedPostgres;
/** Names the primary first, and `other` the standby. */
let world: CanaryWorld;
let other: TestProgram;
let atWorld: Client;
let atOther: Client;
beforeAll(async () => {
  database = await startReplicatedPostgres();
  notePeers(database.version);
  const [primary, standby] = database.ports;
  const secretKey = randomBytes(32).toString('hex');
  world = await startCanaryWorld(urlOf(`localhost:${primary}`, `[::1]:${standby}`), { secretKey });
  other = await startTestProgram({
    secretKey,
    databaseUrl: urlOf(`[::1]:${standby}`, `127.0.0.1:${primary}`),
  });
  [atWorld, atOther] = [world.admin, await bearer(other)];
});
afterAll(async () => {
  await other?.stop();
  await world?.stop();
  await database?.stop();
});

const urlOf = (...hosts: string[]) => `postgresql://${database.account}${hosts.join(',')}/app`;

const create = async (admin: Client) =>
  (await admin.post('assets/labels/', { name: unique('label'), value: 'x' })).status;

/** Returns the port of the server of a connection, or the message of its error. */
const portOf = async (url: string): Promise<unknown> => {
  try {
    const client = await openClient(url);
    const { rows } = await client.query('select inet_server_port() as port');
    await client.end();
    return rows[0].port;
  } catch (error) {
    return (error as Error).message;
  }
};

it('connects to the host that accepts writes, in any order and by TLS with its own name', async () => {
  const [primary, standby] = database.ports;
  const closed = await freePort();
  const tls = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(database.authorities)}`;
  for (const url of [
    urlOf(`localhost:${primary}`, `127.0.0.1:${standby}`),
    urlOf(`127.0.0.1:${standby}`, `[::1]:${primary}`),
    urlOf(`127.0.0.1:${closed}`, `127.0.0.1:${standby}`, `127.0.0.1:${primary}`),
    `${urlOf(`127.0.0.1:${standby}`, `localhost:${primary}`)}${tls}`,
    `${urlOf('elsewhere')}?host=127.0.0.1,::1&port=${standby},${primary}`,
  ])
    expect(await portOf(url)).toBe(primary);
  expect(await portOf(`${urlOf(`127.0.0.1:${standby}`)}${tls}`)).toBe(standby);
  const readOnly = 'accepts no writes: it is a standby, or default_transaction_read_only is on';
  expect(await portOf(`${urlOf(`127.0.0.1:${standby}`)}?target_session_attrs=read-write`)).toBe(
    `127.0.0.1:${standby}: ${readOnly}`,
  );
  // The certificate of the primary is for localhost and ::1.
  const wrongName = await portOf(
    `${urlOf(`127.0.0.1:${primary}`, `127.0.0.1:${standby}`, `127.0.0.1:${closed}`)}${tls}`,
  );
  expect(wrongName).toContain(`127.0.0.1:${primary}: Hostname/IP does not match`);
  expect(wrongName).toContain(`127.0.0.1:${standby}: ${readOnly}`);
  expect(wrongName).toContain(`127.0.0.1:${closed}: connect ECONNREFUSED`);
});

it('tries no other host after a host has rejected the account', async () => {
  const [primary, standby] = database.ports;
  const url = `postgresql://app:wrong@127.0.0.1:${primary},127.0.0.1:${standby}/app`;
  expect(await portOf(url)).toBe('password authentication failed for user "app"');
});

it('names the hosts that do not answer', async () => {
  const [primary] = database.ports;
  const closed = await freePort();
  const { findings } = await examine(
    {
      SALLYPORT_HTTP_PORT: new URL(world.test.program.url).port,
      SALLYPORT_DATABASE_URL: urlOf(`127.0.0.1:${closed}`, `127.0.0.1:${primary}`),
      SALLYPORT_DATA_DIR: world.test.dataDirectory,
    },
    [],
  );
  expect(findings.filter(({ check }) => check === 'database')).toMatchObject([
    { level: 'ok' },
    {
      level: 'warning',
      message: expect.stringContaining(`The host 127.0.0.1:${closed} of SALLYPORT_DATABASE_URL`),
    },
    { level: 'ok', message: `The host 127.0.0.1:${primary} of SALLYPORT_DATABASE_URL answers` },
  ]);
});

it('continues at the new primary after a crash, and requests wait for it', async () => {
  const terminal = await world.open();
  await terminal.type('before');
  expect([await create(atWorld), await create(atOther)]).toEqual([201, 201]);
  const [primary, standby] = database.ports;
  const url = urlOf(`127.0.0.1:${primary}`, `127.0.0.1:${standby}`);
  const { pool, close } = openDatabase(url, 2);
  const side = openSideDatabase(pool, 'test');
  expect(await answers(side)).toBe(true);
  await database.stopPrimary('SIGKILL');
  // The processes of a connection outlive the crash for some milliseconds.
  const pools = [world.test, other].map(({ program }) => program.database.pool);
  await until(() => pools.every(({ idleCount }) => idleCount === 0), 'all connections are lost');
  const waiting = [create(atWorld), create(atOther), create(atWorld), create(atOther)];
  const query = pool.query('select inet_server_port() as port');
  await terminal.type('during');
  database.promote();
  expect(await Promise.all(waiting)).toEqual([201, 201, 201, 201]);
  expect((await query).rows).toEqual([{ port: standby }]);
  await until(() => answers(side), 'the side connection reaches the new primary');
  await side.close();
  await close();
  await terminal.type('after');
  await terminal.exit();
  const commands = () =>
    database.query<{ input: string }>(
      'select input from command where session = $1 order by sequence',
      [terminal.session],
    );
  await until(async () => (await commands()).length === 4, 'all commands are stored');
  expect((await commands()).map(({ input }) => input)).toEqual([
    'echo before',
    'echo during',
    'echo after',
    'exit',
  ]);
  // The second server hears of it over LISTEN: both follow the new primary.
  const path = 'settings/setting/?category=terminal';
  const changed = await atWorld.patch('settings/setting/', { TERMINAL_CANARY_MINUTES: 77 });
  expect(changed.status).toBe(200);
  await until(
    async () =>
      (await atOther.get<{ terminal: Json }>(path)).body.terminal.TERMINAL_CANARY_MINUTES === 77,
    'the other server has the new setting',
  );
});
