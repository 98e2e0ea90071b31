import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { sumFinishedDays, TOP, topOf } from './store.ts';
import { countInZone } from './zone.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 4);
  await countInZone('UTC', database.db);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

const ORGANIZATION = '';
const DAYS = 30;

/** Numbers of sessions per user or asset, today and on finished days. */
interface World {
  readonly name: string;
  readonly of: number;
  readonly today: string;
  readonly finished: string;
}

// `n` is the number of the user or asset, from 1 on.
const WORLDS: readonly World[] = [
  { name: 'few of each', of: 8, today: 'n % 3', finished: 'n % 2' },
  { name: 'nobody before today', of: 300, today: '1 + n % 4', finished: '0' },
  { name: 'nobody today', of: 300, today: '0', finished: '1 + n * 7 % 13' },
  { name: 'the same for all', of: 300, today: '1', finished: '1' },
  {
    name: 'fewer than ten before',
    of: 250,
    today: '1 + n % 2',
    finished: 'case when n < 7 then n end',
  },
  {
    name: 'many today who are few before',
    of: 260,
    today: 'case when n % 20 = 0 then 30 else 1 end',
    finished: 'case when n % 20 = 0 then 1 else n % 25 end',
  },
  {
    name: 'one today decides',
    of: 240,
    today: 'case when n % 11 < 5 then 1 else 0 end',
    finished: '10 + n % 3',
  },
  {
    name: 'busy today, at every number before',
    of: 220,
    today: 'n % 9',
    finished: '(n * 31) % 17',
  },
];

/** Writes the sums of a world. Those of finished days are on one day. */
async function write({ of, today, finished }: World): Promise<void> {
  for (const table of ['session_day', 'session_day_user', 'session_day_asset', 'session_window'])
    await sql`delete from ${sql.table(table)}`.execute(database.db);
  for (const kind of ['user', 'asset'])
    for (const [times, daysAgo] of [
      [today, 0],
      [finished, 3],
    ] as const)
      await sql`insert into ${sql.table(`session_day_${kind}`)} (org_id, day,
        ${sql.ref(`${kind}_id`)}, has_id, name, sessions, last_start)
        select ${ORGANIZATION}, session_today() - ${daysAgo}::integer, md5(n::text)::uuid, true,
          'number ' || n, times, now()
        from generate_series(1, ${of}::integer) n
          cross join lateral (select (${sql.raw(times)})::integer as times) given
          where times > 0`.execute(database.db);
}

it.each(WORLDS)('returns the same top ten as a plain count: $name', async (world) => {
  await write(world);
  await sumFinishedDays(ORGANIZATION, DAYS, database.db);
  for (const kind of ['user', 'asset'] as const) {
    const id = sql.ref(`${kind}_id`);
    const { rows } = await sql<{ id: string; total: number }>`
      select ${id} as id, sum(sessions)::integer as total
        from ${sql.table(`session_day_${kind}`)} group by 1 order by 2 desc, 1
        limit ${TOP}`.execute(database.db);
    expect(rows.length).toBeGreaterThan(0);
    const top = await topOf(kind, ORGANIZATION, DAYS, database.db);
    expect(top.map(({ id: one, total }) => ({ id: one, total }))).toEqual(rows);
  }
});
