import { choicesOf, type Field, job, type Language, type LocalText, type Problem, say } from '@sallyport/contract';
import { sql } from 'kysely';
import { describeProblem } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { attentionFilter } from '../../resources/attention-filter.ts';
import { hooksFor, type ResourceHooks } from '../../resources/hooks.ts';
import { JOBS_IN_NEED } from './in-need.ts';
import { mayControl, visibleJobs } from './policy.ts';

const WITH_FAILURES: LocalText = { en: 'Finished, {failed, number} of {total, number} failed', zh: '已完成，{total, number} 项中 {failed, number} 项失败' };
const STATES: Field = job.fields.state;

/** The state of a job in words: one that came to its end is no success where a part of it failed. */
export function stateOf(state: string, failed: number, total: number, language: Language): string {
  if (state === 'succeeded' && failed > 0) return say(WITH_FAILURES, language, { failed, total: Math.max(total, failed) });
  const label = choicesOf(STATES)?.find(({ value }) => value === state)?.label;
  return label ? say(label, language) : state;
}

/** What the answers below are worked out of; it travels in their place. */
const NAME_AND_STATE = () => sql`jsonb_build_array(t.name, t.state)`;

/** The hooks of jobs. */
export function createJobHooks(jobs: Pick<Jobs, 'kindOf' | 'definitionOf'>): ResourceHooks {
  return hooksFor(job, {
    visible: ({ actor }) => visibleJobs(actor),
    filters: { attention: attentionFilter(JOBS_IN_NEED) },
    columns: {
      title: () => sql`t.name`,
      state_display: () => sql`jsonb_build_array(t.state, t.failed, t.total)`,
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
          const [state, failed, total] = row.state_display;
          row.state_display = stateOf(String(state), Number(failed), Number(total), language);
        }
        if ('reason' in row) row.reason = row.reason ? describeProblem(row.reason as Problem, language) : '';
        if (Array.isArray(row.can_cancel)) {
          const [name, state] = row.can_cancel.map(String);
          row.can_cancel = (state === 'queued' || state === 'running') && mayControl(actor, jobs.kindOf(name ?? ''));
        }
        if (Array.isArray(row.can_retry)) {
          const [name, state] = row.can_retry.map(String);
          const definition = jobs.definitionOf(name ?? '');
          const isRepeatable = (state === 'failed' || state === 'canceled') && definition !== undefined && !definition.isRunOnce;
          row.can_retry = isRepeatable && mayControl(actor, jobs.kindOf(name ?? ''));
        }
      }
    },
  });
}
