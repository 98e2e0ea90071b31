import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openBus } from '../bus/bus.ts';
import { createVault, directKey } from '../crypto/vault.ts';
import { type Db, openDatabase } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { createLog } from '../log.ts';
import { defineJob, type JobDefinition, type RowSchedule } from './definition.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { SCHEMA } from './queue.ts';

let place: TestDatabase;
const stops: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  place = await createTestDatabase();
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
afterAll(() => place.drop());

async function server(
  definition: JobDefinition,
): Promise<{ readonly jobs: Jobs; readonly db: Db; stop(): Promise<void> }> {
  const { db, pool, close } = openDatabase(place.url, 5);
  const log = createLog('silent');
  const bus = await openBus(place.url, pool, log);
  const pace = { pollSeconds: 0.5, leaseSeconds: 20, superviseSeconds: 1 };
  const jobs = createJobs({
    pool,
    db,
    bus,
    vault: createVault(directKey(Buffer.alloc(32, 7))),
    log,
    pace,
  });
  jobs.define(definition);
  await jobs.start();
  let isOpen = true;
  const stop = async () => {
    if (!isOpen) return;
    isOpen = false;
    await jobs.stop();
    await bus.close();
    await close();
  };
  stops.push(stop);
  return { jobs, db, stop };
}

const HOUR = 3_600_000;
const row = (key: string, more: Partial<RowSchedule<string>> = {}): RowSchedule<string> => ({
  key,
  schedule: { everyMinutes: 60 },
  since: new Date(Date.now() - 2 * HOUR),
  input: key,
  subject: `plan ${key}`,
  organization: '',
  ...more,
});

/** A daily time half a day from now. */
const daily = (minute: number) => `${minute} ${(new Date().getHours() + 12) % 24} * * *`;

let rows: readonly RowSchedule<string>[] = [];
let running: string[] = [];
let ran: string[] = [];
let wait: Promise<void> = Promise.resolve();
const plan = defineJob<string>({
  name: 'row-plan',
  title: { en: 'Plan', zh: '计划' },
  input: String,
  rows: async () => rows,
  overlap: 'dropped',
  key: (input) => input,
  concurrency: 4,
  retries: { limit: 0, delaySeconds: 0 },
  timeoutSeconds: 60,
  access: 'server',
  history: 'all',
  async run({ input }) {
    running.push(input);
    await wait;
    ran.push(input);
  },
}) as JobDefinition;

const schedules = async (db: Db) =>
  (
    await sql<{
      key: string;
      cron: string;
    }>`select key, cron from ${sql.table(`${SCHEMA}.schedule`)} where name = 'row-plan' order by key`.execute(
      db,
    )
  ).rows;

it('runs each due row once across servers and drops requests while it runs', async () => {
  let open: () => void = () => undefined;
  wait = new Promise((settle) => {
    open = settle;
  });
  rows = [row('a'), row('b'), row('later', { since: new Date() })];
  const [one] = await Promise.all([server(plan), server(plan)]);
  await until(() => running.includes('a') && running.includes('b'), 'both rows that are due run');
  expect(await one.jobs.enqueue(plan, 'a')).toBeUndefined();
  open();
  await until(() => ran.length === 2, 'both are done');
  expect([ran.toSorted(), running.toSorted()]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  const { rows: kept } = await sql<{
    subject: string;
    org_id: string;
  }>`select subject, org_id from job where name = 'row-plan' order by subject`.execute(one.db);
  expect(kept.map(({ subject }) => subject)).toEqual(['plan a', 'plan b']);
});

it('keeps its schedules across a restart and updates them when the table changes', async () => {
  [running, ran, wait] = [[], [], Promise.resolve()];
  const [early, late] = [daily(30), daily(45)];
  rows = [
    row('x', { since: new Date(), organization: 'org' }),
    row('y', { schedule: { crontab: early } }),
  ];
  const first = await server(plan);
  const before = await schedules(first.db);
  expect(before.map(({ key }) => key)).toEqual(['x', 'y']);
  await first.stop();
  // A restart does not restart the interval.
  rows = [
    row('x', { since: new Date(), organization: 'org' }),
    row('y', { schedule: { crontab: early } }),
  ];
  const second = await server(plan);
  expect(await schedules(second.db)).toEqual(before);

  rows = [row('y', { schedule: { crontab: late } })];
  await sql`select pg_notify('row_schedules', 'row-plan')`.execute(second.db);
  await until(async () => {
    const stored = await schedules(second.db);
    return stored.length === 1 && stored[0]?.cron === late;
  }, 'the row that is gone has no schedule, the other one its new time');
  expect(running).toEqual([]);
});

it('returns the next runs of a schedule', async () => {
  rows = [];
  const { jobs } = await server(plan);
  const [first, second] = jobs.preview({ everyMinutes: 120 }, 2).map((date) => date.getTime());
  expect(Math.abs((first ?? 0) - Date.now() - 2 * HOUR)).toBeLessThan(60_000);
  expect((second ?? 0) - (first ?? 0)).toBe(2 * HOUR);
  expect(
    jobs
      .preview({ crontab: '30 2 * * 1-5' }, 3)
      .every((date) => date.getMinutes() === 30 && date.getHours() === 2),
  ).toBe(true);
});
