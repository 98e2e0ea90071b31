import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Counts the organizations under change control. */
export async function countControls(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from change_control`.execute(db);
  return rows[0]?.count ?? 0;
}
