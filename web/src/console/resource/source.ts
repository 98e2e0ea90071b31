import {
  type Access,
  displayName,
  type Fields,
  type HistogramOptions,
  type LocalText,
  type Resource,
} from '@sallyport/contract';
import { api } from '../../kit/api.ts';

/** Source of the objects of a list or a form: a resource, or an endpoint with the same protocol. */
export interface Source {
  readonly name: string;
  readonly path: string;
  readonly title: LocalText;
  readonly fields: Fields;
  readonly labelField: string;
  /**
   * Display name where other objects refer to it, with `{field}` placeholders; also the name of
   * objects whose label field is the id.
   */
  readonly display?: string;
  /** Permissions by action; undefined for a read-only source. */
  readonly access?: Access;
  /** Fields that a copy leaves blank; undefined if the console offers no copies. */
  readonly copyWithout?: readonly string[];
  /** Present: the server counts the rows over time. */
  readonly histogram?: HistogramOptions;
  /** True if deleted objects can be restored for a while. */
  readonly restorable?: true;
  /** True if the operate log records changes of its objects. */
  readonly audited?: boolean;
}

export const listUrl = (source: Pick<Source, 'path'>) => `${source.path}/`;

export const objectUrl = (source: Pick<Source, 'path'>, id: string) =>
  `${source.path}/${encodeURIComponent(id)}/`;

/**
 * Cache key prefix of all queries on a resource and its sub-resources; invalidate it after a
 * change.
 */
export const cacheKey = (source: Pick<Resource, 'path'>) => ['resource', ...source.path.split('/')];

/** Returns a field of a row as text; empty if absent. */
export function textOf(row: object, name: string): string {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  return value === null || value === undefined ? '' : String(value);
}

/** Returns the name of an object for titles, questions and labels. */
export function nameIn(
  { labelField, display }: Pick<Source, 'labelField' | 'display'>,
  row: object,
): string {
  return labelField === 'id' && display !== undefined
    ? displayName(display, row)
    : textOf(row, labelField);
}

/**
 * Stores a set of ids on the server and returns its name, so an address can refer to any number of
 * ids (conformance 7.6).
 */
export async function nameSet(ids: readonly string[], signal?: AbortSignal): Promise<string> {
  const { spm } = await api.post<{ spm: string }>(
    'common/resources/cache/',
    { resources: ids },
    { quiet: true, ...(signal && { signal }) },
  );
  return spm;
}
