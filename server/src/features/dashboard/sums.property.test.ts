import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildUser } from '../../testing/builders.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import {
  countAssets,
  countLoginUsers,
  countUsedAssets,
  lastDays,
  sumFinishedDays,
  topOf,
} from './store.ts';
import { countInZone, countOlderSessions, forgetDays } from './zone.ts';

let place: TestDatabase;
let database: Database;
const users: string[] = [];
const assets: string[] = [];
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 8);
  for (let index = 0; index < 3; index++) users.push((await buildUser(database.db)).id);
  for (let index = 0; index < 4; index++) assets.push(await buildAsset(database.db));
  // A copy of every session ever written.
  await sql`create table written as select * from session where false`.execute(database.db);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

const ORGANIZATIONS = ['', '8f8c1f2e-0000-4000-8000-000000000001'] as const;

const began = fc.record({
  organization: fc.constantFrom(...ORGANIZATIONS),
  // Index -1: a session without an id.
  user: fc.integer({ min: -1, max: 2 }),
  asset: fc.integer({ min: -1, max: 3 }),
  minutesAgo: fc.integer({ min: 0, max: 35 * 24 * 60 }),
  isCalled: fc.constantFrom('before', 'after'),
});
type Began = typeof began extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('one' as const),
      sessions: fc.array(began, { minLength: 1, maxLength: 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      sessions: fc.array(began, { minLength: 1, maxLength: 8 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('at once' as const),
      sessions: fc.array(began, { minLength: 2, maxLength: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'finish' as const,
        'remove' as const,
        'forget' as const,
        'gather' as const,
      ),
      sessions: fc.constant([] as Began[]),
    }),
  },
);

const rowOf = ({ organization, user, asset, minutesAgo, isCalled }: Began) => sql`(
  ${organization}, ${users[user] ?? ''}, ${`user ${user} ${isCalled}`}, ${assets[asset] ?? ''},
    ${`asset ${asset}`}, 'root',
  date_trunc('milliseconds', now()) - make_interval(mins => ${minutesAgo}))`;

async function write(sessions: readonly Began[]): Promise<void> {
  await database.db.transaction(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      insert into session (org_id, user_id, "user", asset_id, asset, "system_user", date_start)
        values ${sql.join(sessions.map(rowOf))} returning id`.execute(tx);
    await sql`insert into written select * from session
      where id = any (${rows.map(({ id }) => id)}::uuid[])`.execute(tx);
  });
}

/** Compares every stored number with a count of the copy. */
async function differences(): Promise<unknown> {
  const { rows } = await sql`
    with s as (
      select org_id, (date_start at time zone (select zone from session_zone))::date as day,
        coalesce(uuid_or_null(user_id), md5("user")::uuid)::text as user_key,
        coalesce(uuid_or_null(asset_id), md5(asset)::uuid)::text as asset_key, date_start, user_id,
          asset_id from written
    ), counted as (
      select 'day' as kind, org_id, day, '' as key, count(*) || ' ' || count(distinct user_key) ||
        ' ' || count(distinct asset_key) as value from s group by 2, 3
      union all select 'user', org_id, day, user_key,
        count(*) || ' ' || max(extract(epoch from date_start)) from s group by 2, 3, 4
      union all select 'asset', org_id, day, asset_key,
        count(*) || ' ' || max(extract(epoch from date_start)) from s group by 2, 3, 4
      union all select 'last user', org_id, null, user_id, max(day)::text from s where user_id <> ''
        group by 2, 4
      union all select 'last asset', org_id, null, asset_id, max(day)::text from s
        where asset_id <> '' group by 2, 4
      union all select 'all assets', org_id, null, '', count(*)::text from asset group by 2
      union all select 'used assets', org_id, day, '', count(*)::text
        from (select org_id, asset_id, max(day) as day from s where asset_id <> ''
        group by 1, 2) last group by 2, 3
    ), kept as (
      select 'day' as kind, org_id, day, '' as key, sessions || ' ' || users || ' ' || assets
        as value from session_day
      union all select 'user', org_id, day, user_id::text,
        sessions || ' ' || extract(epoch from last_start) from session_day_user
      union all select 'asset', org_id, day, asset_id::text,
        sessions || ' ' || extract(epoch from last_start) from session_day_asset
      union all select 'last user', org_id, null, user_id::text, day::text from session_last_user
      union all select 'last asset', org_id, null, asset_id::text, day::text from session_last_asset
      union all select case when day is null then 'all assets' else 'used assets' end, org_id, day,
        '', sum(assets)::text from asset_tally group by 1, 2, 3 having sum(assets) <> 0
    )
    (select 'missing' as problem, * from (table counted except table kept) a)
      union all (select 'wrong', * from (table kept except table counted) b)`.execute(database.db);
  return rows;
}

it('counts all sessions ever written, in any order, concurrently and in any zone', {
  timeout: limitOf(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('UTC', 'Asia/Shanghai', 'America/New_York', 'Pacific/Kiritimati'),
      fc.array(step, { maxLength: 12 }),
      async (zone, steps) => {
        await sql`truncate written`.execute(database.db);
        await sql`truncate session cascade`.execute(database.db);
        await sql`update session_zone set zone = null`.execute(database.db);
        // Some sessions are older than the sums. The first server counts them at its start.
        const first = steps.slice(0, 2).flatMap(({ sessions }) => sessions);
        if (first.length > 0) await write(first);
        await countInZone(zone, database.db);
        // Sessions of all days are written while older ones are counted.
        const during = steps.slice(2, 4).flatMap(({ sessions }) => sessions);
        await Promise.all([
          countOlderSessions(database.db, new AbortController().signal),
          ...during.map((one) => write([one])),
        ]);
        expect(await differences()).toEqual([]);
        // Later sessions must update the sums, including those of past days.
        for (const organization of ORGANIZATIONS)
          await sumFinishedDays(organization, 30, database.db);
        for (const { kind, sessions } of steps.slice(4)) {
          if (kind === 'at once') await Promise.all(sessions.map((one) => write([one])));
          else if (kind === 'finish')
            await sql`update session set is_finished = true, date_end = now()`.execute(database.db);
          else if (kind === 'remove')
            await sql`delete from session where date_start < now() - interval '10 days'`.execute(
              database.db,
            );
          else if (kind === 'forget') await forgetDays(database.db);
          else if (kind === 'gather')
            await Promise.all(
              ORGANIZATIONS.map((org) =>
                sql`select asset_tally_gather(${org})`.execute(database.db),
              ),
            );
          else await write(sessions);
        }
        expect(await differences()).toEqual([]);
        // The functions must return the same as a plain count.
        for (const organization of ORGANIZATIONS) {
          const days = await lastDays(organization, 30, database.db);
          const { rows } = await sql<{
            total: number;
            people: number;
            users: number[];
            assets: number[];
          }>`
          with s as (select coalesce(nullif(user_id, ''), "user") as who,
            coalesce(nullif(asset_id, ''), asset) as what from written
            where org_id = ${organization} and date_start >= ${days[0]?.from})
          select (select count(*)::integer from s) as total, (select count(distinct who)::integer
            from s) as people,
            array(select count(*)::integer from s group by who order by 1 desc) as users,
              array(select count(*)::integer from s group by what order by 1 desc)
              as assets`.execute(database.db);
          expect(days.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(rows[0]?.total);
          await sumFinishedDays(organization, 30, database.db);
          const totals = async (kind: 'user' | 'asset') =>
            (await topOf(kind, organization, 30, database.db)).map(({ total }) => total);
          expect([await totals('user'), await totals('asset')]).toEqual([
            rows[0]?.users,
            rows[0]?.assets,
          ]);
          expect(await countLoginUsers(organization, 30, database.db)).toBe(rows[0]?.people);
        }
      },
    ),
    runs(40),
  );
});

it('deletes exactly the days that are no longer shown', async () => {
  // Many sessions of the test before are counted in steps.
  if (!(await countInZone('UTC', database.db)))
    await countOlderSessions(database.db, AbortSignal.timeout(60_000));
  const kept = async () =>
    (
      await sql<{
        days: number;
      }>`select count(*)::integer as days from session_day where org_id = 'old'`.execute(
        database.db,
      )
    ).rows[0]?.days;
  for (const days of [0, 61, 63, 200])
    await sql`insert into session (org_id, "user", asset, "system_user", date_start)
      values ('old', 'u', 'a', 's', now() - make_interval(days => ${days}))`.execute(database.db);
  expect(await kept()).toBe(4);
  expect(await forgetDays(database.db)).toBe(6);
  expect(await kept()).toBe(2);
});

it('counts assets correctly under concurrent additions, deletions and merges, and after all were deleted', async () => {
  const organization = '8f8c1f2e-0000-4000-8000-000000000002';
  const work = Array.from({ length: 24 }, async (_, index) => {
    const id = await buildAsset(database.db, { organization });
    await sql`insert into session (org_id, "user", asset, asset_id, "system_user")
      values (${organization}, 'u', 'a', ${id}, 's')`.execute(database.db);
    if (index % 3 === 0) await sql`delete from asset where id = ${id}`.execute(database.db);
    if (index % 4 === 0) await sql`select asset_tally_gather(${organization})`.execute(database.db);
  });
  await Promise.all(work);
  expect([
    await countAssets(organization, database.db),
    await countUsedAssets(organization, 7, database.db),
  ]).toEqual([16, 16]);
  await sql`select asset_tally_gather(${organization})`.execute(database.db);
  expect(
    (await sql`select 1 from asset_tally where org_id = ${organization}`.execute(database.db)).rows,
  ).toHaveLength(2);
  await sql`truncate asset cascade`.execute(database.db);
  expect([
    await countAssets(organization, database.db),
    await countUsedAssets(organization, 7, database.db),
  ]).toEqual([0, 0]);
});
