import { Conflict, Unavailable } from '../../platform/errors.ts';
import type { RunningJob } from '../../platform/jobs/definition.ts';

/** The job that runs a long write: it shows progress and may be canceled. */
export type WriteJob = Pick<RunningJob<undefined>, 'progress' | 'signal' | 'once'>;

/** Stages of a write, in order. */
const STAGES = ['rules', 'row', 'effects', 'answer', 'record'] as const;

/**
 * Returns a function that reports progress; each stage counts the same. The function throws if the
 * job was stopped.
 */
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

/** Returns the error of a stopped write: canceled by a user, or stopped with the server. */
export function stopped({ signal }: Pick<WriteJob, 'signal'>): Conflict | Unavailable {
  return signal.reason === 'stopping'
    ? new Unavailable('unavailable')
    : new Conflict('job_canceled');
}
