import { TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import type { FindNodes } from './found/FoundNodes.tsx';
import { FoundNodes } from './found/FoundNodes.tsx';
import { NodeTree } from './NodeTree.tsx';
import type { NodeTreeProps } from './useNodeTree.ts';
import { words } from './words.ts';

/**
 * A tree with a search box. While a search is active, a second tree shows matching nodes with their
 * ancestors; the whole tree stays mounted and keeps its state.
 */
export function FilteredTree({ find, ...tree }: NodeTreeProps & { readonly find: FindNodes }) {
  const [text, setText] = useState('');
  const isFiltered = text.trim() !== '';
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
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
