import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openJobServer } from '../../testing/job-server.ts';
import { until } from '../../testing/poll.ts';
import { createTestDatabase } from '../../testing/test-database.ts';
import { sql } from '../db/sql.ts';

it('runs the job of a killed server again, without repeating its committed work', async () => {
  const place = await createTestDatabase();
  const lost = spawn(
    process.execPath,
    [resolve(import.meta.dirname, '../../testing/job-server.ts'), place.url],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  lost.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const runs: unknown[] = [];
  try {
    const { job, jobs, db, stop } = await openJobServer(place.url, async (running, ownDb) => {
      // Leave one of the two jobs to the other server.
      await until(() => output.includes('running'), 'the other server runs one of them');
      runs.push([running.attempt, await ownDb.transaction((tx) => running.once(tx))]);
    });
    const ids = await Promise.all([jobs.enqueue(job, 'one'), jobs.enqueue(job, 'two')]);
    await until(() => output.includes('running'), 'the other server runs one of them');
    lost.kill('SIGKILL');
    await once(lost, 'exit');
    const states = async () =>
      (await sql<{ id: string; state: string }>`select id, state from job order by id`.execute(db))
        .rows;
    expect((await states()).map(({ state }) => state)).toContain('running');
    await until(
      async () => (await states()).every(({ state }) => state === 'succeeded'),
      'both are done',
    );
    expect((await states()).map(({ id }) => id)).toEqual([...ids].sort());
    expect(output.trim()).toBe('running 1 true');
    // `once` returns false in the second run of the first job.
    expect(runs).toContainEqual([2, false]);
    expect(runs).toHaveLength(2);
    await stop();
  } finally {
    lost.kill('SIGKILL');
    await place.drop();
  }
});
