import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../testing/test-database.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { type Db, PoolDb } from './connection.ts';
import { openDatabase } from './database.ts';
import { openSideDatabase } from './side-database.ts';
import { sql } from './sql.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

const backend = async (db: Db) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;

it('runs queries of one piece of work in order on one connection', async () => {
  const [first, , value, second] = await test.db.together((one) =>
    Promise.all([
      backend(one),
      sql`select set_config('sallyport.order', 'set', false)`.execute(one),
      sql`select current_setting('sallyport.order') as value`.execute(one),
      backend(one),
    ]),
  );
  expect(value.rows).toEqual([{ value: 'set' }]);
  expect(second).toBe(first);
});

it('keeps the connection usable when one of its queries fails', async () => {
  const failing = test.db.together((one) =>
    Promise.all([sql`select 1 / 0`.execute(one), backend(one)]),
  );
  await expect(failing).rejects.toThrow('division by zero');
  const pids = await Promise.all(Array.from({ length: 20 }, () => backend(test.db)));
  expect(pids).not.toContain(undefined);
});

it('rejects a query of work that has ended, since the connection may serve other work', async () => {
  const kept = await test.db.together(async (one) => one);
  await expect(backend(kept)).rejects.toThrow('has ended');
});

it('sends no statement of a transaction whose begin fails', async () => {
  const sent: string[] = [];
  const connection = {
    query: async ({ text }: { text: string }) => {
      sent.push(text);
      throw new Error('canceled');
    },
    release: () => undefined,
  };
  const db = new PoolDb({
    connect: async () => connection,
    end: async () => undefined,
  });
  const work = db.transaction((tx) => sql`insert into t default values`.execute(tx));
  await expect(work).rejects.toThrow('canceled');
  expect(sent).toEqual(['begin']);
});

it('runs work after the commit, and drops it when the transaction is rolled back', async () => {
  const ran: string[] = [];
  const note = (name: string) => async () => void ran.push(name);
  const failing = test.db.transaction(async (tx) => {
    await tx.afterCommit(note('rolled back'));
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await test.db.transaction(async (tx) => {
    await tx.afterCommit(note('committed'));
    expect(tx.root).toBe(test.db);
    expect(ran).toEqual([]);
  });
  await test.db.afterCommit(note('without a transaction'));
  expect(ran).toEqual(['committed', 'without a transaction']);
});

it('gives up a query on a side connection after the timeout', async () => {
  const created = await createTestDatabase('empty');
  const database = openDatabase(created.url, 1);
  const side = openSideDatabase(database.pool, 'test');
  try {
    await side.within(5000, backend);
    const silent = side.within(200, (db) => sql`select pg_sleep(2)`.execute(db));
    await expect(silent).rejects.toThrow('Connection terminated');
    expect(await side.within(5000, backend)).toEqual(expect.any(Number));
  } finally {
    await side.close();
    await database.close();
    await created.drop();
  }
});
