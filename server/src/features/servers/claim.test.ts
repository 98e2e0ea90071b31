import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { type Ask, claimIdentity } from './claim.ts';
import { pullBackHeartbeats, removeServer, sendHeartbeat } from './store.ts';

const ELSEWHERE = 'postgresql://db.example.com/sallyport';
const HERE = 'postgresql://sallyport@127.0.0.1/sallyport';
let database: TestDatabase;
let opened: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  opened = openDatabase(database.url, 4);
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});
afterEach(() => sql`delete from server`.execute(opened.db));

const answering =
  (status: number, body: string): Ask =>
  async () =>
    Object.assign(Readable.from([body]), { statusCode: status });
const failing =
  (code: string): Ask =>
  async () => {
    throw Object.assign(new Error(code), { code });
  };
const unasked: Ask = async () => {
  throw new Error('nothing should be asked');
};

const claim = (ask: Ask, instance: string, databaseUrl = ELSEWHERE) =>
  claimIdentity({
    db: opened.db,
    channel: { ask },
    id: 'server',
    instance,
    host: '192.0.2.7',
    databaseUrl,
    watchMilliseconds: 1_200,
  });
const beat = (instance: string, host = '192.0.2.7') =>
  sendHeartbeat(opened.db, { id: 'server', instance }, { host, port: 2223 });
const rows = async () =>
  (
    await sql<{ instance: string; host: string }>`
      select instance, host from server where id = 'server'`.execute(opened.db)
  ).rows;
const age = (seconds: number) =>
  sql`update server set date_seen = now() - make_interval(secs => ${seconds})`.execute(opened.db);

it('claims an unknown identity, and that of a server without a heartbeat', async () => {
  await claim(unasked, 'one');
  expect(await beat('one')).toBeGreaterThanOrEqual(0);
  await age(41);
  await claim(unasked, 'two');
  expect(await rows()).toEqual([{ instance: 'two', host: '192.0.2.7' }]);
  expect(await beat('one')).toBeUndefined();
  await removeServer(opened.db, 'one');
  expect(await rows()).toHaveLength(1);
});

it('refuses a second instance of a server that answers, and names its address and the command', async () => {
  await beat('one');
  await expect(claim(answering(200, '"one"'), 'two')).rejects.toThrow(
    /runs at 192\.0\.2\.7:2223\..* server new-identity/,
  );
  expect(await rows()).toEqual([{ instance: 'one', host: '192.0.2.7' }]);
});

it('refuses a second instance of a server of an earlier version, which does not know the question', async () => {
  await sql`insert into server (id, host, port) values ('server', '192.0.2.7', 1)`.execute(
    opened.db,
  );
  await expect(claim(answering(404, '{}'), 'two')).rejects.toThrow('server new-identity');
});

it('takes over at once from a killed process on this machine', async () => {
  await beat('one', '127.0.0.1');
  await claim(failing('ECONNREFUSED'), 'two', HERE);
  expect(await rows()).toEqual([{ instance: 'two', host: '192.0.2.7' }]);
});

it('takes over when another server has the address now', async () => {
  await beat('one');
  await claim(answering(200, '"of another server"'), 'two');
  expect(await rows()).toMatchObject([{ instance: 'two' }]);
});

it.each([
  ['whose address does not answer', 'ETIMEDOUT', '192.0.2.7'],
  ['whose firewall refuses', 'ECONNREFUSED', '192.0.2.7'],
  ['that names its own loopback address', 'ECONNREFUSED', '127.0.0.1'],
])(
  'refuses a second instance of a server %s, but which sends heartbeats',
  async (_name, code, host) => {
    await beat('one', host);
    let isBeating = true;
    const beats = (async () => {
      while (isBeating) {
        await beat('one', host);
        await sleep(100);
      }
    })();
    await expect(claim(failing(code), 'two')).rejects.toThrow(`runs at ${host}:2223`);
    isBeating = false;
    await beats;
  },
);

it('admits one of two clones that start together', async () => {
  const start = async (instance: string) => {
    await claim(unasked, instance);
    // It sends heartbeats while the other one watches.
    for (let sent = 0; sent < 10; sent++) {
      await beat(instance);
      await sleep(100);
    }
    return (await beat(instance)) !== undefined;
  };
  const started = await Promise.all(
    ['one', 'two'].map((instance) => start(instance).catch(() => false)),
  );
  expect(started.toSorted()).toEqual([false, true]);
  expect(await rows()).toHaveLength(1);
});

it('pulls back a heartbeat that a clock wrote while it was ahead, and no other', async () => {
  await beat('one');
  expect(await pullBackHeartbeats(opened.db)).toBe(0);
  await age(-7_200);
  expect(await pullBackHeartbeats(opened.db)).toBe(1);
  await age(41);
  await claim(unasked, 'two');
});
