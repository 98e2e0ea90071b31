import { type DashboardIndex, formatDatetime, parseDatetime } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, type Db, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { startTestProgram } from '../../testing/test-program.ts';
import { alertRecovery } from '../alerts/index.ts';
import { countInZone } from './zone.ts';

/** Stores a session of each start. */
const begin = (db: Db, ...starts: readonly Date[]) =>
  sql`insert into session (org_id, user_id, "user", asset_id, asset, "system_user", is_finished,
      date_start)
    select '', '', 'somebody', '', 'somewhere', 'root', true, start
    from unnest(${[...starts]}::timestamptz[]) start`.execute(db);

it('shows the days of the zone of the settings, also after a change, and UTC without one', async () => {
  const processZone = process.env.TZ;
  // Midway is always a day behind Kiritimati, so one of them has another day than the process.
  process.env.TZ = 'Asia/Kathmandu';
  const test = await startTestProgram();
  try {
    const admin = await bearer(test);
    const hours = [0, 24, 26, 48];
    await begin(test.db, ...hours.map((ago) => new Date(Date.now() - ago * 3_600_000)));
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Midway', '', 'asia/kolkata']) {
      expect((await admin.patch('settings/setting/', { SERVER_TIME_ZONE: zone })).status).toBe(200);
      const dayOf = (date: Date) => formatDatetime(date, zone || 'UTC').slice(0, 10);
      await until(async () => {
        const before = dayOf(new Date());
        const { body } = await admin.get<DashboardIndex>('index/?dates_metrics=1');
        const range = body.dates_metrics_range ?? [];
        const sum = (body.dates_metrics_total_count_login ?? []).reduce((a, b) => a + b, 0);
        return (
          sum === 4 &&
          [before, dayOf(new Date())].includes(range.at(-1)?.date ?? '') &&
          range.every(({ date, from, to }) =>
            [from, to].every((end) => date === dayOf(parseDatetime(end) ?? new Date(0))),
          )
        );
      }, `the days are those of ${zone}, the last one is today, and all sessions are counted`);
    }
  } finally {
    await test.stop();
    if (processZone === undefined) delete process.env.TZ;
    else process.env.TZ = processZone;
  }
});

describe('in an own database', () => {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await createTestDatabase();
    database = openDatabase(place.url, 4);
  });
  afterAll(async () => {
    await database.close();
    await place.drop();
  });

  const daysOf = async () => {
    const { rows } = await sql<{ day: string; sessions: number }>`
      select day::text, sessions from session_day order by day`.execute(database.db);
    return rows.map(({ day, sessions }) => [day, sessions]);
  };

  it('counts days of 23 and 25 hours when clocks change', async () => {
    await countInZone('Europe/Berlin', database.db);
    const starts = ['2026-03-28T22:59:59Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z'];
    starts.push('2026-03-29T22:00:00Z', '2026-10-24T21:59:59Z', '2026-10-24T22:00:00Z');
    starts.push('2026-10-25T22:59:59Z', '2026-10-25T23:00:00Z');
    await begin(database.db, ...starts.map((start) => new Date(start)));
    expect(await daysOf()).toEqual([
      ['2026-03-28', 1],
      ['2026-03-29', 2],
      ['2026-03-30', 1],
      ['2026-10-24', 1],
      ['2026-10-25', 2],
      ['2026-10-26', 1],
    ]);
  });

  it('counts once when several servers learn of another zone at the same time', async () => {
    await sql`delete from session`.execute(database.db);
    await begin(database.db, new Date());
    await Promise.all([1, 2, 3].map(() => countInZone('Pacific/Kiritimati', database.db)));
    const days = await daysOf();
    expect(days.map(([, sessions]) => sessions)).toEqual([1]);
  });

  it('goes by UTC in a zone that the database does not know', async () => {
    await countInZone('Mars/Olympus', database.db);
    const { rows } = await sql<{ zone: string; is_today: boolean }>`
      select zone, session_today() = (now() at time zone 'UTC')::date as is_today
      from session_zone`.execute(database.db);
    expect(rows).toEqual([{ zone: 'UTC', is_today: true }]);
  });

  it.each(['Pacific/Kiritimati', 'Pacific/Midway'])(
    'raises an alert of an operator command on the day in %s',
    async (zone) => {
      await countInZone(zone, database.db);
      const { rows } = await sql<{ id: string }>`
        insert into account (username, name, email) values (${zone}, ${zone}, ${`${zone}@a.test`})
        returning id`.execute(database.db);
      await database.db.transaction((tx) => alertRecovery(rows[0]?.id ?? '', 'recover', tx));
      const raised = await sql<{ is_today: boolean }>`
        select day = (datetime at time zone ${zone})::date as is_today from alert
        where user_id = ${rows[0]?.id}`.execute(database.db);
      expect(raised.rows).toEqual([{ is_today: true }]);
    },
  );
});
