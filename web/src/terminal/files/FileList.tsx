// biome-ignore-all lint/a11y/useSemanticElements: virtual rows cannot be those of a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the list is focused and names the active row
import type { LocalText } from '@sallyport/contract';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { useRowsInSight } from '../../kit/useRowsInSight.ts';
import { IconArrowDown, IconArrowUp } from '../icons.ts';
import type { FileItem, Sorting, SortKey } from './entries.ts';
import { FileRow, ROW, type RowTools } from './FileRow.tsx';
import styles from './Files.module.css';
import { words } from './words.ts';

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

interface Props extends RowTools {
  /** In display order. */
  readonly items: readonly FileItem[];
  readonly label: string;
  readonly sorting: Sorting;
  readonly onSort: (key: SortKey) => void;
  /** Handles keys that the list does not handle; returns true if it did. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Handles the keys that move through the list, select, open, and show the menu. */
function handleListKey(event: KeyboardEvent<HTMLElement>, active: number, list: Props) {
  const { items, tools, onOpen, onMenu, onKey } = list;
  const scroller = event.currentTarget;
  const step = (index: number) => {
    const item = items[Math.min(Math.max(index, 0), items.length - 1)];
    if (!item) return;
    if (event.shiftKey) tools.extend(item.name);
    else if (event.ctrlKey || event.metaKey) tools.move(item.name);
    else tools.only(item.name);
  };
  const page = Math.max(1, Math.floor(scroller.clientHeight / ROW) - 1);
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
  if (move !== undefined) step(move);
  else if (event.key === ' ' && current) tools.toggle(current.name);
  else if (event.key === 'Enter' && current) onOpen(current);
  else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
    const { left, top } = scroller.getBoundingClientRect();
    onMenu(current ?? null, left + 48, top + (active + 2) * ROW - scroller.scrollTop);
  } else if (!onKey(event)) return;
  event.preventDefault();
}

function Head({ sorting, onSort }: Pick<Props, 'sorting' | 'onSort'>) {
  const Arrow = sorting.descending ? IconArrowDown : IconArrowUp;
  return (
    <div role="row" aria-rowindex={1} className={styles.head}>
      {COLUMNS.map(({ key, label, wide }) => {
        const isSorted = sorting.key === key;
        return (
          <div
            key={key}
            role="columnheader"
            data-column={key}
            data-wide={wide}
            aria-sort={isSorted ? (sorting.descending ? 'descending' : 'ascending') : undefined}
          >
            <button type="button" onClick={() => onSort(key)}>
              {t(label)}
              {isSorted ? <Arrow size={13} aria-hidden="true" /> : null}
            </button>
          </div>
        );
      })}
    </div>
  );
}

/** The entries of a folder; only the rows in sight are drawn. */
export function FileList(list: Props) {
  const { items, label, tools, onMenu } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const sight = useRowsInSight(scroller, items.length, ROW);
  const active = items.findIndex(({ name }) => name === tools.selection.active);
  const { scrollTo } = sight;
  useEffect(() => {
    if (active >= 0) scrollTo(active);
  }, [active, scrollTo]);

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
      onKeyDown={(event) => handleListKey(event, active, list)}
      onContextMenu={(event) => {
        if (event.defaultPrevented) return;
        event.preventDefault();
        onMenu(null, event.clientX, event.clientY);
      }}
    >
      <Head {...list} />
      <div role="rowgroup" className={styles.rows} style={{ height: sight.total }}>
        {items.slice(sight.first, sight.last + 1).map((item, offset) => {
          const index = sight.first + offset;
          return (
            <FileRow key={item.name} id={`${id}-${index}`} index={index} item={item} list={list} />
          );
        })}
      </div>
    </div>
  );
}
