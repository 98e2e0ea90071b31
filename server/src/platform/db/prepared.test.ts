import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { type Database, type Db, openDatabase } from './database.ts';
import { executePrepared, FrequentStatements, sql, writePrepared } from './sql.ts';
import { partOf, Work, WorkStopped } from './work.ts';

let created: TestDatabase;
let database: Database;
beforeAll(async () => {
  created = await createTestDatabase('empty');
  // All statements share one connection.
  database = openDatabase(created.url, 1);
  await sql`create table thing (name varchar(10)); insert into thing values ('one'), ('two')`.execute(
    database.db,
  );
});
afterAll(async () => {
  await database.close();
  await created.drop();
});

const thingsNamed = (name: string) =>
  executePrepared(sql<{ name: string }>`select name from thing where name = ${name}`, database.db);
const prepared = async () =>
  (
    await sql<{
      times: number;
    }>`select generic_plans + custom_plans as times from pg_prepared_statements where statement like '%from thing%'`.execute(
      database.db,
    )
  ).rows;

it('prepares a statement once per connection and runs it with new values', async () => {
  expect(await thingsNamed('one')).toEqual([{ name: 'one' }]);
  expect(await thingsNamed('two')).toEqual([{ name: 'two' }]);
  expect(await thingsNamed('three')).toEqual([]);
  expect(await prepared()).toEqual([{ times: 3 }]);
});

it('reads rows of the same transaction', async () => {
  await database.db.transaction(async (tx) => {
    await sql`insert into thing values ('new')`.execute(tx);
    expect(
      await executePrepared(
        sql<{ name: string }>`select name from thing where name = ${'new'}`,
        tx,
      ),
    ).toEqual([{ name: 'new' }]);
  });
});

it('reads a column after a migration on another server changed its type', async () => {
  expect(await thingsNamed('one')).toEqual([{ name: 'one' }]);
  await sql`alter table thing alter column name type varchar(20)`.execute(database.db);
  expect(await thingsNamed('one')).toEqual([{ name: 'one' }]);
  expect(await thingsNamed('two')).toEqual([{ name: 'two' }]);
});

it('reports a database error to the caller and keeps the connection usable', async () => {
  const wrong = () => executePrepared(sql<{ no: string }>`select no from thing`, database.db);
  await expect(wrong()).rejects.toMatchObject({ code: '42703' });
  await expect(wrong()).rejects.toMatchObject({ code: '42703' });
  expect(await thingsNamed('two')).toEqual([{ name: 'two' }]);
});

it('sends no query for stopped work', async () => {
  const work = new Work();
  work.stop('abandoned');
  await expect(partOf(work, () => thingsNamed('one'))).rejects.toBeInstanceOf(WorkStopped);
});

it('finds a statement frequent after twenty uses, and at most sixteen of them', () => {
  const statements = new FrequentStatements();
  const query = (number: number) => sql`select ${sql.lit(number)}`;
  const uses = (number: number) =>
    Array.from({ length: 21 }, () => statements.isFrequent(query(number))).indexOf(true);
  expect(Array.from({ length: 18 }, (_, number) => uses(number))).toEqual([
    ...Array.from({ length: 16 }, () => 19),
    -1,
    -1,
  ]);
});

it('gives the place of a frequent statement without a use for an hour to another one', () => {
  let now = 0;
  const statements = new FrequentStatements(() => now);
  const isFrequent = (number: number) => statements.isFrequent(sql`select ${sql.lit(number)}`);
  for (let turn = 0; turn < 20; turn++)
    for (let number = 0; number < 17; number++) isFrequent(number);
  now = 3_599_999;
  expect(isFrequent(0)).toBe(true);
  expect(isFrequent(16)).toBe(false);
  now = 3_600_000;
  expect(isFrequent(16)).toBe(true);
  expect(isFrequent(0)).toBe(true);
});

it('prepares a write inside a transaction, and returns the number of its rows', async () => {
  const rename = (tx: Db, from: string, to: string) =>
    writePrepared(sql`update thing set name = ${to} where name = ${from}`, tx);
  await database.db.transaction(async (tx) => {
    expect(await rename(tx, 'one', 'three')).toBe(1);
    expect(await rename(tx, 'one', 'three')).toBe(0);
  });
  await sql`alter table thing alter column name type varchar(30)`.execute(database.db);
  expect(await database.db.transaction((tx) => rename(tx, 'three', 'one'))).toBe(1);
  const { rows } = await sql<{ times: number }>`
    select generic_plans + custom_plans as times from pg_prepared_statements
    where statement like 'update thing%'`.execute(database.db);
  expect(rows).toEqual([{ times: 3 }]);
});
