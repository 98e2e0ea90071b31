import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { words } from '../words.ts';
import styles from './AssetTree.module.css';
import { BelowNode, FoundNodes } from './FoundNodes.tsx';
import { searchAssets, searchNodes } from './load-branch.ts';
import { Notice, type PartProps, Waiting } from './PanelNotice.tsx';
import { SearchResults } from './SearchResults.tsx';
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
