import { node, say } from '@sallyport/contract';
import type { Caller, CurrentOrganization } from '../../platform/actor.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid, notFound, Rejected } from '../../platform/errors.ts';
import type { AuditWriter, ResourceServices } from '../../resources/hooks.ts';

/** Limits the depth of trees, and so the length of keys. */
export const MAX_DEPTH = 30;

export interface NodeRow {
  readonly id: string;
  readonly org_id: string;
  readonly key: string;
  readonly value: string;
  readonly parent_id: string | null;
  readonly assets_amount: number;
}

/** Root node of an organization; created on first use. */
export async function rootOf(organization: CurrentOrganization, db: Db | Tx): Promise<NodeRow> {
  const find = () =>
    sql<NodeRow>`select * from node where org_id = ${organization.id}
      and parent_id is null`.execute(db);
  const existing = (await find()).rows[0];
  if (existing) return existing;
  const id = crypto.randomUUID();
  await sql`
    insert into node (id, org_id, key, value, ancestors)
    values (${id}, ${organization.id}, nextval('node_root_key')::text, ${organization.name},
      array[${id}::uuid])
    on conflict do nothing`.execute(db);
  const created = (await find()).rows[0];
  if (!created) throw notFound();
  return created;
}

/** Renames the root node after its organization. */
export async function nameRootNode(organization: CurrentOrganization, tx: Tx): Promise<void> {
  const root = await rootOf(organization, tx);
  if (root.value !== organization.name)
    await sql`update node set value = ${organization.name} where id = ${root.id}`.execute(tx);
}

/** Deletes all nodes of an organization. */
export async function removeTree(organizationId: string, tx: Tx): Promise<void> {
  await sql`delete from node where org_id = ${organizationId}`.execute(tx);
}

/** Reads and locks a node of the caller's organization. @throws NotFound */
export async function lockNode(id: string, caller: Caller, tx: Tx): Promise<NodeRow> {
  const { rows } = await sql<NodeRow>`select * from node where id = ${id}
      and org_id = ${caller.actor.organization.id} for update`.execute(tx);
  if (!rows[0]) throw notFound();
  return rows[0];
}

/**
 * Adds a node below another. Without a name it gets the first free `New node N`. Returns its id.
 * @throws Invalid if a sibling has the name
 */
export async function addChild(
  parent: NodeRow,
  {
    value,
    id = crypto.randomUUID(),
  }: { readonly value?: string | undefined; readonly id?: string | undefined },
  caller: Caller,
  tx: Tx,
): Promise<string> {
  const depth = parent.key.split(':').length;
  if (depth >= MAX_DEPTH) throw new Rejected('node_too_deep', { max: MAX_DEPTH });
  const name = value || (await freeName(parent, caller, tx));
  await assertFreeName(parent.id, name, undefined, tx);
  await sql`
    with marked as (update node set child_mark = child_mark + 1 where id = ${parent.id}
      returning key, child_mark, ancestors, org_id)
    insert into node (id, org_id, key, value, parent_id, ancestors)
    select ${id}::uuid, org_id, key || ':' || child_mark, ${name}, ${parent.id}::uuid,
      ancestors || ${id}::uuid from marked`.execute(tx);
  return id;
}

async function freeName(parent: NodeRow, { language }: Caller, tx: Tx): Promise<string> {
  const prefix = say({ en: 'New node', zh: '新节点' }, language);
  const { rows } = await sql<{ highest: number | null }>`
    select max(substring(value from ${`^${prefix} (\\d{1,6})$`})::integer) as highest from node
    where parent_id = ${parent.id}`.execute(tx);
  return `${prefix} ${(rows[0]?.highest ?? 0) + 1}`;
}

/** Rejects a name that a sibling has. @throws Invalid */
export async function assertFreeName(
  parentId: string,
  value: string,
  exceptId: string | undefined,
  tx: Tx,
): Promise<void> {
  const { rows } = await sql`select 1 from node where parent_id = ${parentId} and value = ${value}
      and id is distinct from ${exceptId ?? null}::uuid`.execute(tx);
  if (rows.length > 0) throw invalid('value', 'not_unique');
}

