import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { type ColumnOrder, Landmarks } from './landmarks.ts';
import { allOf } from './scope.ts';

const ROWS = 203;
const NEAR = 20;
const DISTANCE = 10;
const PAGE = 7;

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 2);
  await sql`create table walked (id uuid primary key default gen_random_uuid(),
    name text not null unique, moment timestamptz not null, note text,
    is_mine boolean not null default true)`.execute(database.db);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});
beforeEach(async () => {
  await sql`truncate walked`.execute(database.db);
  await add(0, ROWS);
});

/** Adds rows, four with each moment. */
const add = (from: number, amount: number) =>
  sql`insert into walked (name, moment, note, is_mine)
    select 'row ' || n, '2026-01-01 00:00:00.000001+00'::timestamptz + n / 4 * interval '1 hour',
      case when n % 3 > 0 then 'note ' || n % 11 end, n % 9 > 0
    from generate_series(${from}::integer, ${from + amount - 1}::integer) n`.execute(database.db);

const MINE = sql`t.is_mine`;
const orderBy = (name: string, descends: boolean, isUnique = false): ColumnOrder => ({
  name,
  column: sql.ref(`t.${name}`),
  descends,
  isUnique,
});
const NEWEST = orderBy('moment', true);

const idsAt = async (order: ColumnOrder, matching: Sql, offset: number) => {
  const direction = order.descends ? sql`desc` : sql`asc`;
  const { rows } = await sql<{ id: string }>`select t.id from walked t where ${matching}
    order by ${sql.ref(`t.${order.name}`)} ${direction}, t.id ${direction}
    limit ${PAGE} offset ${offset}`.execute(database.db);
  return rows.map(({ id }) => id);
};

async function walk(landmarks: Landmarks, order: ColumnOrder, matching: Sql, offset: number) {
  const list = { table: 'walked', matching, order };
  const start = await landmarks.before(database.db, list, offset);
  const ids = await idsAt(order, allOf([matching, start?.from]), start?.offset ?? offset);
  return { ids, skipped: start?.offset ?? offset };
}

it.each([
  ['name', false, true],
  ['name', true, true],
  ['moment', false, false],
  ['moment', true, false],
] as const)(
  'finds the same page from a landmark: %s, descending %s',
  async (name, descends, isUnique) => {
    const order = orderBy(name, descends, isUnique);
    for (const offsets of [[...Array(ROWS).keys()], [180, 40, 100, 179, 300]]) {
      const landmarks = new Landmarks({ near: NEAR, distance: DISTANCE });
      for (const offset of offsets) {
        const { ids, skipped } = await walk(landmarks, order, MINE, offset);
        expect(ids).toEqual(await idsAt(order, MINE, offset));
        if (offset < ROWS - 40) expect(skipped).toBeLessThan(NEAR);
      }
    }
  },
);

it('keeps the pages of lists with other conditions apart', async () => {
  const landmarks = new Landmarks({ near: NEAR, distance: DISTANCE });
  for (const limit of [150, 120, 90]) {
    const condition = sql`t.name < ${`row ${limit}`}`;
    const { ids } = await walk(landmarks, NEWEST, condition, 30);
    expect(ids).toEqual(await idsAt(NEWEST, condition, 30));
  }
});

it('remembers a bounded number of lists', async () => {
  const landmarks = new Landmarks({ near: NEAR, distance: DISTANCE, mostLists: 3 });
  for (let turn = 0; turn < 10; turn++) {
    const condition = sql`t.name <> ${`row ${turn}`}`;
    const { ids } = await walk(landmarks, NEWEST, condition, 30);
    expect(ids).toEqual(await idsAt(NEWEST, condition, 30));
    expect(landmarks.size).toBeLessThanOrEqual(3);
  }
});

it.each([3, DISTANCE - 1, DISTANCE, 45])(
  'moves all pages when %d rows are added at the beginning',
  async (amount) => {
    const landmarks = new Landmarks({ near: NEAR, distance: DISTANCE });
    await walk(landmarks, NEWEST, MINE, 150);
    await add(ROWS, amount);
    for (const offset of [NEAR, 29, 30, 31, 99, 100, 101, 160]) {
      const { ids } = await walk(landmarks, NEWEST, MINE, offset);
      expect(ids).toEqual(await idsAt(NEWEST, MINE, offset));
    }
  },
);

it('moves all pages when the first rows are deleted', async () => {
  const landmarks = new Landmarks({ near: NEAR, distance: DISTANCE });
  await walk(landmarks, NEWEST, MINE, 150);
  await sql`delete from walked where id = any (${await idsAt(NEWEST, MINE, 1)}::uuid[])`.execute(
    database.db,
  );
  for (const offset of [NEAR, 30, 100, 160])
    expect((await walk(landmarks, NEWEST, MINE, offset)).ids).toEqual(
      await idsAt(NEWEST, MINE, offset),
    );
});

it.each([false, true])(
  'reads a list by a column with nulls from its beginning, descending %s',
  async (descends) => {
    const landmarks = new Landmarks({ near: NEAR, distance: DISTANCE });
    const order = orderBy('note', descends);
    const { ids, skipped } = await walk(landmarks, order, MINE, 150);
    expect([ids, skipped]).toEqual([await idsAt(order, MINE, 150), 150]);
  },
);
