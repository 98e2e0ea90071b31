import type { JobRow } from '../platform/jobs/jobs.ts';
import { until } from './poll.ts';
import type { TestProgram } from './test-program.ts';

const isOver = (row: JobRow | undefined) => row !== undefined && row.state !== 'queued' && row.state !== 'running';

/** Has the program run a job now, and returns how it ended. Only for kinds whose every run is kept. */
export async function runJob<Result = unknown>({ program }: TestProgram, name: string, input: unknown = undefined): Promise<JobRow<Result>> {
  const definition = program.jobs.definitionOf(name);
  if (!definition) throw new Error(`there is no job ${name}`);
  const id = await program.jobs.enqueue(definition, input);
  let row: JobRow<Result> | undefined;
  await until(async () => {
    row = await program.jobs.latest<Result>(definition);
    return isOver(row) && (id === undefined || row?.id === id);
  }, `the job ${name} is over`);
  if (!row) throw new Error('the job is gone');
  return row;
}
