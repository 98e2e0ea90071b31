import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** The logs whose rows are chained by digests. */
export const CHAINED_LOGS = ['operate_log', 'login_log', 'password_change_log'] as const;

export type ChainedLog = (typeof CHAINED_LOGS)[number];

/** What became of checking one log. */
export interface ChainVerdict {
  readonly log: ChainedLog;
  /** Rows that are there, and rows that retention has removed from the beginning. */
  readonly rows: number;
  readonly removed: number;
  /** The sequence number of the first row that was changed, removed or put in between; null when everything holds. */
  readonly first_break: number | null;
}

/** Proves that nothing in the logs was changed, removed or put in between, or names the first place where it was. */
export async function verifyChains(db: Db): Promise<ChainVerdict[]> {
  const verdicts: ChainVerdict[] = [];
  for (const log of CHAINED_LOGS) {
    const verdict = await db.transaction().execute(async (tx) => {
      // A long log takes longer than a page may.
      await sql`set local statement_timeout = 0`.execute(tx);
      const { rows } = await sql<{ first_break: number | null; rows: number; removed: number }>`
        select audit_first_break(${log}) as first_break, (select count(*) from ${sql.table(log)}) as rows,
          (select removed_sequence from audit_chain where log = ${log}) as removed`.execute(tx);
      return rows[0];
    });
    verdicts.push({ log, rows: verdict?.rows ?? 0, removed: verdict?.removed ?? 0, first_break: verdict?.first_break ?? null });
  }
  return verdicts;
}

/** Removes what is older than a number of days from the beginning of a log; the rest stays provable. Returns how many rows went. */
export async function forgetOlderThan(db: Db, log: ChainedLog, days: number): Promise<number> {
  const { rows } = await sql<{ gone: number }>`select audit_forget(${log}, now() - make_interval(days => ${days})) as gone`.execute(db);
  return rows[0]?.gone ?? 0;
}
