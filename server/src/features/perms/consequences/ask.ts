import type { Consequence, ConsequenceKind, PlannedAction, Resource } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { Sql } from '../../../resources/hooks.ts';
import type { Plan, PlannedTerms } from '../what-if/plan.ts';
import { consequence, countAndName, countOnly, MOST_NAMED } from './store.ts';

/**
 * A planned action on objects that the caller may know of, and the ways to count what follows from
 * it.
 */
export interface Ask {
  readonly action: PlannedAction;
  readonly ids: readonly string[];
  readonly caller: Caller;
  readonly db: Db;
  /** The users who come to groups or leave them, as far as the caller may know of them. */
  readonly users: readonly string[];
  /** The node that nodes or assets move to, or that assets are added to. */
  readonly target: string;
  /** What a permission would say once it is saved. */
  readonly terms: PlannedTerms | undefined;
  /** The change of access that the action comes to. */
  readonly plan: Plan | undefined;
  /** Counts and names objects of a resource by a query for their ids. */
  named(kind: ConsequenceKind, resource: Resource, ids: Sql): Promise<Consequence>;
  /** Counts and names objects of several resources as one consequence. */
  namedAmong(
    kind: ConsequenceKind,
    found: readonly (readonly [Resource, ids: Sql])[],
  ): Promise<Consequence>;
  /** The same wherever the objects are; for administrators of the installation. */
  namedAnywhere(kind: ConsequenceKind, resource: Resource, ids: Sql): Promise<Consequence>;
  /** Counts rows that are no objects of a resource here. */
  counted(kind: ConsequenceKind, from: Sql): Promise<Consequence>;
}

/** Gives a planned action its ways to count. */
export function createAsk(
  planned: Pick<Ask, 'action' | 'ids' | 'caller' | 'db' | 'users' | 'target' | 'terms' | 'plan'>,
  engines: Engines,
): Ask {
  const { caller, db } = planned;
  return {
    ...planned,
    named: async (kind, resource, ids) =>
      consequence(kind, await countAndName(engineOf(engines, resource), ids, caller, db)),
    async namedAmong(kind, found) {
      const all = await Promise.all(
        found.map(([resource, ids]) => countAndName(engineOf(engines, resource), ids, caller, db)),
      );
      return consequence(kind, {
        count: all.reduce((sum, { count }) => sum + count, 0),
        names: all.flatMap(({ names }) => names).slice(0, MOST_NAMED),
      });
    },
    namedAnywhere: async (kind, resource, ids) =>
      consequence(
        kind,
        await countAndName(engineOf(engines, resource), ids, caller, db, sql`true`),
      ),
    counted: async (kind, from) =>
      consequence(kind, await countOnly(sql`select count(*) as count from ${from}`, db)),
  };
}
