import { expect, it } from 'vitest';
import { type CuttingProxy, startCuttingProxy, throughPort } from '../../testing/cutting-proxy.ts';
import { createTestDatabase } from '../../testing/test-database.ts';
import { type Database, openDatabase } from './database.ts';
import { isDatabaseAway } from './open-client.ts';

/** Runs a test with a pool of one connection, and two hosts that lead to one database. */
async function withPool(work: (database: Database, proxy: CuttingProxy) => Promise<void>) {
  const test = await createTestDatabase();
  const { path, at } = throughPort(test.url);
  const proxy = await startCuttingProxy({ path });
  const other = await startCuttingProxy({ path });
  const hosts = `:${proxy.port},127.0.0.1:${other.port}`;
  const database = openDatabase(at(proxy.port).replace(`:${proxy.port}`, hosts), 1);
  try {
    expect(await readOne(database)).toEqual([{ one: 1 }]);
    await work(database, proxy);
  } finally {
    await database.close();
    await proxy.stop();
    await other.stop();
    await test.drop();
  }
}

const readOne = async ({ pool }: Database) => (await pool.query('select 1 as one')).rows;
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

it.concurrent('ends the query of a host that is gone, and asks the next host', () =>
  withPool(async (database, proxy) => {
    proxy.freeze();
    proxy.ignore();
    expect(isDatabaseAway(await failure(readOne(database)))).toBe(true);
    expect(await readOne(database)).toEqual([{ one: 1 }]);
  }));

it.concurrent('ends the query of a connection that a firewall has forgotten', () =>
  withPool(async (database, proxy) => {
    proxy.freeze();
    expect(isDatabaseAway(await failure(readOne(database)))).toBe(true);
    expect(await readOne(database)).toEqual([{ one: 1 }]);
  }));

it.concurrent('lets a slow query of a host that answers run', () =>
  withPool(async ({ pool }) => {
    const { rows } = await pool.query("select 'slow' as text from pg_sleep(12)");
    expect(rows).toEqual([{ text: 'slow' }]);
  }));
