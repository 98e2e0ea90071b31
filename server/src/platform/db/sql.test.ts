import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { DatabaseClosed } from './connection.ts';
import { type Database, openDatabase } from './database.ts';
import { sql } from './sql.ts';

let created: TestDatabase;
let database: Database;
beforeAll(async () => {
  created = await createTestDatabase('empty');
  database = openDatabase(created.url, 2);
  await sql`create table thing (name text unique)`.execute(database.db);
});
afterAll(async () => {
  await database.close();
  await created.drop();
});

const names = async () =>
  (await sql<{ name: string }>`select name from thing order by name`.execute(database.db)).rows.map(
    ({ name }) => name,
  );
const add = (name: string) => sql`insert into thing values (${name})`;

it('numbers the parameters of nested parts, and writes a part that is used twice', () => {
  const part = sql`a = ${1}`;
  const { text, values } =
    sql`select ${part} or ${part} or b in (${sql.join([2, sql`now()`, 'x'])})`.compile();
  expect(text).toBe('select a = $1 or a = $2 or b in ($3, now(), $4)');
  expect(values).toEqual([1, 1, 2, 'x']);
  expect(sql`(${sql.join([])})`.compile()).toEqual({ text: '()', values: [] });
});

it('quotes names and constants', async () => {
  const name = 'a"b; drop table thing';
  const { rows } =
    await sql`select ${sql.lit("it's \\ one")} as ${sql.ref(name)}, ${sql.lit(7)} as n,
    ${sql.ref('thing.name')} as of_thing from (values ('x')) as thing(name)`.execute(database.db);
  expect(rows).toEqual([{ [name]: "it's \\ one", n: 7, of_thing: 'x' }]);
});

it('commits a transaction that succeeds, and undoes one that fails, also at its commit', async () => {
  await database.db.transaction(async (tx) => {
    expect((await add('kept').execute(tx)).rowCount).toBe(1);
  });
  const failure = new Error('an error of the work');
  await expect(
    database.db.transaction(async (tx) => {
      await add('undone').execute(tx);
      throw failure;
    }),
  ).rejects.toBe(failure);
  await sql`alter table thing add constraint later unique (name) deferrable initially deferred`.execute(
    database.db,
  );
  await sql`alter table thing drop constraint thing_name_key`.execute(database.db);
  await expect(database.db.transaction((tx) => add('kept').execute(tx))).rejects.toThrow('later');
  expect(await names()).toEqual(['kept']);
  // Both connections are free again.
  await Promise.all([names(), names(), names()]);
});

it('reads one snapshot, refuses to write in it, and has no transaction in a transaction', async () => {
  const tx = await database.db.begin({ isolation: 'repeatable read', access: 'read only' });
  await sql`select from thing`.execute(tx);
  await add('afterwards').execute(database.db);
  const { rows } = await sql`select from thing where name = 'afterwards'`.execute(tx);
  expect(rows).toEqual([]);
  await expect(tx.begin()).rejects.toThrow('no transaction inside');
  await expect(add('refused').execute(tx)).rejects.toThrow('read-only');
  await tx.rollback();
  await tx.rollback();
  expect(await names()).toContain('afterwards');
});

it('replaces the connection of a transaction whose session was ended', async () => {
  await expect(
    database.db.transaction(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db);
      await add('lost').execute(tx);
    }),
  ).rejects.toThrow();
  expect(await names()).not.toContain('lost');
  await Promise.all([names(), names(), names()]);
});

it('refuses queries after it was closed', async () => {
  const other = openDatabase(created.url, 1);
  await other.close();
  await other.close();
  await expect(sql`select 1`.execute(other.db)).rejects.toThrow(DatabaseClosed);
});
