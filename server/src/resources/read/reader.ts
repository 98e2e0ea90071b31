import { isUuid, type NamedSet } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { notFound } from '../../platform/errors.ts';
import type { MountedResource, Registry, ResourceServices, StoredRow } from '../hooks.ts';
import type { Operation } from '../write/operation.ts';
import { findRows, listRows } from './list.ts';
import type { Counted } from './page.ts';
import { finishRows, selectRows, sourceOf } from './source.ts';
import { matchingIds, nameMatching, streamList } from './stream-list.ts';

export interface Reader {
  /**
   * Returns an array, or a page if the query has a limit. Returns undefined for more rows than
   * memory may hold. `within` is an additional condition.
   */
  list(
    query: URLSearchParams,
    caller: Caller,
    within?: Sql,
  ): Promise<StoredRow[] | Counted<StoredRow> | undefined>;
  /** Returns rows matching `within` in default order, with selected fields, without a total. */
  find(within: Sql, fields: readonly string[], limit: number, caller: Caller): Promise<StoredRow[]>;
  /**
   * Yields matching rows in batches from one snapshot; respects `limit`. `within` is an additional
   * condition.
   */
  stream(
    query: URLSearchParams,
    caller: Caller,
    forFile: boolean,
    within?: Sql,
  ): AsyncGenerator<StoredRow[]>;
  /** Returns one row in wire form. @throws NotFound outside the caller's scope */
  retrieve(id: string, caller: Caller, db?: Db | Tx): Promise<StoredRow>;
  /** Returns the ids of matching rows without paging, at most one above the batch limit. */
  matchingIds(query: URLSearchParams, caller: Caller): Promise<string[]>;
  /** Stores all matching rows as a set of the caller. @throws Invalid if a set cannot hold them */
  nameMatching(query: URLSearchParams, caller: Caller): Promise<NamedSet>;
  /** Returns rows in wire form, in the order of the ids; omits ids outside the scope. */
  rows(
    ids: readonly string[],
    caller: Caller,
    db?: Db | Tx,
    operation?: Operation,
  ): Promise<StoredRow[]>;
  /** Converts stored rows to wire form without changing them. */
  show(rows: readonly StoredRow[], operation: Operation): Promise<StoredRow[]>;
}

export function createReader(
  mounted: MountedResource,
  registry: Registry,
  services: ResourceServices,
): Reader {
  const source = sourceOf(mounted, registry, services);
  return {
    list: (query, caller, within) => listRows(source, { query, caller, within }),
    find: (within, fields, limit, caller) => findRows(source, { within, fields, limit, caller }),
    stream: (query, caller, forFile, within) =>
      streamList(source, { query, caller, within }, forFile),
    async retrieve(id, caller, db = services.db) {
      if (!isUuid(id)) throw notFound();
      const [row] = await selectRows(source, [id], { caller, db });
      if (!row) throw notFound();
      return row;
    },
    matchingIds: (query, caller) => matchingIds(source, { query, caller }),
    nameMatching: (query, caller) => nameMatching(source, { query, caller }),
    rows: (ids, caller, db = services.db, operation = undefined) =>
      selectRows(source, ids, { caller, db, operation }),
    show: (rows, operation) =>
      finishRows(
        source,
        rows.map((row) => ({ ...row })),
        { caller: operation.caller, db: operation.tx, operation, forFile: false },
        source.whole,
      ),
  };
}
