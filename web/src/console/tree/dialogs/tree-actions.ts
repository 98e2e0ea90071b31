import type { TreeInstance } from '@headless-tree/core';
import { MANY_ROWS, type node, type Row } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { askFirst, askToDelete, confirmed } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { summaryNamed } from '../../base/resources.ts';
import { listUrl, nameSet } from '../../resource/source.ts';
import type { NodeData } from '../node-data.ts';
import { words } from './words.ts';

const NODES = 'assets/nodes/';

/** Adds assets to a node, moves them there from all other nodes, or removes them from it. */
export type Placement = 'add' | 'replace' | 'remove';

interface Acting {
  readonly tree: TreeInstance<NodeData> | undefined;
  /** Reloads open nodes and the list next to the tree. */
  readonly refresh: () => Promise<void>;
}

/** Creates a node and starts renaming it. */
export async function createNode({ tree, refresh }: Acting, parent: NodeData): Promise<void> {
  const created = await api.post<Row<typeof node>>(`${NODES}${parent.id}/children/`, {});
  tree?.getItemInstance(parent.id).expand();
  await refresh();
  tree?.getItemInstance(created.id).startRenaming();
}

export async function renameNode(
  { refresh }: Acting,
  target: NodeData,
  value: string,
): Promise<void> {
  const name = value.trim();
  if (!name || name === target.value) return;
  try {
    await api.patch(`${NODES}${target.id}/`, { value: name });
    toast.success(t(common.updateSuccess));
  } finally {
    await refresh();
  }
}

/** Deletes a node after confirmation. */
export function removeNode({ refresh }: Acting, target: NodeData): void {
  askToDelete(
    target.value,
    async () => {
      await api.delete(`${NODES}${target.id}/`, { quiet: true });
      await refresh();
    },
    { action: 'delete', resource: 'node', ids: [target.id] },
  );
}

/** Moves a node below another after confirmation. */
export function moveNode({ refresh }: Acting, source: NodeData, target: NodeData): void {
  askFirst({
    confirm: t(words.moveNode),
    message: t(words.move, { source: source.value, target: target.value }),
    consequences: { action: 'move', resource: 'node', ids: [source.id], target: target.id },
    run: async () => {
      await api.put(`${NODES}${target.id}/children/add/`, { nodes: [source.id] }, { quiet: true });
      await refresh();
    },
    success: t(common.updateSuccess),
  });
}

/** Reads the current nodes of assets for undo; undefined if the assets exceed one undo step. */
async function placesOf(
  assets: readonly string[],
): Promise<readonly { readonly id: string; readonly nodes: readonly string[] }[] | undefined> {
  if (assets.length > MANY_ROWS) return undefined;
  return api.get(listUrl(summaryNamed('asset')), {
    query: { spm: await nameSet(assets), fields: 'id,nodes' },
    quiet: true,
  });
}

interface Placing {
  readonly acting: Acting;
  readonly target: Pick<NodeData, 'id'>;
  readonly assets: readonly string[];
  readonly placement: Placement;
  readonly quiet: boolean;
}

async function place({ acting, target, assets, placement, quiet }: Placing): Promise<void> {
  const { refresh } = acting;
  const before = await placesOf(assets);
  await api.put(`${NODES}${target.id}/assets/${placement}/`, { assets }, { quiet });
  await refresh();
  if (!before) toast.success(t(common.updateSuccess));
  else
    toast.undo(t(common.updateSuccess), async () => {
      await api.patch(listUrl(summaryNamed('asset')), before);
      await refresh();
    });
}

/**
 * Adds assets to a node or removes them. A move asks for confirmation because it removes assets
 * from other nodes. The user can undo each change for ten seconds.
 */
export async function placeAssets(
  acting: Acting,
  target: Pick<NodeData, 'id' | 'value'>,
  assets: readonly string[],
  placement: Placement,
): Promise<void> {
  if (placement !== 'replace') return place({ acting, target, assets, placement, quiet: false });
  return confirmed({
    message: t(words.moveQuestion, { count: assets.length, node: target.value }),
    confirm: t(words.moveHere),
    consequences: { action: 'move', resource: 'asset', ids: assets, target: target.id },
    run: () => place({ acting, target, assets, placement, quiet: true }),
  });
}
