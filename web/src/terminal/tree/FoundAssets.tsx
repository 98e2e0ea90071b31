import { ActionIcon, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useEffectEvent, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { IconArrowLeft, IconFolder } from '../icons.ts';
import { words } from '../words.ts';
import styles from './AssetTree.module.css';
import { AssetTree } from './AssetTree.tsx';
import { loadBelow, searchAssets, searchNodes } from './load-branch.ts';
import { Notice, type PartProps, Waiting } from './PanelNotice.tsx';
import { SearchResults, step } from './SearchResults.tsx';
import { type FoundNode, foundNodes, groupFound } from './tree-rows.ts';

const NOTHING: readonly never[] = [];

interface FoundProps extends PartProps {
  readonly text: string;
  /** The user pressed Enter for this text: connect to the first hit when it arrives. */
  readonly connectFirst: boolean;
  readonly onConnected: () => void;
  readonly onClear: () => void;
  readonly favoritesVersion: number;
}

export function Found({
  text,
  connectFirst,
  onConnected,
  onClear,
  favoritesVersion,
  ...part
}: FoundProps) {
  const { data, isPending, error, refetch } = useQuery({
    queryKey: ['granted-search', text],
    queryFn: async ({ signal }) => {
      const [assets, nodes] = await Promise.all([
        searchAssets(text, signal),
        searchNodes(text, signal),
      ]);
      return { groups: groupFound(assets), nodes: foundNodes(nodes, text) };
    },
  });
  const { groups = NOTHING, nodes = NOTHING } = data ?? {};
  const [below, setBelow] = useState<FoundNode>();
  const connect = useEffectEvent(() => {
    const first = groups.flatMap(({ assets }) => assets).find(({ usable }) => usable);
    onConnected();
    if (first) part.onConnect(first);
    else setBelow(nodes[0]);
  });
  useEffect(() => {
    if (connectFirst && data) connect();
  }, [connectFirst, data]);
  if (isPending) return <Waiting />;
  if (error)
    return (
      <Notice
        title={t(words.treeFailed)}
        hint={error.message}
        action={t(common.retry)}
        onAction={() => void refetch()}
      />
    );
  if (below)
    return (
      <BelowNode
        node={below}
        onBack={() => setBelow(undefined)}
        favoritesVersion={favoritesVersion}
        {...part}
      />
    );
  const count = groups.reduce((sum, { assets }) => sum + assets.length, nodes.length);
  if (count === 0)
    return (
      <Notice title={t(words.nothingFound)} action={t(words.clearSearch)} onAction={onClear} />
    );
  return (
    <div data-results className={styles.rows}>
      <Text size="xs" c="dimmed" px={12} py={6} role="status">
        {t(words.searchResults, { count })}
      </Text>
      {nodes.length > 0 && <FoundNodes nodes={nodes} onOpen={setBelow} />}
      <SearchResults groups={groups} {...part} />
    </div>
  );
}

const MOST_NODES = 8;

/** The nodes that a search found, above its assets. */
function FoundNodes({
  nodes,
  onOpen,
}: {
  readonly nodes: readonly FoundNode[];
  readonly onOpen: (node: FoundNode) => void;
}) {
  return (
    <ul aria-label={t(words.foundNodes)} className={styles.nodes}>
      {nodes.slice(0, MOST_NODES).map((node) => (
        <li key={node.key}>
          <button
            type="button"
            className={styles.foundNode}
            data-kind="node"
            title={node.path}
            onClick={() => onOpen(node)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') step(event, 1);
              else if (event.key === 'ArrowUp') step(event, -1);
            }}
          >
            <IconFolder size={16} className={styles.icon} aria-hidden="true" />
            <span className={styles.name}>{node.path}</span>
            <span className={styles.count}>{node.count}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

type TreeParts = Omit<ComponentProps<typeof AssetTree>, 'first'>;

/** Contents of a found node, and the way back to the search results. */
function BelowNode({
  node,
  onBack,
  ...part
}: { readonly node: FoundNode; readonly onBack: () => void } & TreeParts) {
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['granted-below', node.key],
    queryFn: ({ signal }) => loadBelow(node.key, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <div className={styles.below}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={26}
          aria-label={t(words.backToFound)}
          onClick={onBack}
        >
          <IconArrowLeft size={16} />
        </ActionIcon>
        <Text size="xs" truncate title={node.path}>
          {node.path}
        </Text>
      </div>
      {data && <AssetTree key={dataUpdatedAt} first={data} {...part} />}
    </>
  );
}
