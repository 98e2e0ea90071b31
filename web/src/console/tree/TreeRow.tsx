import type { ItemInstance } from '@headless-tree/core';
import { ActionIcon, TextInput } from '@mantine/core';
import type { KeyboardEvent, MouseEvent } from 'react';
import { formatNumber } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import {
  IconChevronDown,
  IconChevronRight,
  IconDots,
  IconFolder,
  IconFolderOpen,
} from '../../kit/icons.ts';
import styles from './NodeTree.module.css';
import type { NodeData } from './node-data.ts';
import { INDENT, type NodeTreeProps, ROW_HEIGHT } from './useNodeTree.ts';
import { words } from './words.ts';

type Shared = 'selected' | 'onSelect' | 'onMenu' | 'chosen' | 'drawLeaf';

interface TreeRowProps {
  readonly tree: Pick<NodeTreeProps, Shared>;
  readonly item: ItemInstance<NodeData>;
  /** Position among the visible rows of the whole tree. */
  readonly index: number;
}

/** Opens and closes a node. */
function Toggle({ item }: Pick<TreeRowProps, 'item'>) {
  const isOpen = item.isExpanded();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <ActionIcon
      size="xs"
      variant="transparent"
      color="gray"
      tabIndex={-1}
      loading={item.isLoading()}
      aria-label={t(isOpen ? words.collapse : words.expand, { name: item.getItemData().value })}
      onClick={(event) => {
        event.stopPropagation();
        if (isOpen) item.collapse();
        else item.expand();
      }}
    >
      <Chevron size={14} />
    </ActionIcon>
  );
}

/** One row of the tree: a node with its icon, name, count and menu. */
export function TreeRow({ item, index, tree }: TreeRowProps) {
  const { selected, onSelect, onMenu, chosen, drawLeaf } = tree;
  const node = item.getItemData();
  const isOpen = item.isExpanded();
  const Icon = isOpen ? IconFolderOpen : IconFolder;

  function openMenu(event: MouseEvent) {
    if (!onMenu) return;
    event.preventDefault();
    event.stopPropagation();
    // The menu key sends an event without coordinates: use the row's position.
    const box = event.currentTarget.getBoundingClientRect();
    const byKeyboard = event.clientX === 0 && event.clientY === 0;
    onMenu({
      node: item.getItemData(),
      x: byKeyboard ? box.left + 24 : event.clientX,
      y: byKeyboard ? box.bottom : event.clientY,
    });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (item.isRenaming() || event.target !== event.currentTarget) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onSelect(item.getItemData());
    }
  }

  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree sets tabIndex, so that one row at a time is in the tab order
    <div
      {...item.getProps()}
      role="treeitem"
      className={`${styles.row} ${selected === item.getId() ? styles.selected : ''} ${item.isDragTarget() ? styles.target : ''}`}
      style={{
        transform: `translateY(${index * ROW_HEIGHT}px)`,
        paddingLeft: item.getItemMeta().level * INDENT,
      }}
      aria-selected={chosen?.has(item.getId()) ?? selected === item.getId()}
      onClick={() => {
        item.setFocused();
        if (!item.isRenaming()) onSelect(node);
      }}
      // Keys act on the focused row, even if it got the focus without a click.
      onFocus={() => {
        if (!item.isFocused()) item.setFocused();
      }}
      onKeyDown={onKeyDown}
      onContextMenu={openMenu}
      title={node.value}
    >
      {item.isFolder() ? <Toggle item={item} /> : <span style={{ width: 18 }} />}
      {chosen && (
        <input
          type="checkbox"
          tabIndex={-1}
          aria-hidden="true"
          checked={chosen.has(item.getId())}
          readOnly
        />
      )}
      {drawLeaf?.(node) ?? <Icon size={16} aria-hidden="true" style={{ flex: 'none' }} />}
      {item.isRenaming() ? (
        <TextInput
          {...item.getRenameInputProps()}
          size="xs"
          flex={1}
          maxLength={128}
          aria-label={t(words.newName)}
          onClick={(event: MouseEvent) => event.stopPropagation()}
        />
      ) : (
        <>
          <span className={styles.name}>{node.value}</span>{' '}
          {!node.asset && (
            <span className={`${styles.count} mono`}>({formatNumber(node.amount)})</span>
          )}
          {onMenu && (
            <ActionIcon
              className={styles.more}
              size="sm"
              variant="subtle"
              color="gray"
              tabIndex={-1}
              aria-label={t(words.menuOf, { name: node.value })}
              onClick={(event) => openMenu(event)}
            >
              <IconDots size={14} />
            </ActionIcon>
          )}
        </>
      )}
    </div>
  );
}
