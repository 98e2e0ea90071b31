import {
  choicesOf,
  type Field,
  job,
  type Language,
  OUTCOME_TEXTS,
  outcomeOf,
  type Problem,
  say,
} from '@sallyport/contract';
import { sql } from 'kysely';
import { describeProblem } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type AttentionConditions, attentionFilter } from '../../resources/attention-filter.ts';
import { hooksFor, type ResourceHooks } from '../../resources/hooks.ts';
import { mayControl, visibleJobs } from './policy.ts';

/** Jobs that failed in the last 24 hours. */
export const JOB_ATTENTION = {
  failed_jobs: () => sql`(t.state = 'failed' and t.date_created > now() - interval '1 day')`,
} satisfies AttentionConditions;

const STATES: Field = job.fields.state;

/** The counts that decide the outcome of a job. */
export interface JobCounts {
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
}

/** The outcome of an ended job, or else its state. */
export const outcomeOfJob = (state: string, { done, failed, skipped }: JobCounts): string =>
  state === 'succeeded'
    ? outcomeOf({ succeeded: Math.max(0, done - failed - skipped), failed, skipped })
    : state;

/** State and outcome of a job as text. */
export function stateOf(state: string, counts: JobCounts, language: Language): string {
  if (state === 'succeeded') {
    const { done, failed, skipped, total } = counts;
    const outcome = outcomeOf({ succeeded: Math.max(0, done - failed - skipped), failed, skipped });
    return say(OUTCOME_TEXTS[outcome], language, { failed, total: Math.max(total, failed) });
  }
  const label = choicesOf(STATES)?.find(({ value }) => value === state)?.label;
  return label ? say(label, language) : state;
}

const COUNTED = () => sql`jsonb_build_array(t.state, t.done, t.failed, t.skipped, t.total)`;
const readCounted = (value: readonly unknown[]): readonly [string, JobCounts] => {
  const [state, done, failed, skipped, total] = value;
  return [
    String(state),
    { done: Number(done), failed: Number(failed), skipped: Number(skipped), total: Number(total) },
  ];
};

/** The inputs of the computed columns. `present` replaces them. */
const NAME_AND_STATE = () => sql`jsonb_build_array(t.name, t.state)`;

export function createJobHooks(jobs: Pick<Jobs, 'kindOf' | 'definitionOf'>): ResourceHooks {
  return hooksFor(job, {
    visible: ({ actor }) => visibleJobs(actor),
    filters: { attention: attentionFilter(JOB_ATTENTION) },
    columns: {
      title: () => sql`t.name`,
      state_display: COUNTED,
      outcome: COUNTED,
      reason: () => sql`t.problem`,
      can_cancel: NAME_AND_STATE,
      can_retry: NAME_AND_STATE,
    },
    present(rows, { caller: { actor, language } }) {
      for (const row of rows) {
        if ('title' in row) {
          const kind = jobs.kindOf(String(row.title));
          if (kind) row.title = say(kind.title, language);
        }
        if (Array.isArray(row.state_display)) {
          const [state, counts] = readCounted(row.state_display);
          row.state_display = stateOf(state, counts, language);
        }
        if (Array.isArray(row.outcome)) row.outcome = outcomeOfJob(...readCounted(row.outcome));
        if ('reason' in row)
          row.reason = row.reason ? describeProblem(row.reason as Problem, language) : '';
        if (Array.isArray(row.can_cancel)) {
          const [name, state] = row.can_cancel.map(String);
          row.can_cancel =
            (state === 'queued' || state === 'running') &&
            mayControl(actor, jobs.kindOf(name ?? ''));
        }
        if (Array.isArray(row.can_retry)) {
          const [name, state] = row.can_retry.map(String);
          const definition = jobs.definitionOf(name ?? '');
          const isRepeatable =
            (state === 'failed' || state === 'canceled') &&
            definition !== undefined &&
            !definition.isRunOnce;
          row.can_retry = isRepeatable && mayControl(actor, jobs.kindOf(name ?? ''));
        }
      }
    },
  });
}
