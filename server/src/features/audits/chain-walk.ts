import type { ChainedLog } from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ChainState } from './seal-store.ts';

/** Number of rows, the last sequence number, and the first row that does not fit. */
interface Walk {
  readonly rows: number;
  readonly last: number | null;
  readonly broken: number | null;
}

/**
 * Mirrors `audit_text` of the database: rows older than the column `version` were chained without
 * it.
 */
const withoutNull = (log: ChainedLog) =>
  log === 'session_digest' ? sql`- case when t.version is null then 'version' else '' end` : sql``;

/**
 * The digested text of a row `t`, with dates in the time zone of the transaction: UTC. A function
 * inside the database could be replaced there.
 */
export const textOfRow = (log: ChainedLog) =>
  sql`(to_jsonb(t) - 'digest' - 'search_text' ${withoutNull(log)})::text`;

/** Recomputes every digest, starting with the first row that retention left. */
export async function walk(tx: Tx, log: ChainedLog, head: ChainState): Promise<Walk> {
  const { rows } = await sql<Walk>`
    select count(*) as rows, max(sequence) as last,
      min(case when previous + 1 <> sequence then previous + 1 else sequence end)
        filter (where previous + 1 <> sequence or digest <> expected) as broken
    from (
      select t.sequence, t.digest, lag(t.sequence, 1, ${head.removed_sequence}::bigint) over chain
        as previous,
        sha256(lag(t.digest, 1, decode(${head.removed_digest}, 'hex')) over chain ||
          convert_to(${textOfRow(log)}, 'UTF8')) as expected
      from ${sql.table(log)} t window chain as (order by t.sequence)
    ) walked`.execute(tx);
  return rows[0] ?? { rows: 0, last: null, broken: null };
}
