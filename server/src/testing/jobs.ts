import { sql } from 'kysely';
import type { JobRow } from '../platform/jobs/jobs.ts';
import { until } from './poll.ts';
import type { TestProgram } from './test-program.ts';

/** Has the program run a job from its beginning, after one of the same key that waits or runs already, and waits for its end. @returns how it ended, where that is kept */
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

/** Has the program run a job now, and returns how it ended. Only for kinds whose every run is kept. */
export async function runJob<Result = unknown>(
  test: TestProgram,
  name: string,
  input: unknown = undefined,
): Promise<JobRow<Result>> {
  const row = await runToItsEnd(test, name, input);
  if (!row) throw new Error('the job is gone');
  return row as JobRow<Result>;
}

/** Has the program do now what it does by itself every few minutes, and waits until that is over. Nothing stays of a run that succeeded. */
export async function runHousekeeping(
  test: TestProgram,
  name: string,
  input: unknown = undefined,
): Promise<void> {
  const row = await runToItsEnd(test, name, input);
  if (row && row.state !== 'succeeded')
    throw new Error(`the job ${name} ended as ${row.state}: ${JSON.stringify(row.problem)}`);
}

/** From now on a job does not begin by itself, for tests that look at what it changes. A change of a setting schedules it again. */
export async function withoutSchedule({ db }: TestProgram, name: string): Promise<void> {
  const { numAffectedRows = 0n } =
    await sql`delete from jobs.schedule where name = ${name}`.execute(db);
  if (numAffectedRows === 0n) throw new Error(`the job ${name} has no schedule`);
  // One that was asked for just now.
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
