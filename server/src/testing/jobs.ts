import { sql } from '../platform/db/sql.ts';
import type { JobRow } from '../platform/jobs/jobs.ts';
import { until } from './poll.ts';
import type { TestProgram } from './test-program.ts';

/**
 * Runs a job after waiting or running ones of the same key, and waits for its end. @returns the
 * result, if it is stored
 */
async function runToItsEnd(
  { program }: TestProgram,
  name: string,
  input: unknown,
): Promise<JobRow | undefined> {
  const definition = program.jobs.definitionOf(name);
  if (!definition) throw new Error(`there is no job ${name}`);
  let id: string | undefined;
  await until(async () => {
    id = await program.jobs.enqueue(definition, input);
    return id !== undefined;
  }, `the job ${name} is asked for`);
  return program.jobs.finished(id ?? '');
}

/** Runs a job and returns its result; only for kinds whose runs are all stored. */
export async function runJob<Result = unknown>(
  test: TestProgram,
  name: string,
  input: unknown = undefined,
): Promise<JobRow<Result>> {
  const row = await runToItsEnd(test, name, input);
  if (!row) throw new Error('the job is gone');
  return row as JobRow<Result>;
}

/** Runs periodic housekeeping once and waits for its end. A successful run leaves no trace. */
export async function runHousekeeping(
  test: TestProgram,
  name: string,
  input: unknown = undefined,
): Promise<void> {
  const row = await runToItsEnd(test, name, input);
  if (row && row.state !== 'succeeded')
    throw new Error(`the job ${name} ended as ${row.state}: ${JSON.stringify(row.problem)}`);
}

/**
 * Removes the schedule of a job, for tests of its effects. Changing a setting schedules it again.
 */
export async function withoutSchedule({ db }: TestProgram, name: string): Promise<void> {
  // A change of a setting schedules the job after its answer.
  await until(async () => {
    const { rowCount } = await sql`delete from jobs.schedule where name = ${name}`.execute(db);
    return rowCount > 0;
  }, `the job ${name} has a schedule`);
  // Wait for a run that was just queued.
  await until(
    async () =>
      (
        await sql`select 1 from job where name = ${name} and state in ('queued', 'running')`.execute(
          db,
        )
      ).rows.length === 0,
    `${name} is over`,
  );
}
