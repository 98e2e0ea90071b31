import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { allOf } from '../../../resources/read/scope.ts';
import type { GrantView } from './service.ts';

/** Searches that find fewer assets than this read and count all of them. */
export const WIDE_FROM = 20_000;
/** Assets in the sample that the total of a wide search is projected from. */
const SAMPLE_ROWS = 20_000;
/** Maximum assets that a page of a wide search may visit; a more distant page reads all matches. */
const MOST_VISITED = 20_000;

/** A search that finds a large share of all assets. */
export interface WideSearch {
  /** All assets of the installation. */
  readonly assets: number;
  /** Projected number of granted assets that match. */
  readonly total: number;
}

/**
 * Estimates how many granted assets match a condition (alias `a`); undefined if the planner expects
 * few. A view remembers the answer by `name`.
 */
export function wideSearch(
  db: Db,
  view: GrantView,
  {
    name,
    matching,
    wideFrom = WIDE_FROM,
  }: {
    readonly name: string;
    readonly matching: Sql;
    readonly wideFrom?: number | undefined;
  },
): Promise<WideSearch | undefined> {
  return view.remember(`wide ${name}`, async () => {
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
      explain (format json) select 1 from asset a where ${matching}`.execute(db);
    if ((rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0) < wideFrom) return undefined;
    const size = await sql<{ amount: number }>`
      select greatest(1, reltuples) as amount from pg_class where oid = 'asset'::regclass`.execute(
      db,
    );
    const assets = size.rows[0]?.amount ?? 1;
    // A fixed seed samples the same blocks, so the total stays the same from page to page.
    const sample = await sql<{ found: number; seen: number }>`
      select count(*) filter (where ${allOf([view.isGranted, matching])}) as found,
        count(*) as seen
      from asset a
      tablesample system (${Math.min(100, (100 * SAMPLE_ROWS) / assets)}) repeatable (0)`.execute(
      db,
    );
    const { found = 0, seen = 0 } = sample.rows[0] ?? {};
    return { assets, total: seen > 0 ? Math.round((assets * found) / seen) : 0 };
  });
}

/** Returns true if a walk in the order of the list soon fills a page. */
export const fillsSoon = ({ assets, total }: WideSearch, rows: number): boolean =>
  total > 0 && (rows * assets) / total <= MOST_VISITED;
