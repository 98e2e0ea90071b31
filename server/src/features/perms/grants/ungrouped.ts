import { type Language, say, type TreeNode } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { nodeLeaf } from '../../assets/index.ts';
import type { GrantedNode, GrantView } from './service.ts';

/**
 * If PERM_SINGLE_ASSET_TO_UNGROUP_NODE is on, assets that permissions name directly appear under
 * this node, and not below their own nodes.
 */
export const UNGROUPED_KEY = '-10';
export const UNGROUPED_ID = '00000000-0000-4000-8000-000000000010';
const UNGROUPED_NAME = { en: 'Ungrouped', zh: '未分组' };

/** True if permissions grant an asset (alias `a`) directly and not through a node. */
export function isUngrouped({ coverage: { rules, nodes } }: GrantView): Sql {
  return sql`(a.id in (select direct.asset_id from asset_permission_assets direct
    where direct.asset_permission_id = any (${rules}::uuid[]))
    and not exists (select from asset_ancestor below
      where below.asset_id = a.id and below.node_id = any (${nodes}::uuid[])))`;
}

/** True if an asset (alias `a`) appears below its nodes; undefined if all do. */
export function isGrouped(view: GrantView): Sql | undefined {
  return view.ungroups ? sql`not ${isUngrouped(view)}` : undefined;
}

/** Returns the node of ungrouped assets if the setting is on and there are any. */
export async function ungroupedNodes(
  db: Db,
  view: GrantView,
  language: Language,
): Promise<GrantedNode[]> {
  if (!view.ungroups || view.coverage.rules.length === 0) return [];
  const count = await view.remember('ungrouped', async () => {
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from asset a where ${view.isGranted}
      and ${isUngrouped(view)}`.execute(db);
    return rows[0]?.count ?? 0;
  });
  if (count === 0) return [];
  return [
    {
      id: UNGROUPED_ID,
      key: UNGROUPED_KEY,
      value: say(UNGROUPED_NAME, language),
      org_id: '',
      assets_amount: count,
      has_children: false,
    },
  ];
}

/** `ungroupedNodes` as tree nodes. */
export async function ungroupedLeaves(
  db: Db,
  view: GrantView,
  language: Language,
  withAssets: boolean,
): Promise<TreeNode[]> {
  return (await ungroupedNodes(db, view, language)).map((node) =>
    nodeLeaf({ ...node, has_children: withAssets }),
  );
}
