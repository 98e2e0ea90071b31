import type { TreeInstance } from '@headless-tree/core';
import { Button, Loader } from '@mantine/core';
import {
  asset,
  type GrantedAsset,
  type GrantedSystemUser,
  type TreeNode,
} from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { cacheKey, type Source } from '../../resource/source.ts';
import { NodeTree } from '../../tree/NodeTree.tsx';
import { createNodeLoader, type NodeData, TREE_ROOT } from '../../tree/node-data.ts';
import { TreePane } from '../../tree/TreePane.tsx';
import { words } from './words.ts';

/** System users that a user may use on an asset; loaded on request. */
export function SystemUserNames({ url }: { readonly url: string }) {
  const [wanted, setWanted] = useState(false);
  const query = useQuery({
    queryKey: ['granted-system-users', url],
    queryFn: ({ signal }) => api.get<readonly GrantedSystemUser[]>(url, { signal }),
    enabled: wanted,
  });
  if (!wanted) {
    return (
      <Button size="compact-xs" variant="subtle" onClick={() => setWanted(true)}>
        {t(words.showNames)}
      </Button>
    );
  }
  if (query.isPending) return <Loader size={12} />;
  return query.data?.map(({ name }) => name).join(', ') || t(common.none);
}

/**
 * Assets granted to a user or a group: the tree, and the assets of the selected node. `base` is the
 * API path of the user or group.
 */
export function GrantedAssets({ base }: { readonly base: string }) {
  const client = useQueryClient();
  const tree = useRef<TreeInstance<NodeData>>(undefined);
  const [chosen, setChosen] = useState<string>();
  const loader = useMemo(
    () =>
      createNodeLoader((key) =>
        api.get<readonly TreeNode[]>(`${base}/nodes/children/tree/`, { query: { key } }),
      ),
    [base],
  );
  const ready = useCallback((instance: TreeInstance<NodeData>) => {
    tree.current = instance;
    return undefined;
  }, []);
  const source: Source = {
    name: 'granted_asset',
    path: chosen ? `${base}/nodes/${chosen}/assets` : `${base}/assets`,
    title: words.grantedAssets,
    labelField: 'hostname',
    fields: asset.fields,
  };

  async function refresh() {
    for (const id of [TREE_ROOT, ...(tree.current?.getState().expandedItems ?? [])])
      await tree.current?.getItemInstance(id).invalidateChildrenIds(true);
    await client.invalidateQueries({ queryKey: cacheKey({ path: base }) });
  }

  return (
    <TreePane
      onRefresh={() => void refresh().catch(() => undefined)}
      tree={
        <NodeTree
          loader={loader}
          selected={chosen}
          onReady={ready}
          onSelect={(node) => setChosen(node.id === chosen ? undefined : node.id)}
        />
      }
    >
      <ResourceList<GrantedAsset>
        key={chosen ?? ''}
        source={source}
        embedded
        base={{ all: 1 }}
        searchBy={[
          { name: 'hostname', label: t(words.hostname) },
          { name: 'ip', label: 'IP' },
          { name: 'comment', label: t(words.comment) },
        ]}
        columns={[
          { name: 'hostname' },
          { name: 'ip', mono: true },
          {
            name: 'system_users',
            label: words.systemUsers,
            cell: (row) => <SystemUserNames url={`${base}/assets/${row.id}/system-users/`} />,
          },
        ]}
      />
    </TreePane>
  );
}
