import { Loader, Text } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { type Ref, useEffect, useRef } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import styles from './NodeTree.module.css';
import { TreeRow } from './TreeRow.tsx';
import { type NodeTreeProps, useNodeTree } from './useNodeTree.ts';
import { words } from './words.ts';

/** A lazy, virtualized tree of nodes with full keyboard support. */
export function NodeTree(props: NodeTreeProps) {
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
