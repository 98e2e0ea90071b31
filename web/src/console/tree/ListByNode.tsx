import type { ReactNode } from 'react';
import { useGo, usePath, useSearchRecord } from '../base/navigation.tsx';
import { FilteredTree } from './FilteredTree.tsx';
import { type NodeData, withAssets } from './node-data.ts';
import { TreePane } from './TreePane.tsx';
import { useAssetTree } from './useAssetTree.ts';
import { useChosenNode } from './useChosenNode.ts';

/**
 * Query parameters of the tree: the chosen node, and the chosen asset by its position in the tree.
 */
export const NODE_NAMES = ['node', 'host'];

interface ListByNodeProps {
  /**
   * Renders the list of the chosen node. Use the node as React key: another node is another list.
   */
  readonly children: (node: string | undefined, asset: string | undefined) => ReactNode;
  /** Renders an asset; assets are then leaves of the tree and can be chosen. */
  readonly drawLeaf?: (node: NodeData) => ReactNode;
}

/**
 * A list with the asset tree on its left. The address holds the chosen node; a second click on that
 * node shows all rows.
 */
export function ListByNode({ children, drawLeaf }: ListByNodeProps) {
  const { node, host, ...search } = useSearchRecord();
  const chosen = host ?? node;
  const path = usePath();
  const go = useGo();
  const tree = useAssetTree(drawLeaf && withAssets);
  const { keep, ...kept } = useChosenNode(chosen);
  return (
    <TreePane
      {...kept}
      onRefresh={() => void tree.refresh()}
      tree={
        <FilteredTree
          loader={tree.loader}
          find={tree.find}
          selected={chosen}
          onReady={tree.ready}
          drawLeaf={drawLeaf}
          onSelect={(one) => {
            keep(one);
            const { id, asset } = one;
            // A new node starts at the first page.
            const { page: _page, ...others } = search;
            void go(path, {
              search: { ...others, ...(id !== chosen && { [asset ? 'host' : 'node']: id }) },
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
