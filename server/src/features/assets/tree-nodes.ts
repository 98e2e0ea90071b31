import type { TreeNode } from '@sallyport/contract';

/** A node as a tree item. Its key is the id, and its name includes the count. */
export function nodeLeaf(node: {
  id: string;
  key: string;
  value: string;
  assets_amount: number;
  has_children?: boolean;
}): TreeNode {
  const above = node.key.lastIndexOf(':');
  const name = `${node.value} (${node.assets_amount})`;
  return {
    id: node.key,
    name,
    title: name,
    pId: above < 0 ? '' : node.key.slice(0, above),
    isParent: node.has_children ?? true,
    open: above < 0 && !node.key.startsWith('-'),
    iconSkin: '',
    nocheck: false,
    meta: {
      type: 'node',
      node: {
        id: node.id,
        key: node.key,
        value: node.value,
        name: node.value,
        assets_amount: node.assets_amount,
      },
    },
  };
}

export interface LeafAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly protocols: readonly string[];
  readonly platform: string;
  readonly base: string;
  readonly domain: string | null;
  readonly org_id: string;
  readonly org_name: string;
  readonly reachability?: 0 | 1 | 2;
}

/** An asset as a tree item below the node with this key. */
export function assetLeaf(asset: LeafAsset, parentKey: string): TreeNode {
  const { base, ...rest } = asset;
  return {
    id: asset.id,
    name: asset.hostname,
    title: asset.ip,
    pId: parentKey,
    isParent: false,
    open: false,
    iconSkin:
      base === 'Windows'
        ? 'windows'
        : ['Linux', 'Unix', 'BSD', 'MacOS'].includes(base)
          ? 'linux'
          : 'file',
    nocheck: !asset.protocols.some((protocol) => protocol.startsWith('ssh/')),
    meta: { type: 'asset', asset: rest },
  };
}
