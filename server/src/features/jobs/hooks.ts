import { job, type Problem, say } from '@sallyport/contract';
import { sql } from 'kysely';
import { describeProblem } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { hooksFor, type ResourceHooks } from '../../resources/hooks.ts';
import { mayControl, visibleJobs } from './policy.ts';

/** What the answers below are worked out of; it travels in their place. */
const NAME_AND_STATE = () => sql`jsonb_build_array(t.name, t.state)`;

/** The hooks of jobs. */
export function createJobHooks(jobs: Pick<Jobs, 'kindOf' | 'definitionOf'>): ResourceHooks {
  return hooksFor(job, {
    visible: ({ actor }) => visibleJobs(actor),
    columns: { title: () => sql`t.name`, reason: () => sql`t.problem`, can_cancel: NAME_AND_STATE, can_retry: NAME_AND_STATE },
    present(rows, { caller: { actor, language } }) {
      for (const row of rows) {
        if ('title' in row) {
          const kind = jobs.kindOf(String(row.title));
          if (kind) row.title = say(kind.title, language);
        }
        if ('reason' in row) row.reason = row.reason ? describeProblem(row.reason as Problem, language) : '';
        if (Array.isArray(row.can_cancel)) {
          const [name, state] = row.can_cancel.map(String);
          row.can_cancel = (state === 'queued' || state === 'running') && mayControl(actor, jobs.kindOf(name ?? ''));
        }
        if (Array.isArray(row.can_retry)) {
          const [name, state] = row.can_retry.map(String);
          const isRepeatable = (state === 'failed' || state === 'canceled') && jobs.definitionOf(name ?? '') !== undefined;
          row.can_retry = isRepeatable && mayControl(actor, jobs.kindOf(name ?? ''));
        }
      }
    },
  });
}
