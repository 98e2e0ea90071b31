import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { buildAsset, buildUser } from './builders.ts';
import { everyRow } from './every-row.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let kept: TestDatabase;
let database: Database;
beforeAll(async () => {
  kept = await createTestDatabase();
  database = openDatabase(kept.url, 4);
  await buildAsset(database.db);
});
afterAll(async () => {
  await database.close();
  await kept.drop();
});

it.each([
  ['a new row', "insert into label (name, value) values ('a', 'b')"],
  ['a changed row', "update label set value = 'c'"],
  ['a removed row', 'delete from label'],
  ['a row that a foreign key removes', 'delete from asset'],
  ['all rows at once', 'truncate platform cascade'],
  ['a table that was not there', 'create table later as select 1 as one'],
])('notices %s in the rows of all tables', async (_what, statement) => {
  const { db } = database;
  const before = await everyRow(db);
  await sql.raw(statement).execute(db);
  const after = await everyRow(db);
  expect(after).not.toBe(before);
  expect(await everyRow(db)).toBe(after);
});

it('ignores uncommitted, rolled back and unchanged rows of other connections, and notices committed ones', async () => {
  const { db } = database;
  const { id } = await buildUser(db);
  const before = await everyRow(db);
  const other = await database.pool.connect();
  const write = (name: string) =>
    other.query('update account set name = $1 where id = $2', [name, id]);
  try {
    for (const end of ['rollback', 'commit']) {
      await other.query('begin');
      await write('somebody else');
      expect(await everyRow(db)).toBe(before);
      await other.query(end);
      expect((await everyRow(db)) === before).toBe(end === 'rollback');
    }
    const changed = await everyRow(db);
    await write('somebody else');
    expect(await everyRow(db)).toBe(changed);
  } finally {
    other.release();
  }
});
