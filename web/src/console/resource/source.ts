import {
  type Access,
  displayName,
  type Fields,
  type LocalText,
  type Resource,
} from '@sallyport/contract';

/** Where a list or a form gets its objects: a resource, or something that answers like one. */
export interface Source {
  readonly name: string;
  readonly path: string;
  readonly title: LocalText;
  readonly fields: Fields;
  readonly labelField: string;
  /** How others write an object; the name of objects that have none. */
  readonly display?: string;
  /** Who may do what; absent: it is only read. */
  readonly access?: Access;
  /** Changes of its objects are in the operate log. */
  readonly audited?: boolean;
}

/** The URL of a list. */
export const listUrl = (source: Pick<Source, 'path'>) => `${source.path}/`;

/** The URL of one object. */
export const objectUrl = (source: Pick<Source, 'path'>, id: string) =>
  `${source.path}/${encodeURIComponent(id)}/`;

/** What identifies everything that was read of a resource, and below it, in the cache, so that a change can make it stale. */
export const cacheKey = (source: Pick<Resource, 'path'>) => ['resource', ...source.path.split('/')];

/** The text of a named field of a row, for titles and questions. */
export function textOf(row: object, name: string): string {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  return value === null || value === undefined ? '' : String(value);
}

/** The name of an object, for titles, questions and labels. */
export function nameIn(
  { labelField, display }: Pick<Source, 'labelField' | 'display'>,
  row: object,
): string {
  return labelField === 'id' && display !== undefined
    ? displayName(display, row)
    : textOf(row, labelField);
}
