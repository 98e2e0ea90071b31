import type { FieldProblems } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { StoredRow } from '../hooks.ts';
import type { Draft } from './plan.ts';
import type { Writer } from './writer.ts';

/** The result of one draft. */
export type Saved = { readonly row: StoredRow } | { readonly problems: FieldProblems };

/**
 * Saves the valid drafts and skips the others, for lists from external systems: one user without a
 * valid address must not block a whole directory. Returns results in the order of the drafts.
 */
export async function saveGood(
  writer: Writer,
  drafts: readonly Draft[],
  caller: Caller,
  tx: Tx,
): Promise<Saved[]> {
  const refused = new Map<Draft, FieldProblems>();
  let good = drafts;
  while (good.length > 0) {
    await sql`savepoint save_good`.execute(tx);
    const outcome = await writer.save(good, caller, { tx });
    await (outcome.ok
      ? sql`release savepoint save_good`
      : sql`rollback to savepoint save_good`
    ).execute(tx);
    if (outcome.ok) {
      const rows = new Map(good.map((draft, index) => [draft, outcome.rows[index]]));
      return drafts.map((draft) => {
        const row = rows.get(draft);
        return row ? { row } : { problems: refused.get(draft) ?? {} };
      });
    }
    for (const [index, draft] of good.entries()) {
      const problems = outcome.problems[index] ?? {};
      if (Object.keys(problems).length > 0) refused.set(draft, problems);
    }
    good = good.filter((draft) => !refused.has(draft));
  }
  return drafts.map((draft) => ({ problems: refused.get(draft) ?? {} }));
}
