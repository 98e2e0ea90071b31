import { isWorkState, type Language, OUTCOME_TEXTS, say } from '@sallyport/contract';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';

/**
 * The outcome of the job `t` by the rules of `outcomeOf`: its state until it ends. A run of a task
 * without hosts has nothing to do.
 */
export const OUTCOME = sql<string>`(case when t.state <> 'succeeded' then t.state
  when t.failed > 0 and t.done > t.failed + t.skipped then 'partly'
  when t.failed > 0 then 'failed'
  when t.skipped > 0 and t.done <= t.skipped then 'nothing'
  when t.total = 0 and exists (select from adhoc_execution e
    where e.id = t.id and e.hosts_amount = 0) then 'nothing' else 'succeeded' end)`;

/** The list filter `outcome`: one or more outcomes, separated by commas. @throws Invalid */
export function outcomeFilter(value: string): Sql {
  const names = value.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !isWorkState(name));
  if (unknown !== undefined)
    throw invalid('outcome', 'not_choice', { value: unknown.slice(0, 64) });
  return sql`${OUTCOME} = any (${names})`;
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