/**
 * Moves nodes with their subtrees below another node.
 * @throws AppError for the root, for a cycle, and above the maximum depth
 */
export async function moveNodes(
  ids: readonly string[],
  targetId: string,
  caller: Caller,
  tx: Tx,
): Promise<void> {
  // Serializes all moves of an organization: two at once could close a cycle.
  const root = await rootOf(caller.actor.organization, tx);
  await lockNode(root.id, caller, tx);
  for (const id of ids) {
    const moved = await lockNode(id, caller, tx);
    const target = await lockNode(targetId, caller, tx);
    if (moved.parent_id === null) throw new Rejected('node_root');
    if (`${target.key}:`.startsWith(`${moved.key}:`)) throw new Rejected('node_cycle');
    if (moved.parent_id === target.id) continue;
    const { rows } = await sql<{ depth: number }>`
      select max(cardinality(string_to_array(key, ':'))) as depth from node
      where key = ${moved.key} or key like ${`${moved.key}:%`}`.execute(tx);
    const below = (rows[0]?.depth ?? 0) - moved.key.split(':').length;
    if (target.key.split(':').length + 1 + below > MAX_DEPTH)
      throw new Rejected('node_too_deep', { max: MAX_DEPTH });
    await assertFreeName(target.id, moved.value, moved.id, tx);
    await sql`select node_move(${moved.id}, ${target.id})`.execute(tx);
  }
}

/** Adds assets to a node, moves them there from all other nodes, or removes them from it. */
export type Placement = 'add' | 'replace' | 'remove';

interface PlacedAssets {
  readonly assets: readonly string[];
  readonly placement: Placement;
}

/** Changes the assets of a node. An asset without any other node goes to the root. */
async function placeAssets(
  node: NodeRow,
  { assets: assetIds, placement }: PlacedAssets,
  caller: Caller,
  tx: Tx,
): Promise<void> {
  const organizationId = caller.actor.organization.id;
  const { rows } = await sql<{
    id: string;
  }>`select id from asset where id = any (${assetIds}::uuid[]) and org_id = ${organizationId}
    order by id for update`.execute(tx);
  const known = new Set(rows.map((row) => row.id));
  const missing = assetIds.find((id) => !known.has(id));
  if (missing !== undefined) throw invalid('assets', 'unknown_object', { value: missing });
  if (placement === 'remove') {
    await sql`delete from node_assets where node_id = ${node.id}
      and asset_id = any (${assetIds}::uuid[])`.execute(tx);
    const root = await rootOf(caller.actor.organization, tx);
    await sql`
      insert into node_assets (node_id, asset_id) select ${root.id}::uuid, asset_id
      from unnest(${assetIds}::uuid[]) as asset_id
      where not exists (select 1 from node_assets held
        where held.asset_id = asset_id.asset_id)`.execute(tx);
    return;
  }
  await sql`
    insert into node_assets (node_id, asset_id) select ${node.id}::uuid, asset_id
    from unnest(${assetIds}::uuid[]) as asset_id on conflict do nothing`.execute(tx);
  if (placement === 'replace')
    await sql`delete from node_assets where asset_id = any (${assetIds}::uuid[])
      and node_id <> ${node.id}`.execute(tx);
}

interface PlacingOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly lockGrants: ResourceServices['lockGrants'];
}

/**
 * Adds assets to a node of the caller's organization or removes them, and logs the operation.
 * @throws NotFound, Invalid
 */
export function placeOnNode(
  { db, audit, lockGrants }: PlacingOptions,
  nodeId: string,
  placed: PlacedAssets,
  caller: Caller,
): Promise<void> {
  return transact(db, async (tx) => {
    await lockGrants(node, tx);
    const target = await lockNode(nodeId, caller, tx);
    await placeAssets(target, placed, caller, tx);
    await audit(tx, caller, {
      action: 'update',
      resourceType: 'node',
      resource: target.value,
      resourceId: target.id,
      changes: { [`assets_${placed.placement}`]: [null, placed.assets] },
    });
  });
}
