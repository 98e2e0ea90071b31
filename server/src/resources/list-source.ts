import type { Resource } from '@sallyport/contract';
import type { Caller } from '../platform/actor.ts';
import type { Counted } from './page.ts';

/** A list of rows, as much of it at a time as a request wants. */
export interface ListSource<Row extends object> {
  readonly resource: Resource;
  /** A bare array, or a page when the query has a limit; undefined when there are more rows than are held in memory at once. */
  list(query: URLSearchParams, caller: Caller): Promise<Row[] | Counted<Row> | undefined>;
  /** The rows of a query batch after batch; `forFile` with the fields that lists leave out. */
  stream(query: URLSearchParams, caller: Caller, forFile: boolean): AsyncGenerator<Row[]>;
}
