import { afterAll, beforeAll, expect, it } from 'vitest';
import { openJobServer } from '../../testing/job-server.ts';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import type { Db } from '../db/database.ts';
import { sql } from '../db/sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The crontab of the minute that was some minutes ago. */
const minutesAgo = (minutes: number) => {
  const date = new Date(Date.now() - minutes * 60_000);
  return `${date.getUTCMinutes()} ${date.getUTCHours()} * * *`;
};

interface Stored {
  readonly key: string;
  readonly cron: string;
  readonly zone?: string;
  readonly missed?: 'once' | 'skip';
}

/** Stores schedules as if they were older than the last pass, which was some minutes ago. */
async function store(db: Db, minutes: number, schedules: readonly Stored[]): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`delete from jobs.schedule`.execute(tx);
    for (const { key, cron, zone = 'UTC', missed = 'skip' } of schedules)
      await sql`
        insert into jobs.schedule
          (name, key, kind, cron, timezone, data, options, created_on, updated_on)
        values ('shared-work', ${key}, 'cron', ${cron}, ${zone},
          ${JSON.stringify({ input: key, caller: {}, subject: '', history: 'all' })}::jsonb,
          ${JSON.stringify({ missed })}::jsonb, now() - interval '9 days',
          now() - interval '9 days')`.execute(tx);
    await sql`update jobs.version set cron_on = now() - make_interval(mins => ${minutes})`.execute(
      tx,
    );
  });
}

it('runs a schedule when others cannot be read, and each run once on two servers', async () => {
  const ran: string[] = [];
  const start = () => openJobServer(database.url, async ({ input }) => void ran.push(input));
  const servers = [await start(), await start()];
  const [{ db }] = servers as [(typeof servers)[0]];
  await store(db, 4, [
    { key: 'a-zone', cron: '* * * * *', zone: 'Mars/Olympus' },
    { key: 'b-fields', cron: '0 0 * *' },
    { key: 'c-never', cron: '0 0 30 2 *' },
    { key: 'd-lord-howe', cron: '* * * * *', zone: 'Australia/Lord_Howe' },
    { key: 'e-good', cron: minutesAgo(2) },
    { key: 'f-later', cron: minutesAgo(-60) },
  ]);
  const passes = async () => {
    const { rows } = await sql<{ last: Date }>`select cron_on as last from jobs.version`.execute(
      db,
    );
    const last = rows[0]?.last ?? new Date();
    await until(async () => {
      const now = await sql<{ last: Date }>`select cron_on as last from jobs.version`.execute(db);
      return (now.rows[0]?.last ?? 0) > last;
    }, 'the schedules are looked at again');
  };
  await until(() => ran.includes('e-good'), 'the good schedule has run');
  await passes();
  await passes();
  expect(ran.filter((key) => key !== 'd-lord-howe')).toEqual(['e-good']);
  expect(ran).toContain('d-lord-howe');
  for (const server of servers) await server.stop();
});

it('makes up once for missed daily times, and not for a crontab that is more than five minutes late', async () => {
  const ran: string[] = [];
  const server = await openJobServer(database.url, async ({ input }) => void ran.push(input));
  await store(server.db, 3 * 1440, [
    { key: 'daily', cron: minutesAgo(720), missed: 'once' },
    { key: 'crontab', cron: minutesAgo(720) },
    { key: 'recent', cron: minutesAgo(3) },
  ]);
  await until(() => ran.includes('daily') && ran.includes('recent'), 'the missed times have run');
  expect(ran.toSorted()).toEqual(['daily', 'recent']);
  await server.stop();
});
