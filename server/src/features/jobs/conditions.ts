import {
  allows,
  isWorkState,
  type Language,
  OUTCOME_TEXTS,
  Permission,
  say,
} from '@sallyport/contract';
import type { Actor } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { StoredRow } from '../../resources/hooks.ts';

const INSTALLATION = Permission.SUPER | Permission.ADMIN;

/**
 * Condition on the jobs `t` that a caller sees. Undefined for all jobs. Only administrators and
 * auditors of the installation see jobs of the server itself, as the task monitor shows them.
 */
export function visibleJobs({ permissions, userId, organization }: Actor): Sql | undefined {
  if (allows(permissions, Permission.SUPER)) return undefined;
  if (allows(permissions, Permission.ADMIN))
    return sql`(t.user_id = ${userId} or t.org_id = ${organization.id} and t.started_by <> '')`;
  // Auditors can read the output of batch commands in their organization.
  if (allows(permissions, Permission.AUDIT))
    return sql`(t.user_id = ${userId} or t.org_id = ${organization.id} and t.name = 'run-command')`;
  return sql`t.user_id = ${userId}`;
}

/**
 * Returns true if a caller who sees a job may cancel or repeat it: users who may start its kind
 * their own jobs, administrators those of other users, too. Auditors change nothing of others.
 */
export function mayControl(
  { permissions, userId }: Pick<Actor, 'permissions' | 'userId'>,
  kind: Pick<JobDefinition, 'access'> | undefined,
  owner: string | null,
): boolean {
  if (allows(permissions, INSTALLATION)) return true;
  if (kind === undefined || kind.access === 'server') return false;
  if (owner !== userId && !allows(permissions, Permission.ADMIN)) return false;
  return allows(permissions, kind.access);
}

/**
 * The outcome of the job `t` by the rules of `outcomeOf`: its state until it ends. A run of a task
 * without hosts has nothing to do. A batch command stores its own outcome.
 */
export const OUTCOME = sql<string>`(case
  when t.name = 'run-command' and exists (select from command_execution e
    where e.id = t.id and e.is_finished)
    then (select e.outcome from command_execution e where e.id = t.id)
  when t.state <> 'succeeded' then t.state
  when t.failed > 0 and t.done > t.failed + t.skipped then 'partly'
  when t.failed > 0 then 'failed'
  when t.skipped > 0 and t.done <= t.skipped then 'nothing'
  when t.total = 0 and exists (select from adhoc_execution e
    where e.id = t.id and e.hosts_amount = 0) then 'nothing' else 'succeeded' end)`;

/**
 * The list filter `outcome` on an expression: one or more outcomes, separated by commas.
 * @throws Invalid
 */
export function outcomeIn(outcome: Sql, value: string): Sql {
  const names = value.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !isWorkState(name));
  if (unknown !== undefined)
    throw invalid('outcome', 'not_choice', { value: unknown.slice(0, 64) });
  return sql`${outcome} = any (${names})`;
}

/** An outcome as text; a partial failure includes its counts. */
export function outcomeText(
  outcome: string,
  { failed, total }: { readonly failed: number; readonly total: number },
  language: Language,
): string {
  if (!isWorkState(outcome)) return outcome;
  return say(OUTCOME_TEXTS[outcome], language, { failed, total: Math.max(total, failed) });
}

/** The parts of a run that has the id of its job. */
interface RunCounts {
  readonly id: Sql;
  readonly isFinished: Sql;
  readonly done: Sql;
  readonly failed: Sql;
}

/**
 * The outcome of a run that stores results of its objects: the state of its job until that
 * succeeds, then the outcome of the objects.
 */
export const outcomeOfRun = ({ id, isFinished, done, failed }: RunCounts): Sql<string> =>
  sql`coalesce(
    (select j.state from job j where j.id = ${id} and j.state <> 'succeeded'),
    case when not ${isFinished} then 'running'
      when ${failed} > 0 and ${done} > 0 then 'partly' when ${failed} > 0 then 'failed'
      when ${done} > 0 then 'succeeded' else 'nothing' end)`;

/** Words the stored `state_display` of rows: outcome, failed and total objects. */
export function presentStates(rows: readonly StoredRow[], language: Language): void {
  for (const row of rows) {
    if (!Array.isArray(row.state_display)) continue;
    const [outcome, failed, total] = row.state_display;
    const counts = { failed: Number(failed), total: Number(total) };
    row.state_display = outcomeText(String(outcome), counts, language);
  }
}
