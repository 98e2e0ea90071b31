import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Sql } from './hooks.ts';

/**
 * Up to here a list is counted to the last row, which takes some twenty milliseconds. Beyond, counting would cost more than the page it is
 * for, and nobody turns to page 13,334: the planner's estimate stands in, never below this number.
 */
const EXACT_UP_TO = 200_000;

/** How many rows a condition (over alias `t`) matches. */
export async function countRows(db: Db, table: string, where: Sql): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 from ${sql.table(table)} t where ${where} limit ${EXACT_UP_TO + 1}) counted`.execute(db);
  const count = rows[0]?.count ?? 0;
  return count <= EXACT_UP_TO ? count : estimateRows(db, table, where);
}

async function estimateRows(db: Db, table: string, where: Sql): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) select 1 from ${sql.table(table)} t where ${where}`.execute(db);
  return Math.max(EXACT_UP_TO + 1, rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0);
}
