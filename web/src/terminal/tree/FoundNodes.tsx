import { ActionIcon, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconArrowLeft, IconFolder } from '../icons.ts';
import { words } from '../words.ts';
import styles from './AssetTree.module.css';
import { AssetTree } from './AssetTree.tsx';
import { loadBelow } from './load-branch.ts';
import { step } from './SearchResults.tsx';
import type { FoundNode } from './tree-rows.ts';

const MOST_NODES = 8;

/** The nodes that a search found, above its assets. */
export function FoundNodes({
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
export function BelowNode({
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
