// biome-ignore-all lint/a11y/useSemanticElements: virtual rows cannot be those of a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the list is focused and names the active row
import { ActionIcon } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useId,
  useRef,
} from 'react';
import { t } from '../../kit/i18n/index.ts';
import { useRowsInSight } from '../../kit/useRowsInSight.ts';
import { IconArrowDown, IconArrowUp, IconDots } from '../icons.ts';
import {
  type FileItem,
  modeText,
  type Sorting,
  type SortKey,
  shownName,
  sizeText,
} from './entries.ts';
import { FileIcon } from './FileIcon.tsx';
import styles from './Files.module.css';
import type { SelectionTools } from './useSelection.ts';
import { words } from './words.ts';

const ROW = 36;
const DATE = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
const KINDS: Readonly<Record<FileItem['kind'], LocalText>> = {
  file: words.kindFile,
  folder: words.kindFolder,
  link: words.kindLink,
  other: words.kindOther,
};
const COLUMNS: readonly {
  readonly key: SortKey;
  readonly label: LocalText;
  readonly wide?: true;
}[] = [
  { key: 'name', label: words.name },
  { key: 'size', label: words.size },
  { key: 'modifiedAt', label: words.modified, wide: true },
  { key: 'owner', label: words.owner, wide: true },
  { key: 'mode', label: words.mode, wide: true },
];

export interface FileListProps {
  /** In display order. */
  readonly items: readonly FileItem[];
  readonly label: string;
  readonly sorting: Sorting;
  readonly onSort: (key: SortKey) => void;
  readonly tools: SelectionTools;
  /** Names that are cut, and about to be moved. */
  readonly cut: ReadonlySet<string>;
  readonly onOpen: (item: FileItem) => void;
  readonly onMenu: (item: FileItem | null, x: number, y: number) => void;
  /** Handles keys that the list does not handle; returns true if it did. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly drag: {
    readonly start: (event: DragEvent, item: FileItem) => void;
    readonly over: (event: DragEvent, folder: FileItem | null) => void;
    readonly drop: (event: DragEvent, folder: FileItem | null) => void;
    /** The folder that a drop would go to. */
    readonly target: string | null;
  };
}

/** The entries of a folder; only the rows in sight are drawn. */
export function FileList({
  items,
  label,
  sorting,
  onSort,
  tools,
  cut,
  onOpen,
  onMenu,
  onKey,
  drag,
}: FileListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const sight = useRowsInSight(scroller, items.length, ROW);
  const { selection } = tools;
  const active = items.findIndex(({ name }) => name === selection.active);
  const { scrollTo } = sight;
  useEffect(() => {
    if (active >= 0) scrollTo(active);
  }, [active, scrollTo]);

  const step = (event: KeyboardEvent, index: number) => {
    const item = items[Math.min(Math.max(index, 0), items.length - 1)];
    if (!item) return;
    if (event.shiftKey) tools.extend(item.name);
    else if (event.ctrlKey || event.metaKey) tools.move(item.name);
    else tools.only(item.name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / ROW) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active < 0 ? items.length - 1 : active - 1,
      Home: 0,
      End: items.length - 1,
      PageDown: active + page,
      PageUp: active - page,
    };
    const move = moves[event.key];
    const current = items[active];
    if (move !== undefined) step(event, move);
    else if (event.key === ' ' && current) tools.toggle(current.name);
    else if (event.key === 'Enter' && current) onOpen(current);
    else if (
      (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) &&
      scroller.current
    ) {
      const { left, top } = scroller.current.getBoundingClientRect();
      onMenu(current ?? null, left + 48, top + (active + 2) * ROW - scroller.current.scrollTop);
    } else if (!onKey(event)) return;
    event.preventDefault();
  };
  const press = (event: MouseEvent, { name }: FileItem) => {
    if (event.shiftKey) tools.extend(name);
    else if (event.ctrlKey || event.metaKey) tools.toggle(name);
    else tools.only(name);
  };

  return (
    <div
      ref={scroller}
      className={styles.list}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable="true"
      aria-rowcount={items.length + 1}
      aria-colcount={COLUMNS.length}
      aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        if (event.defaultPrevented) return;
        event.preventDefault();
        onMenu(null, event.clientX, event.clientY);
      }}
    >
      <div role="row" aria-rowindex={1} className={styles.head}>
        {COLUMNS.map(({ key, label: title, wide }) => {
          const isSorted = sorting.key === key;
          const Arrow = sorting.descending ? IconArrowDown : IconArrowUp;
          return (
            <div
              key={key}
              role="columnheader"
              data-column={key}
              data-wide={wide}
              aria-sort={isSorted ? (sorting.descending ? 'descending' : 'ascending') : undefined}
            >
              <button type="button" onClick={() => onSort(key)}>
                {t(title)}
                {isSorted ? <Arrow size={13} aria-hidden="true" /> : null}
              </button>
            </div>
          );
        })}
      </div>
      <div role="rowgroup" className={styles.rows} style={{ height: sight.total }}>
        {items.slice(sight.first, sight.last + 1).map((item, offset) => {
          const index = sight.first + offset;
          const { name, kind } = item;
          const folder = kind === 'folder' ? item : null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the list
            <div
              key={name}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selection.names.has(name)}
              className={styles.row}
              data-active={index === active || undefined}
              data-cut={cut.has(name) || undefined}
              data-target={drag.target === name || undefined}
              style={{ top: index * ROW, height: ROW }}
              draggable
              onClick={(event) => press(event, item)}
              onDoubleClick={() => onOpen(item)}
              onContextMenu={(event) => {
                event.preventDefault();
                if (!selection.names.has(name)) tools.only(name);
                onMenu(item, event.clientX, event.clientY);
              }}
              onDragStart={(event) => drag.start(event, item)}
              onDragOver={(event) => drag.over(event, folder)}
              onDrop={(event) => drag.drop(event, folder)}
            >
              <div role="gridcell" data-column="name" className={styles.nameCell}>
                <FileIcon item={item} />
                <span className={styles.srOnly}>{t(KINDS[kind])} </span>
                <button
                  type="button"
                  tabIndex={-1}
                  className={styles.name}
                  title={shownName(name)}
                  onClick={(event) => {
                    if (event.shiftKey || event.ctrlKey || event.metaKey) return;
                    event.stopPropagation();
                    tools.only(name);
                    onOpen(item);
                  }}
                  onDoubleClick={(event) => event.stopPropagation()}
                >
                  {shownName(name)}
                </button>
                <ActionIcon
                  className={styles.rowMenu}
                  variant="subtle"
                  color="gray"
                  size={28}
                  tabIndex={-1}
                  aria-label={`${t(words.more)}: ${shownName(name)}`}
                  onClick={(event) => {
                    event.stopPropagation();
                    if (!selection.names.has(name)) tools.only(name);
                    const { left, bottom } = event.currentTarget.getBoundingClientRect();
                    onMenu(item, left, bottom);
                  }}
                >
                  <IconDots size={16} />
                </ActionIcon>
              </div>
              <div role="gridcell" data-column="size">
                {kind === 'file' ? sizeText(item.size) : ''}
              </div>
              <div role="gridcell" data-column="modifiedAt" data-wide>
                {item.modifiedAt > 0 ? DATE.format(item.modifiedAt * 1000) : ''}
              </div>
              <div
                role="gridcell"
                data-column="owner"
                data-wide
                title={`${item.owner}:${item.group}`}
              >
                {item.owner}
              </div>
              <div role="gridcell" data-column="mode" data-wide className="mono">
                {modeText(kind, item.mode)}
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}
