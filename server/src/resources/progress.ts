import { Conflict, Unavailable } from '../platform/errors.ts';
import type { RunningJob } from '../platform/jobs/definition.ts';

/** The job that runs a long write: the writer reports how many rows are done, and the job may be canceled. */
export type WriteJob = Pick<RunningJob<undefined>, 'progress' | 'signal' | 'once'>;

/** What each row of a write goes through, in this order. */
const STAGES = ['rules', 'row', 'effects', 'answer', 'record'] as const;

/** Counts rows through the stages of a write and reports how many are done, as if each stage took the same time. The returned function throws when the job was stopped. */
export function createProgress(
  total: number,
  job: WriteJob | undefined,
): (stage: (typeof STAGES)[number], rows: number) => void {
  const passed = new Map<string, number>();
  return (stage, rows) => {
    if (job?.signal.aborted) throw stopped(job);
    passed.set(stage, Math.min(total, (passed.get(stage) ?? 0) + rows));
    const all = [...passed.values()].reduce((sum, count) => sum + count, 0);
    job?.progress(Math.floor(all / STAGES.length), total);
  };
}

/** Why a write was taken back: a person canceled it, or the server stops. */
export function stopped({ signal }: Pick<WriteJob, 'signal'>): Conflict | Unavailable {
  return signal.reason === 'stopping'
    ? new Unavailable('unavailable')
    : new Conflict('job_canceled');
}
