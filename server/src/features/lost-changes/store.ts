import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AttentionConditions } from '../../resources/read/scope.ts';
import type { KeptChange } from '../audits/index.ts';

/** Lost changes that no administrator has settled. */
export const LOST_CHANGE_ATTENTION = {
  lost_changes: () => sql`not t.is_settled`,
} satisfies AttentionConditions;

/** Stores a lost change. Returns false if it is stored already. */
export async function insertLost(change: KeptChange, tx: Tx): Promise<boolean> {
  const { organization, resourceType, resourceId, remoteAddress, changes, date } = change;
  const { rowCount } = await sql`
    insert into lost_change (id, org_id, "user", action, resource_type, resource, resource_id,
      remote_addr, changes, datetime)
    values (${change.id}, ${organization}, ${change.user}, ${change.action}, ${resourceType},
      ${change.resource}, ${resourceId}, ${remoteAddress},
      nullif(${JSON.stringify(changes)}::jsonb, 'null'::jsonb), ${new Date(date)})
    on conflict (id) do nothing`.execute(tx);
  return rowCount > 0;
}

export interface LostRow {
  readonly id: string;
  readonly resource: string;
  readonly is_settled: boolean;
}

/** The lost changes of an organization with some ids, locked until the transaction ends. */
export async function lockLost(
  ids: readonly string[],
  organization: string,
  tx: Tx,
): Promise<readonly LostRow[]> {
  const { rows } = await sql<LostRow>`
    select id, resource, is_settled from lost_change
    where id = any (${[...ids]}::uuid[]) and org_id = ${organization}
    order by id for update`.execute(tx);
  return rows;
}

export async function markSettled(
  ids: readonly string[],
  { by, note }: { readonly by: string; readonly note: string },
  tx: Tx,
): Promise<void> {
  await sql`update lost_change set is_settled = true, settled_by = ${by}, note = ${note},
    date_settled = now() where id = any (${[...ids]}::uuid[])`.execute(tx);
}

/** Deletes settled lost changes that are older than some days. */
export async function forgetLost(days: number, db: Db): Promise<number> {
  const { rowCount } = await sql`delete from lost_change
    where is_settled and date_found < now() - make_interval(days => ${days})`.execute(db);
  return rowCount ?? 0;
}
