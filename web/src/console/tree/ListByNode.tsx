import type { ReactNode } from 'react';
import { useGo, usePath, useSearchRecord } from '../base/navigation.tsx';
import { withAssets } from './asset-leaves.ts';
import { FilteredTree } from './FilteredTree.tsx';
import type { NodeData } from './node-data.ts';
import { TreePane } from './TreePane.tsx';
import { useAssetTree } from './useAssetTree.ts';

/** The names in the address that belong to the tree: the chosen node, and the chosen asset by its place in the tree. */
export const NODE_NAMES = ['node', 'host'];

interface ListByNodeProps {
  /** The list for the chosen node; give it the node as key, because another node is another list. */
  readonly children: (node: string | undefined, asset: string | undefined) => ReactNode;
  /** Draws the assets: they are the leaves of the tree then, and one of them can be chosen. */
  readonly drawLeaf?: (node: NodeData) => ReactNode;
}

/** A list with the tree of asset nodes at its left. The address names the chosen node; choosing that one again shows all. */
export function ListByNode({ children, drawLeaf }: ListByNodeProps) {
  const { node, host, ...search } = useSearchRecord();
  const chosen = host ?? node;
  const path = usePath();
  const go = useGo();
  const tree = useAssetTree(drawLeaf && withAssets);
  return (
    <TreePane
      onRefresh={() => void tree.refresh()}
      tree={
        <FilteredTree
          loader={tree.loader}
          find={tree.find}
          selected={chosen}
          onReady={tree.ready}
          drawLeaf={drawLeaf}
          onSelect={({ id, asset }) => {
            // Another node is another list: its first page.
            const { page: _page, ...kept } = search;
            void go(path, {
              search: { ...kept, ...(id !== chosen && { [asset ? 'host' : 'node']: id }) },
              replace: true,
            });
          }}
        />
      }
    >
      {children(node, host?.split(':').at(-1))}
    </TreePane>
  );
}
