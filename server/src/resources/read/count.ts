import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

/**
 * Maximum planner cost of an exact count, about 20 ms; tables below 100,000 rows always fit. Above
 * it, a sample is counted and projected.
 */
const EXACT_UP_TO_COST = 6_000;
/**
 * Rows in the sample: a match rate of 1 % is estimated within a tenth. Rarer matches are cheap to
 * count exactly.
 */
const SAMPLE_ROWS = 20_000;

/** Sorting this many rows takes about as long as counting them. */
const FEW_ROWS = 15_000;
/**
 * Maximum rows of a large table that are sorted, and planner cost of finding them, about 150 ms.
 * They can all be at the end of the list: walking it would read the whole table.
 */
const SPARSE = { rows: 30_000, cost: 20_000 };
const PAGE_BYTES = 8192;

/** Bytes of a table, about 10,000 rows, up to which each page counts all matching rows. */
const SMALL_BYTES = 4 * 1024 * 1024;

/** The size of a table in bytes. A partitioned table has the rows of its partitions. */
export const bytesOf = (table: string): Sql =>
  sql`(pg_relation_size(${table}::regclass) + coalesce((select sum(pg_relation_size(relid))
    from pg_partition_tree(${table}::regclass)), 0))::bigint`;

export interface Expected {
  /** Count exactly. */
  readonly isExact: boolean;
  /** The rows are so few that one query can sort all of them. */
  readonly isFew: boolean;
}

/** Returns the planner's estimate for the rows that a condition (over alias `t`) matches. */
export async function estimate(
  db: Db,
  table: string,
  where: Sql,
): Promise<{ readonly cost: number; readonly rows: number }> {
  const { rows } = await sql<{
    'QUERY PLAN': [{ Plan: { 'Total Cost': number; 'Plan Rows': number } }];
  }>`
    explain (format json) select 1 from ${sql.table(table)} t where ${where}`.execute(db);
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  return { cost: plan?.['Total Cost'] ?? 0, rows: plan?.['Plan Rows'] ?? 0 };
}

/**
 * Returns how to count a condition (over alias `t`) and how to find its rows, from the planner's
 * estimate. `bytes` is the size of the table.
 */
export async function expectedOf(db: Db, table: string, where: Sql, bytes = 0): Promise<Expected> {
  const { cost, rows: found } = await estimate(db, table, where);
  const isExact = cost <= EXACT_UP_TO_COST;
  // Fewer than one on a page of the table.
  const isSparse = found <= SPARSE.rows && cost <= SPARSE.cost && found < bytes / PAGE_BYTES;
  return { isExact, isFew: (isExact && found <= FEW_ROWS) || isSparse };
}

/** A total. A projected one is near the truth. */
export interface Total {
  readonly count: number;
  readonly isExact: boolean;
}

/**
 * Counts the rows that a condition (over alias `t`) matches, exactly or projected from a sample.
 */
export async function countRows(
  db: Db,
  table: string,
  where: Sql,
  expected?: Expected,
): Promise<Total> {
  const { isExact } = expected ?? (await expectedOf(db, table, where));
  return { count: await (isExact ? exactCount : projectedCount)(db, table, where), isExact };
}

/** Returns the rows of a table, as the database last counted them. */
export async function rowsOf(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ amount: number }>`
    select sum(reltuples) as amount from pg_class where relkind = 'r'
      and (oid = to_regclass(${table})
        or oid in (select relid from pg_partition_tree(to_regclass(${table})) where isleaf))
  `.execute(db);
  return Math.max(1, rows[0]?.amount ?? 0);
}

async function projectedCount(db: Db, table: string, where: Sql): Promise<number> {
  const all = await rowsOf(db, table);
  if (all <= SAMPLE_ROWS) return exactCount(db, table, where);
  // A fixed seed samples the same blocks, so the total stays the same from page to page.
  const { rows } = await sql<{ found: number; seen: number }>`
    select count(*) filter (where ${where}) as found, count(*) as seen
    from ${sql.table(table)} t
    tablesample system (${(100 * SAMPLE_ROWS) / all}) repeatable (0)`.execute(db);
  const [sampled] = rows;
  return sampled && sampled.seen > 0 ? Math.round((all * sampled.found) / sampled.seen) : 0;
}

async function exactCount(db: Db, table: string, where: Sql): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from ${sql.table(table)} t where ${where}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Lifetime of a projected total, which is inexact anyway. */
const PROJECTED_MILLISECONDS = 30_000;
const MOST_PROJECTED = 500;

/** Facts by which a list counts its next page quickly. They decide no access. */
export class ListMemory {
  /** Bytes of the table when a page was last read. */
  #bytes = Number.POSITIVE_INFINITY;
  readonly #projected = new Map<string, { readonly total: Total; readonly until: number }>();

  /** Bytes of the table; 0 if no page was read. */
  get bytes(): number {
    return Number.isFinite(this.#bytes) ? this.#bytes : 0;
  }

  /** True if each page counts the matching rows in its own statement. */
  get isSmall(): boolean {
    return this.#bytes <= SMALL_BYTES;
  }

  learnSize(bytes: number): void {
    this.#bytes = bytes;
  }

  /** Returns the recent projection for the same condition with the same values. */
  projected(where: Sql): Total | undefined {
    const known = this.#projected.get(keyOf(where));
    return known && known.until > Date.now() ? known.total : undefined;
  }

  /** Remembers a projection. Exact totals are counted each time. */
  learnTotal(where: Sql, total: Total): void {
    if (total.isExact) return;
    if (this.#projected.size >= MOST_PROJECTED) this.#projected.clear();
    this.#projected.set(keyOf(where), { total, until: Date.now() + PROJECTED_MILLISECONDS });
  }
}

/** The values contain organization and user, so callers with other rights share no total. */
function keyOf(where: Sql): string {
  const { text, values } = where.compile();
  return JSON.stringify([text, values]);
}
