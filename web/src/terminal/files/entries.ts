import type { FileKindName, FileRow } from '@sallyport/contract';
import { language } from '../../kit/i18n/index.ts';

/** One file or folder of a list. */
export interface FileItem {
  readonly name: string;
  readonly kind: FileKindName;
  readonly size: number;
  readonly mode: number;
  readonly owner: string;
  readonly group: string;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
}

export type SortKey = 'name' | 'size' | 'modifiedAt' | 'owner' | 'mode';
export interface Sorting {
  readonly key: SortKey;
  readonly descending: boolean;
}

/** Reads a row of the server. */
export function itemOf([name, kind, size, mode, owner, group, modifiedAt]: FileRow): FileItem {
  return { name, kind, size, mode, owner, group, modifiedAt };
}

/** The path of a name in a folder. */
export function pathIn(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** The folder of a path; the root is its own folder. */
export function parentOf(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut <= 0 ? '/' : path.slice(0, cut);
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folders from the root to a path, with their paths. */
export function stepsTo(path: string): { readonly name: string; readonly path: string }[] {
  const names = path.split('/').filter((name) => name !== '');
  return names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join('/')}` }));
}

/**
 * A name for display: replaces control and bidirectional characters, and bytes that are not UTF-8.
 */
export function shownName(name: string): string {
  return name
    .toWellFormed()
    .replace(/\n/g, '⏎')
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '�');
}

// Numeric order: 2.log comes before 10.log.
const COLLATOR = new Intl.Collator(language === 'zh' ? 'zh-CN' : 'en', {
  numeric: true,
  sensitivity: 'base',
});

/** The items in an order, folders first. */
export function sortItems(items: readonly FileItem[], { key, descending }: Sorting): FileItem[] {
  const sign = descending ? -1 : 1;
  // Locale comparison is slow: large lists are in code unit order.
  const byName =
    items.length > 20_000
      ? (one: FileItem, other: FileItem) =>
          one.name < other.name ? -1 : one.name > other.name ? 1 : 0
      : (one: FileItem, other: FileItem) => COLLATOR.compare(one.name, other.name);
  const by = (one: FileItem, other: FileItem): number => {
    if (key === 'name') return byName(one, other);
    const [first, second] = [one[key], other[key]];
    return first < second ? -1 : first > second ? 1 : 0;
  };
  return items.toSorted((one, other) => {
    const folders = Number(other.kind === 'folder') - Number(one.kind === 'folder');
    return folders || sign * by(one, other) || byName(one, other);
  });
}

/** The items whose names contain a text, with or without hidden items. */
export function filterItems(
  items: readonly FileItem[],
  text: string,
  showHidden: boolean,
): readonly FileItem[] {
  const pattern = text.trim().toLowerCase();
  if (!pattern && showHidden) return items;
  return items.filter(
    ({ name }) =>
      (showHidden || !name.startsWith('.')) && (!pattern || name.toLowerCase().includes(pattern)),
  );
}

const LETTERS: Readonly<Record<FileKindName, string>> = {
  file: '-',
  folder: 'd',
  link: 'l',
  other: '?',
};

/** The permission bits as `ls` writes them. */
export function modeText(kind: FileKindName, mode: number): string {
  const bits = [6, 3, 0].map((shift, index) => {
    const own = (mode >> shift) & 7;
    const special = (mode & (0o4000 >> index)) !== 0;
    const last = special ? (index === 2 ? 't' : 's') : 'x';
    return `${own & 4 ? 'r' : '-'}${own & 2 ? 'w' : '-'}${own & 1 ? last : special ? last.toUpperCase() : '-'}`;
  });
  return LETTERS[kind] + bits.join('');
}

/** A free name next to existing ones: `report (2).pdf`. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 2; ; number++) {
    const tried = `${stem} (${number})${ending}`;
    if (!isTaken(tried)) return tried;
  }
}

/** Returns the built-in viewer for a file name; undefined if there is none. */
export function viewerOf(name: string): 'image' | 'pdf' | 'text' | undefined {
  const ending = /\.(\w{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (ending === 'pdf') return 'pdf';
  if (/^(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/.test(ending)) return 'image';
  if (
    /^(zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|iso|img|bin|exe|dll|so|o|a|class|pyc|mp[34]|mkv|avi|mov|ogg|flac|wav|docx?|xlsx?|pptx?|od[tsp]|db|sqlite|rpm|deb|woff2?|ttf)$/.test(
      ending,
    )
  )
    return undefined;
  return 'text';
}
