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
type Control = readonly [name: string, state: string, owner: string | null];

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
        if (Array.isArray(row.can_cancel)) {
          const [name, state, owner] = row.can_cancel as unknown as Control;
          row.can_cancel =
            (state === 'queued' || state === 'running') &&
            mayControl(actor, jobs.kindOf(name), owner);
        }
        if (Array.isArray(row.can_retry)) {
          const [name, state, owner] = row.can_retry as unknown as Control;
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
