import type { Resource } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';

/** Says how current a read must be. */
export interface StaleReads {
  /** True if a standby may answer with rows that are some seconds old. */
  readonly mayBeStale?: boolean | undefined;
}

/** A list of rows, read in part or in whole. */
export interface ListSource<Row extends object> {
  readonly resource: Resource;
  /**
   * Returns an array, or a page if the query has a limit. Returns undefined for more rows than
   * memory may hold.
   */
  list(query: URLSearchParams, caller: Caller): Promise<Row[] | Counted<Row> | undefined>;
  /** Yields the rows in batches. `forFile` adds the fields that lists omit. */
  stream(
    query: URLSearchParams,
    caller: Caller,
    forFile: boolean,
    options?: StaleReads,
  ): AsyncGenerator<Row[]>;
}

/** Maximum rows of a page in memory. */
export const MAX_LIMIT = 10_000;

export interface Paging {
  /** Undefined: all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/** Parses a positive integer; returns 0 for any other value. */
export function positiveIn(query: URLSearchParams, name: string): number {
  const value = Number((query.getAll(name).at(-1) ?? '').trim());
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** Parses `limit` and `offset`; invalid values count as absent. */
export function readPaging(query: URLSearchParams, maxLimit = MAX_LIMIT): Paging {
  const limit = positiveIn(query, 'limit');
  return {
    limit: limit > 0 ? Math.min(limit, maxLimit) : undefined,
    offset: positiveIn(query, 'offset'),
  };
}

/** A page of rows with the total. */
export interface Counted<Row> {
  readonly count: number;
  readonly results: Row[];
}
