import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

/** Interval between merges of the changes: each asset that is written adds a row. */
export const GATHER_MILLISECONDS = 10 * 60_000;

/** Counts the assets of the admin user, domain or label `t`, without reading them. */
export const assetsOfReference: Sql = sql`(select coalesce(sum(assets), 0)::bigint
  from asset_reference_tally where reference_id = t.id)`;

/** Merges the changes since the last call. */
export async function gatherReferenceSums(db: Db): Promise<void> {
  await sql`select asset_reference_tally_gather()`.execute(db);
}
