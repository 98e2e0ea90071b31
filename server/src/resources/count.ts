import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import type { Sql } from './hooks.ts';

/**
 * A list is counted to the last row when the planner expects that to cost no more than this, which is some twenty milliseconds: always with
 * less than a hundred thousand rows. Beyond, counting would take longer than the page it is for, so a sample is counted and projected.
 */
const EXACT_UP_TO_COST = 6_000;
/** Rows that the sample looks at. One match in a hundred rows is then known to a tenth; rarer ones are cheap to count exactly. */
const SAMPLE_ROWS = 20_000;

/** So many rows are put in order about as quickly as they are counted. */
const FEW_ROWS = 15_000;

/** How a condition is counted. */
export interface Expected {
  /** To the last row. */
  readonly isExact: boolean;
  /** It matches so few rows that all of them are put in order meanwhile. */
  readonly isFew: boolean;
}

/** What the planner expects of a condition (over alias `t`). */
export async function expectedOf(db: Db, table: string, where: Sql): Promise<Expected> {
  const { rows } = await sql<{
    'QUERY PLAN': [{ Plan: { 'Total Cost': number; 'Plan Rows': number } }];
  }>`
    explain (format json) select 1 from ${sql.table(table)} t where ${where}`.execute(db);
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  const isExact = (plan?.['Total Cost'] ?? 0) <= EXACT_UP_TO_COST;
  return { isExact, isFew: isExact && (plan?.['Plan Rows'] ?? 0) <= FEW_ROWS };
}

/** How many rows a condition (over alias `t`) matches, exactly or projected from a sample. */
export async function countRows(
  db: Db,
  table: string,
  where: Sql,
  expected?: Expected,
): Promise<{ readonly count: number; readonly isExact: boolean }> {
  const { isExact } = expected ?? (await expectedOf(db, table, where));
  return { count: await (isExact ? exactCount : projectedCount)(db, table, where), isExact };
}

async function projectedCount(db: Db, table: string, where: Sql): Promise<number> {
  const size = await sql<{
    amount: number;
  }>`select reltuples as amount from pg_class where oid = to_regclass(${table})`.execute(db);
  const all = Math.max(1, size.rows[0]?.amount ?? 0);
  if (all <= SAMPLE_ROWS) return exactCount(db, table, where);
  // The same blocks each time, so that the number stays the same from page to page.
  const { rows } = await sql<{ found: number; seen: number }>`
    select count(*) filter (where ${where}) as found, count(*) as seen
    from ${sql.table(table)} t tablesample system (${(100 * SAMPLE_ROWS) / all}) repeatable (0)`.execute(
    db,
  );
  const [sampled] = rows;
  return sampled && sampled.seen > 0 ? Math.round((all * sampled.found) / sampled.seen) : 0;
}

async function exactCount(db: Db, table: string, where: Sql): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from ${sql.table(table)} t where ${where}`.execute(db);
  return rows[0]?.count ?? 0;
}
