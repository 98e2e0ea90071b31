// biome-ignore-all lint/a11y/useSemanticElements: virtual rows cannot be those of a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the list is focused and names the active row
import { ActionIcon } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import type { DragEvent, MouseEvent } from 'react';
import { sizeText } from '../../kit/format/size.ts';
import { t } from '../../kit/i18n/index.ts';
import {
  IconDots,
  IconFile,
  IconFileDots,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconFolder,
  IconLink,
  IconPhoto,
} from '../icons.ts';
import { type FileItem, modeText, shownName, viewerOf } from './entries.ts';
import styles from './Files.module.css';
import type { SelectionTools } from './useSelection.ts';
import { words } from './words.ts';

/** Height in pixels. */
export const ROW = 36;
const DATE = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
const KINDS: Readonly<Record<FileItem['kind'], LocalText>> = {
  file: words.kindFile,
  folder: words.kindFolder,
  link: words.kindLink,
  other: words.kindOther,
};

/** The state and actions that all rows of a list share. */
export interface RowTools {
  readonly tools: SelectionTools;
  /** Names that are cut, and about to be moved. */
  readonly cut: ReadonlySet<string>;
  readonly onOpen: (item: FileItem) => void;
  readonly onMenu: (item: FileItem | null, x: number, y: number) => void;
  readonly drag: {
    readonly start: (event: DragEvent, item: FileItem) => void;
    readonly over: (event: DragEvent, folder: FileItem | null) => void;
    readonly drop: (event: DragEvent, folder: FileItem | null) => void;
    /** The folder that a drop would go to. */
    readonly target: string | null;
  };
}

/** Icon of a file's kind; the type column names the kind. */
function FileIcon({ item: { kind, name } }: { readonly item: FileItem }) {
  const viewer = kind === 'file' ? viewerOf(name) : undefined;
  const Icon =
    kind === 'folder'
      ? IconFolder
      : kind === 'link'
        ? IconLink
        : kind === 'other'
          ? IconFileDots
          : viewer === 'image'
            ? IconPhoto
            : viewer === 'pdf'
              ? IconFileTypePdf
              : viewer === 'text'
                ? IconFileText
                : /\.(zip|t?gz|bz2|xz|zst|7z|rar|tar)$/i.test(name)
                  ? IconFileZip
                  : IconFile;
  return <Icon size={18} className={styles.icon} data-kind={kind} aria-hidden="true" />;
}

interface Props {
  readonly item: FileItem;
  /** Position in the list, from 0. */
  readonly index: number;
  readonly id: string;
  readonly list: RowTools;
}

/** The name opens the item. Its menu is shown by the keyboard, the right click or the button. */
function NameCell({ item, list }: Pick<Props, 'item' | 'list'>) {
  const { tools, onOpen, onMenu } = list;
  const name = shownName(item.name);
  return (
    <div role="gridcell" data-column="name" className={styles.nameCell}>
      <FileIcon item={item} />
      <span className={styles.srOnly}>{t(KINDS[item.kind])} </span>
      <button
        type="button"
        tabIndex={-1}
        className={styles.name}
        title={name}
        onClick={(event) => {
          if (event.shiftKey || event.ctrlKey || event.metaKey) return;
          event.stopPropagation();
          tools.only(item.name);
          onOpen(item);
        }}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        {name}
      </button>
      <ActionIcon
        className={styles.rowMenu}
        variant="subtle"
        color="gray"
        size={28}
        tabIndex={-1}
        aria-label={`${t(words.more)}: ${name}`}
        onClick={(event) => {
          event.stopPropagation();
          if (!tools.selection.names.has(item.name)) tools.only(item.name);
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          onMenu(item, left, bottom);
        }}
      >
        <IconDots size={16} />
      </ActionIcon>
    </div>
  );
}

/** An entry of a folder: its place in the list, the pointer and the cells. */
export function FileRow({ item, index, id, list }: Props) {
  const { tools, cut, drag, onOpen, onMenu } = list;
  const { name, kind } = item;
  const { selection } = tools;
  const folder = kind === 'folder' ? item : null;
  const press = (event: MouseEvent) => {
    if (event.shiftKey) tools.extend(name);
    else if (event.ctrlKey || event.metaKey) tools.toggle(name);
    else tools.only(name);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the list
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selection.names.has(name)}
      className={styles.row}
      data-active={selection.active === name || undefined}
      data-cut={cut.has(name) || undefined}
      data-target={drag.target === name || undefined}
      style={{ top: index * ROW, height: ROW }}
      draggable
      onClick={press}
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
      <NameCell item={item} list={list} />
      <div role="gridcell" data-column="size">
        {kind === 'file' ? sizeText(item.size) : ''}
      </div>
      <div role="gridcell" data-column="modifiedAt" data-wide>
        {item.modifiedAt > 0 ? DATE.format(item.modifiedAt * 1000) : ''}
      </div>
      <div role="gridcell" data-column="owner" data-wide title={`${item.owner}:${item.group}`}>
        {item.owner}
      </div>
      <div role="gridcell" data-column="mode" data-wide className="mono">
        {modeText(kind, item.mode)}
      </div>
    </div>
  );
}
