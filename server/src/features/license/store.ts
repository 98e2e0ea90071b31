import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Counts the assets of all organizations. */
export async function countAssets(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from asset`.execute(db);
  return rows[0]?.count ?? 0;
}
