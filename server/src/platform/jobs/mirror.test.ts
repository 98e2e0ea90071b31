import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { mirrorQueue } from './queue.ts';

let place: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  place = await createTestDatabase();
  pool = new pg.Pool({ connectionString: place.url, max: 3 });
});
afterAll(async () => {
  await pool.end();
  await place.drop();
});

const triggers = async () =>
  (
    await pool.query(
      `select tgname from pg_trigger where tgrelid = 'jobs.job'::regclass and tgname like 'mirror%' order by 1`,
    )
  ).rows;

it("creates the triggers while another server locks the queue's tables in the opposite order", async () => {
  await pool.query('drop trigger mirror_new on jobs.job; drop trigger mirror_change on jobs.job');
  const other = await pool.connect();
  let mirroring: Promise<void> | undefined;
  try {
    await other.query('begin');
    // pg-boss locks the partition first and then the table when it records a failure.
    await other.query('update jobs.job_common set priority = 0 where false');
    let isDone = false;
    mirroring = mirrorQueue(pool).then(() => {
      isDone = true;
    });
    await until(async () => {
      const { rowCount } = await pool.query(
        `select 1 from pg_stat_activity where query like '%mirror_new%' and datname = current_database() and pid <> pg_backend_pid()`,
      );
      return (rowCount ?? 0) > 0;
    }, 'it has tried');
    await other.query('update jobs.job set priority = 0 where false');
    expect(isDone).toBe(false);
    await other.query('commit');
    await mirroring;
  } finally {
    await other.query('rollback');
    other.release();
    await mirroring?.catch(() => undefined);
  }
  expect(await triggers()).toEqual([{ tgname: 'mirror_change' }, { tgname: 'mirror_new' }]);
});

it('takes no lock when the triggers exist', async () => {
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query('lock table jobs.job in exclusive mode');
    await mirrorQueue(pool);
  } finally {
    await other.query('rollback');
    other.release();
  }
  expect(await triggers()).toHaveLength(2);
});
