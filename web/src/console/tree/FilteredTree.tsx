import { Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useMergedRef } from '@mantine/hooks';
import { node, TREE_FOUND_MAX, type TreeNode } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type Ref, useEffect, useMemo, useRef, useState } from 'react';
import { SEARCH_DELAY } from '../../kit/api.ts';
import { isComposing } from '../../kit/composing.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { cacheKey } from '../resource/source.ts';
import styles from './NodeTree.module.css';
import { type NodeData, type NodeLoader, parentKey, TREE_ROOT, toData } from './node-data.ts';
import { TreeRow } from './TreeRow.tsx';
import { type NodeTreeProps, useNodeTree } from './useNodeTree.ts';
import { words } from './words.ts';

/**
 * A tree with a search box. While a search is active, a second tree shows matching nodes with their
 * ancestors; the whole tree stays mounted and keeps its state.
 */
export function FilteredTree({ find, ...tree }: NodeTreeProps & { readonly find: FindNodes }) {
  const [text, setText] = useState('');
  const isFiltered = text.trim() !== '';
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (isComposing(event)) return;
    if (event.key === 'Escape' && text) {
      event.stopPropagation();
      setText('');
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      const rows =
        event.currentTarget
          .closest('[data-tree]')
          ?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [];
      [...rows].find((row) => row.offsetParent)?.focus();
    }
  }
  return (
    <div data-tree style={{ display: 'contents' }}>
      <TextInput
        type="search"
        size="xs"
        m={4}
        maxLength={128}
        aria-label={t(words.filter)}
        placeholder={t(words.filter)}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <NodeTree {...tree} isHidden={isFiltered} />
      {isFiltered && <FoundNodes {...tree} text={text} find={find} />}
    </div>
  );
}

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
  if (!loader)
    return isError ? <Text m="md">{t(words.treeFailed)}</Text> : <Loader size="sm" m="md" />;
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

/**
 * Loads a tree of matching nodes with all ancestors open. Children of a match load when the user
 * opens it. The first load uses the given answer; a reload repeats the search.
 */
export function createFoundLoader(
  answer: readonly TreeNode[],
  find: () => Promise<readonly TreeNode[]>,
  whole: NodeLoader,
): NodeLoader {
  let waiting: readonly TreeNode[] | undefined = answer;
  let below = new Map<string, NodeData[]>();
  const opened = new Map<string, NodeData>();

  async function read(): Promise<void> {
    const nodes = whole.remember((waiting ?? (await find())).flatMap(toData));
    waiting = undefined;
    const parents = new Set(nodes.map(({ key }) => parentKey(key)));
    below = new Map([...parents].map((parent) => [parent, []]));
    for (const node of nodes) {
      const data = { ...node, open: parents.has(node.key) };
      opened.set(node.id, data);
      below.get(parentKey(node.key))?.push(data);
    }
  }
  const known = (id: string) => opened.get(id) ?? whole.known(id);

  return {
    known,
    remember: whole.remember,
    getItem: async (id) => known(id) ?? whole.getItem(id),
    getChildrenWithData: async (id) => {
      if (id === TREE_ROOT) await read();
      const ready = below.get(id === TREE_ROOT ? '' : (known(id)?.key ?? ''));
      return id === TREE_ROOT || ready
        ? (ready ?? []).map((data) => ({ id: data.id, data }))
        : whole.getChildrenWithData(id);
    },
  };
}

/** A lazy, virtualized tree of nodes with full keyboard support. */
function NodeTree(props: NodeTreeProps) {
  const { chosen, onReady, isHidden = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { tree, items, sight, loaded, onDropCapture } = useNodeTree(props, scroller);
  // The tree listens for keys on its container, and the virtualizer measures it: both need the
  // element.
  const container: { readonly ref?: Ref<HTMLDivElement> } = tree.getContainerProps(t(words.tree));
  const registered = useMergedRef(container.ref ?? null, scroller);
  useEffect(() => onReady?.(tree), [onReady, tree]);
  return (
    <div
      {...container}
      className={styles.tree}
      ref={registered}
      style={isHidden ? { display: 'none' } : {}}
      {...(chosen && { 'aria-multiselectable': true })}
      onDropCapture={onDropCapture}
    >
      {items.length === 0 &&
        (loaded ? (
          <Text component="div" c="dimmed" fz="sm" m="md">
            {t(common.none)}
          </Text>
        ) : (
          <Loader size="sm" m="md" />
        ))}
      <div role="presentation" style={{ height: sight.total, position: 'relative' }}>
        {items.slice(sight.first, sight.last + 1).map((item, offset) => (
          <TreeRow key={item.getId()} item={item} index={sight.first + offset} tree={props} />
        ))}
      </div>
    </div>
  );
}
