import type { TreeNode } from '@sallyport/contract';
import { api } from '../../kit/api.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { words } from '../words.ts';
import { placeRows, type TreeRow } from './tree-rows.ts';

const PATH = 'perms/users/nodes/children-with-assets/tree/';

/** Reads the roots of the granted tree with their children. */
export function loadRoots(signal: AbortSignal): Promise<readonly TreeNode[]> {
  return api.get<readonly TreeNode[]>(PATH, { signal, quiet: true });
}

/** Reads the children of a node. A failure becomes a row with the error and a retry. */
export async function loadBranch(id: string): Promise<TreeRow[]> {
  try {
    const nodes = await api.get<readonly TreeNode[]>(PATH, {
      query: { key: id.slice('node:'.length) },
      quiet: true,
    });
    return placeRows(nodes, id)
      .filter(({ parent }) => parent === id)
      .map(({ row }) => row);
  } catch {
    return [
      {
        kind: 'failed',
        id: `failed:${id}`,
        parent: id,
        name: `${t(words.treeFailed)} · ${t(common.retry)}`,
      },
    ];
  }
}

/** Finds granted nodes by the names of their paths, with the nodes above them. */
export function searchNodes(text: string, signal: AbortSignal): Promise<readonly TreeNode[]> {
  return api.get<readonly TreeNode[]>('perms/users/nodes/children/tree/', {
    query: { search: text },
    signal,
    quiet: true,
  });
}

/** Reads the direct children of a node. */
export function loadBelow(key: string, signal: AbortSignal): Promise<readonly TreeNode[]> {
  return api.get<readonly TreeNode[]>(PATH, { query: { key }, signal, quiet: true });
}

/** Finds granted assets by host name or address. */
export function searchAssets(text: string, signal: AbortSignal): Promise<readonly TreeNode[]> {
  return api.get<readonly TreeNode[]>('perms/users/assets/tree/', {
    query: { search: text },
    signal,
    quiet: true,
  });
}

/** Reads one granted asset; an empty list if the asset is not granted. */
export function loadAsset(id: string): Promise<readonly TreeNode[]> {
  return api.get<readonly TreeNode[]>('perms/users/assets/tree/', { query: { id }, quiet: true });
}
