import type { Consequence, ConsequenceKind, PlannedAction, Resource } from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import { scopeOf } from '../../../resources/read/scope.ts';
import type { Plan, PlannedTerms } from '../what-if/plan.ts';
import { consequence, countAndName, countOnly, MOST_NAMED } from './store.ts';

/**
 * A planned action on objects that the caller may see, with functions that count its consequences.
 */
export interface PlannedChange {
  readonly action: PlannedAction;
  readonly ids: readonly string[];
  readonly caller: Caller;
  readonly db: Db;
  /** The users who join or leave groups, without those that the caller may not see. */
  readonly users: readonly string[];
  /** The node that nodes or assets move to, or that receives assets. */
  readonly target: string;
  /** The form of a permission that is about to be saved. */
  readonly terms: PlannedTerms | undefined;
  /** The change of grants that the action amounts to. */
  readonly plan: Plan | undefined;
  /** Counts and names the objects of a resource by a query for their ids. */
  objects(kind: ConsequenceKind, resource: Resource, ids: Sql): Promise<Consequence>;
  /** Sums the objects of several resources into one consequence. */
  objectsAmong(
    kind: ConsequenceKind,
    parts: readonly (readonly [Resource, ids: Sql])[],
  ): Promise<Consequence>;
  /** Like `objects`, in all organizations. For super administrators only. */
  objectsEverywhere(kind: ConsequenceKind, resource: Resource, ids: Sql): Promise<Consequence>;
  /** Counts rows of a `from` clause. For tables that are not resources. */
  rows(kind: ConsequenceKind, from: Sql): Promise<Consequence>;
}

/** Adds the counting functions to a planned action. */
export function createPlannedChange(
  planned: Pick<
    PlannedChange,
    'action' | 'ids' | 'caller' | 'db' | 'users' | 'target' | 'terms' | 'plan'
  >,
  engines: Engines,
): PlannedChange {
  const { caller, db } = planned;
  const visible = (resource: Resource, ids: Sql) => {
    const engine = engineOf(engines, resource);
    return countAndName(engine, ids, scopeOf(engine, caller), db);
  };
  return {
    ...planned,
    objects: async (kind, resource, ids) => consequence(kind, await visible(resource, ids)),
    async objectsAmong(kind, parts) {
      const all = await Promise.all(parts.map(([resource, ids]) => visible(resource, ids)));
      return consequence(kind, {
        count: all.reduce((sum, { count }) => sum + count, 0),
        names: all.flatMap(({ names }) => names).slice(0, MOST_NAMED),
      });
    },
    objectsEverywhere: async (kind, resource, ids) =>
      consequence(kind, await countAndName(engineOf(engines, resource), ids, sql`true`, db)),
    rows: async (kind, from) =>
      consequence(kind, await countOnly(sql`select count(*) as count from ${from}`, db)),
  };
}
