import { afterAll, beforeAll, expect, it } from 'vitest';
import { openJobServer } from '../../testing/job-server.ts';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openDatabase } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { createLog } from '../log.ts';
import { pullBackTimes, schedulesStopped } from './future-times.ts';

const log = createLog('silent');
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('runs waiting jobs and looks at schedules again after a clock was ahead, at once and at the next start', async () => {
  const runs: string[] = [];
  const start = () => openJobServer(database.url, async ({ input }) => void runs.push(input));
  let server = await start();
  const { db } = server;
  const ahead = async () => {
    // A job that was due, one with a chosen time, and the looks at schedules and queues.
    const due = await server.jobs.enqueue(server.job, 'due', {
      startAfter: new Date(Date.now() + 8e6),
    });
    const own = await server.jobs.enqueue(server.job, 'own', {
      startAfter: new Date(Date.now() + 9e7),
    });
    await sql`update jobs.job set created_on = now() + interval '2 hours',
      singleton_on = case id when ${due}::uuid then now() + interval '2 hours' end,
      start_after = case id when ${due}::uuid then now() + interval '2 hours' else start_after end
      where id = any (${[due, own]}::uuid[])`.execute(db);
    await sql`update jobs.queue set monitor_claim_on = now() + interval '2 hours',
      maintain_on = now() + interval '2 hours'`.execute(db);
    await sql`update jobs.version set cron_on = now() + interval '2 hours'`.execute(db);
    expect(await schedulesStopped(db)).toBeInstanceOf(Date);
    return { due, own };
  };
  const states = async (ids: readonly (string | undefined)[]) =>
    (
      await sql<{ state: string }>`select state::text as state from jobs.job
        where id = any (${ids}::uuid[]) order by array_position(${ids}::uuid[], id)`.execute(db)
    ).rows.map(({ state }) => state);

  const first = await ahead();
  expect(await pullBackTimes({ db, log })).toBeGreaterThanOrEqual(4);
  expect(await pullBackTimes({ db, log })).toBe(0);
  expect(await schedulesStopped(db)).toBeUndefined();
  await until(async () => (await states([first.due]))[0] === 'completed', 'the due job has run');
  // The next look at the schedules comes by itself.
  const { rows } = await sql<{ last: Date }>`select cron_on as last from jobs.version`.execute(db);
  await until(async () => {
    const now = await sql<{ last: Date }>`select cron_on as last from jobs.version`.execute(db);
    return (now.rows[0]?.last ?? 0) > (rows[0]?.last ?? 0);
  }, 'the queue looks at the schedules');
  expect(await states([first.own])).toEqual(['created']);

  const second = await ahead();
  await server.stop();
  server = await start();
  await until(
    async () => (await server.jobs.finished(second.due ?? ''))?.state === 'succeeded',
    'the due job of the second time has run',
  );
  expect(runs).toEqual(['due', 'due']);
  await server.stop();
});

it('changes nothing, and warns of nothing, before the first start of the queue', async () => {
  const created = await createTestDatabase('empty');
  const { db, close } = openDatabase(created.url, 1);
  const warnings: unknown[] = [];
  expect(
    await pullBackTimes({ db, log: { warn: (what: unknown) => void warnings.push(what) } }),
  ).toBe(0);
  expect(warnings).toEqual([]);
  await close();
  await created.drop();
});
