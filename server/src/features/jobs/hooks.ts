import { job, type Problem, say } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { describeProblem } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { hooksFor, type ResourceHooks } from '../../resources/hooks.ts';
import { type AttentionConditions, attentionFilter } from '../../resources/read/scope.ts';
import { mayControl, OUTCOME, outcomeIn, presentStates, visibleJobs } from './conditions.ts';

/** Jobs that failed in the last 24 hours. */
export const JOB_ATTENTION = {
  failed_jobs: () => sql`(t.state = 'failed' and t.date_created > now() - interval '1 day')`,
} satisfies AttentionConditions;

const COUNTED = () => sql`jsonb_build_array(${OUTCOME}, t.failed, t.total)`;

/** The inputs of the computed columns. `present` replaces them. */
const CONTROL = () => sql`jsonb_build_array(t.name, t.state, t.user_id)`;

/** Reads the inputs of a computed column; undefined if the column is not selected. */
function controlOf(value: unknown) {
  if (!Array.isArray(value)) return undefined;
  const [name, state, owner]: readonly unknown[] = value;
  return { name: String(name), state, owner: owner === null ? null : String(owner) };
}

export function createJobHooks(jobs: Pick<Jobs, 'kindOf' | 'definitionOf'>): ResourceHooks {
  return hooksFor(job, {
    visible: ({ actor }) => visibleJobs(actor),
    filters: {
      attention: attentionFilter(JOB_ATTENTION),
      outcome: (value) => outcomeIn(OUTCOME, value),
    },
    columns: {
      title: () => sql`t.name`,
      state_display: COUNTED,
      outcome: () => OUTCOME,
      reason: () => sql`t.problem`,
      can_cancel: CONTROL,
      can_retry: CONTROL,
    },
    present(rows, { caller: { actor, language } }) {
      presentStates(rows, language);
      for (const row of rows) {
        if ('title' in row) {
          const kind = jobs.kindOf(String(row.title));
          if (kind) row.title = say(kind.title, language);
        }
        if ('reason' in row)
          row.reason = row.reason ? describeProblem(row.reason as Problem, language) : '';
        const cancel = controlOf(row.can_cancel);
        if (cancel) {
          const { name, state, owner } = cancel;
          row.can_cancel =
            (state === 'queued' || state === 'running') &&
            mayControl(actor, jobs.kindOf(name), owner);
        }
        const retry = controlOf(row.can_retry);
        if (retry) {
          const { name, state, owner } = retry;
          const definition = jobs.definitionOf(name);
          const isRepeatable =
            (state === 'failed' || state === 'canceled') &&
            definition !== undefined &&
            !definition.isRunOnce;
          row.can_retry = isRepeatable && mayControl(actor, jobs.kindOf(name), owner);
        }
      }
    },
  });
}
