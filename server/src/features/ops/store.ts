import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Which assets a job is about. */
export type AssetScope =
  | { readonly kind: 'asset' | 'node' | 'admin_user'; readonly id: string }
  /** All of the installation. */
  | { readonly kind: 'all' };

/** Ids that are read at a time. */
const PAGE = 500;

function condition(scope: AssetScope): RawBuilder<unknown> {
  if (scope.kind === 'asset') return sql`a.id = ${scope.id}`;
  if (scope.kind === 'node') return sql`a.id in (select below.asset_id from asset_ancestor below where below.node_id = ${scope.id})`;
  if (scope.kind === 'admin_user') return sql`a.admin_user_id = ${scope.id}`;
  return sql`a.is_active`;
}

/** How many assets a scope has. */
export async function countOf(scope: AssetScope, db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from asset a where ${condition(scope)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The ids of a scope, page after page, until it is aborted. */
export async function* pagesOf(scope: AssetScope, signal: AbortSignal, db: Db): AsyncGenerator<readonly string[]> {
  let last: string | undefined;
  while (!signal.aborted) {
    const after = last === undefined ? sql`true` : sql`a.id > ${last}`;
    const { rows } = await sql<{ id: string }>`select a.id from asset a where ${condition(scope)} and ${after} order by a.id limit ${PAGE}`.execute(db);
    last = rows.at(-1)?.id;
    if (last === undefined) return;
    yield rows.map(({ id }) => id);
  }
}
