import type { Relation } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import type { Registry, ResourceServices } from '../hooks.ts';
import { readListQuery } from '../read/list-query.ts';
import { type ListSource, MAX_LIMIT } from '../read/page.ts';
import { streamRows } from '../read/reader.ts';
import { allOf } from '../read/scope.ts';
import { searchTexts } from '../read/search.ts';
import { changePairs, type PairChange } from './pair-changes.ts';
import {
  equalTo,
  matchesTerm,
  type Pair,
  type PairSource,
  pairSource,
  pairsWhere,
  selectPairs,
  toWire,
  withinBoth,
} from './pair-source.ts';
import { addPairs, removePair } from './pair-writes.ts';

export type { Pair } from './pair-source.ts';

/** The pairs of one relation. Every operation requires that the caller can see both ends. */
export interface Pairs {
  /** Returns the pairs as a list. `fixed` limits one end to an id, in addition to the filters. */
  list(fixed?: Readonly<Record<string, string>>): ListSource<Pair>;
  /** @throws NotFound */
  one(where: Readonly<Record<string, string | number>>, caller: Caller): Promise<Pair>;
  /** Adds pairs, all or none, in order. @throws Invalid for one body, InvalidItems for several */
  add(bodies: readonly unknown[], caller: Caller, isSingle: boolean): Promise<Pair[]>;
  /**
   * Gives pairs other ends, all or none. @throws NotFound or Invalid for one draft, InvalidItems
   * for several
   */
  change(change: PairChange, caller: Caller): Promise<Pair[]>;
  /** Removes one pair. @throws NotFound; Invalid if the owner requires the link */
  remove(where: Readonly<Record<string, string | number>>, caller: Caller): Promise<void>;
}

export function createPairs(
  relation: Relation,
  registry: Registry,
  services: ResourceServices,
): Pairs {
  const source = pairSource(relation, registry, services);
  return {
    list: (fixed = {}) => listOfPairs(source, fixed),
    async one(where, caller) {
      const [row] = await selectPairs(source, { where: equalTo(source, where), caller });
      if (!row) throw notFound();
      return row;
    },
    add: (bodies, caller, isSingle) => addPairs(source, bodies, caller, isSingle),
    change: (change, caller) => changePairs(source, change, caller),
    remove: (where, caller) => removePair(source, where, caller),
  };
}

interface PairListing {
  readonly query: URLSearchParams;
  readonly caller: Caller;
  /** Ids of one end or both, in addition to the filters. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly maxLimit?: number;
}

/** Parses the list grammar; the search covers both ends. @throws Invalid */
function readQuery(source: PairSource, { query, caller, fixed, ...limits }: PairListing) {
  // Sets contain ids of objects, but pairs have numbers.
  if (query.get('spm')) throw invalid('spm', 'unknown_set');
  const list = readListQuery({ ...source, mounted: source.pair }, { query, caller }, limits);
  const terms = searchTexts(query).map((term) => matchesTerm(source, term));
  return { ...list, where: allOf([equalTo(source, fixed), list.where, ...terms]) };
}

function listOfPairs(
  source: PairSource,
  fixed: Readonly<Record<string, string>>,
): ListSource<Pair> {
  const { services, from } = source;
  return {
    resource: source.relation.pair,
    async list(query, caller) {
      const { where, order, limit, offset } = readQuery(source, { query, caller, fixed });
      const paging = sql`order by ${order} limit ${limit ?? MAX_LIMIT + 1} offset ${limit ? offset : 0}`;
      const results = await selectPairs(source, { where, caller, paging });
      if (limit === undefined) return results.length > MAX_LIMIT ? undefined : results;
      const counted = await sql<{ count: number }>`
        select count(*) as count from ${from}
        where ${withinBoth(source, caller)} and ${where}`.execute(services.db);
      return { count: Number(counted.rows[0]?.count ?? 0), results };
    },
    async *stream(query, caller) {
      const maxLimit = Number.MAX_SAFE_INTEGER;
      const { where, order, limit, offset } = readQuery(source, {
        query,
        caller,
        fixed,
        maxLimit,
      });
      const paging = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
      yield* streamRows<Pair, Pair>(
        services,
        pairsWhere(source, { where, caller, paging: sql`order by ${order} ${paging}` }),
        toWire,
      );
    },
  };
}
