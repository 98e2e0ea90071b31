import type { Resource } from '@sallyport/contract';
import type { Caller } from '../platform/actor.ts';
import type { Counted } from './page.ts';

/** A list of rows, read in part or in whole. */
export interface ListSource<Row extends object> {
  readonly resource: Resource;
  /**
   * Returns an array, or a page if the query has a limit. Returns undefined for more rows than
   * memory may hold.
   */
  list(query: URLSearchParams, caller: Caller): Promise<Row[] | Counted<Row> | undefined>;
  /** Yields the rows in batches. `forFile` adds the fields that lists omit. */
  stream(query: URLSearchParams, caller: Caller, forFile: boolean): AsyncGenerator<Row[]>;
}
