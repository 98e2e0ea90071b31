import { Loader, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { node, TREE_FOUND_MAX, type TreeNode } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { SEARCH_DELAY } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { cacheKey } from '../../resource/source.ts';
import { NodeTree } from '../NodeTree.tsx';
import type { NodeTreeProps } from '../useNodeTree.ts';
import { createFoundLoader } from './found-loader.ts';
import { words } from './words.ts';

/** Finds nodes by words of their paths; the result includes all ancestors. */
export type FindNodes = (words: string) => Promise<readonly TreeNode[]>;

/** The part of a tree that matches a search. */
export function FoundNodes({
  text,
  find,
  loader: whole,
  ...tree
}: NodeTreeProps & { readonly text: string; readonly find: FindNodes }) {
  const [settled] = useDebouncedValue(text.trim(), SEARCH_DELAY);
  const { data, isError } = useQuery({
    queryKey: [...cacheKey(node), 'found', settled],
    queryFn: async () => ({ text: settled, nodes: await find(settled) }),
    placeholderData: keepPreviousData,
    enabled: settled !== '',
    gcTime: 0,
  });
  const loader = useMemo(
    () => data && createFoundLoader(data.nodes, () => find(data.text), whole),
    [data, find, whole],
  );
  if (!loader) return isError ? <Text m="md">{t(words.failed)}</Text> : <Loader size="sm" m="md" />;
  return (
    <>
      <Text component="div" role="status" fz="xs" c="dimmed" px={8}>
        {data?.nodes.length === 0 && t(words.noneFound)}
        {(data?.nodes.length ?? 0) >= TREE_FOUND_MAX &&
          t(words.firstFound, { count: TREE_FOUND_MAX })}
      </Text>
      {data?.nodes.length !== 0 && <NodeTree key={data?.text} loader={loader} {...tree} />}
    </>
  );
}
