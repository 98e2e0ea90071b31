import { OUTCOME_TEXTS, outcomeOf, type WorkState } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import type { Job } from './useJob.ts';

/** The parts of a job that a report shows. */
export type ReportedJob = Pick<
  Job,
  | 'id'
  | 'outcome'
  | 'state_display'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'total'
  | 'reason'
  | 'attempt'
  | 'can_cancel'
  | 'date_created'
  | 'date_started'
  | 'date_finished'
> & {
  /** Undefined for a run whose job is not read yet, or was deleted. */
  readonly started_by?: string;
  readonly title?: string;
};

interface Run {
  readonly id: string;
  readonly outcome?: WorkState;
  readonly isFinished: boolean;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
  readonly start: string;
  readonly end: string | null;
}

/** A run with the id of its job, as the report shows it until the job is read. */
export function asReportedJob(run: Run): ReportedJob {
  const { id, isFinished, failed, skipped, total, start, end } = run;
  const outcome = run.outcome ?? (isFinished ? outcomeOf(run) : 'running');
  return {
    id,
    outcome,
    state_display: t(OUTCOME_TEXTS[outcome], { failed, total }),
    done: run.succeeded + failed + skipped,
    failed,
    skipped,
    total,
    reason: '',
    attempt: 1,
    can_cancel: false,
    date_created: start,
    date_started: start,
    date_finished: end,
  };
}
