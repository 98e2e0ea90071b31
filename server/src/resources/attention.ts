import type { AttentionKind, Resource } from '@sallyport/contract';
import { type Actor, type Caller, mayUse } from '../platform/actor.ts';
import type { Db } from '../platform/db/database.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { type Engines, engineOf } from './engines.ts';
import { scopeOf } from './read/scope.ts';

/** Number of examples in an item. */
export const ATTENTION_EXAMPLES = 3;

export interface AttentionExample {
  readonly id: string | null;
  readonly name: string;
  readonly amount: number | null;
  readonly date: Date | null;
}

/** The objects of an item: their number and the first ones. */
export interface AttentionFound {
  readonly count: number;
  readonly examples: readonly AttentionExample[];
}

/** The objects by the kind of their item; undefined for a kind without objects. */
export type AttentionFacts = readonly (readonly [AttentionKind, AttentionFound | undefined])[];

/** A kind that searches rows of a resource. Callers see it if they may read the resource. */
export interface AttentionRows {
  readonly resource: Resource;
  /**
   * Selects the rows with id, name, amount and date. `scope` is a condition on the rows `t` that
   * the caller may know of.
   */
  readonly search: (scope: Sql, caller: Pick<Caller, 'actor'>) => Sql;
  /** Lists the next date first. The others list the latest date first. */
  readonly soonestFirst?: boolean;
}

/** Items of *Needs attention* that a feature adds. */
export interface Attention {
  readonly rows?: Readonly<Partial<Record<AttentionKind, AttentionRows>>>;
  /** Kinds that are facts instead of rows of a resource. */
  readonly facts?: {
    readonly kinds: readonly AttentionKind[];
    /** Callers with one of these permission bits see the facts. */
    readonly access: number;
    /** Reads the database only. All features share `db`, one connection of the request. */
    readonly read?: (db: Db, actor: Actor) => Promise<AttentionFacts>;
    /** Reads disks, settings, memory, or the database by other connections. */
    readonly observe?: () => Promise<AttentionFacts>;
  };
}

/** A search for one caller. `soonestFirst` sorts by ascending date. */
export interface AttentionSearch {
  readonly kind: AttentionKind;
  readonly rows: Sql;
  readonly soonestFirst: boolean;
}

/** All items that the features add, each kind by one feature. */
export interface AttentionSources {
  /** The searches of rows that the caller may read, with the scope of their lists. */
  searches(engines: Engines, caller: Caller): readonly AttentionSearch[];
  readonly facts: readonly NonNullable<Attention['facts']>[];
  /** The kinds with the names of their features. */
  readonly kinds: ReadonlyMap<AttentionKind, string>;
}

/** Collects the items of the features. `add` refuses a kind that another feature added before. */
export function collectAttention() {
  const kinds = new Map<AttentionKind, string>();
  const rows = new Map<AttentionKind, AttentionRows>();
  const facts: NonNullable<Attention['facts']>[] = [];
  const claim = (kind: AttentionKind, feature: string) => {
    const other = kinds.get(kind);
    if (other !== undefined) throw new Error(`${feature}: ${other} adds ${kind}, too`);
    kinds.set(kind, feature);
  };
  const sources: AttentionSources = {
    facts,
    kinds,
    searches: (engines, caller) =>
      [...rows].flatMap(([kind, { resource, search, soonestFirst = false }]) => {
        const engine = engineOf(engines, resource);
        if (!mayUse(caller.actor, engine.resource, 'read')) return [];
        return [{ kind, rows: search(scopeOf(engine, caller), caller), soonestFirst }];
      }),
  };
  return {
    sources,
    add(feature: string, added: Attention): void {
      for (const [kind, search] of Object.entries(added.rows ?? {})) {
        // The keys of `rows` are kinds by its type.
        claim(kind as AttentionKind, feature);
        rows.set(kind as AttentionKind, search);
      }
      if (!added.facts) return;
      for (const kind of added.facts.kinds) claim(kind, feature);
      facts.push(added.facts);
    },
  };
}

/** A fact without an object. */
export const attentionFact = (amount: number | null, date: Date | null = null): AttentionFound => ({
  count: 1,
  examples: [{ id: null, name: '', amount, date }],
});

/** Objects that have a name and no page. */
export const attentionNames = (names: readonly string[]): AttentionFound => ({
  count: names.length,
  examples: names
    .slice(0, ATTENTION_EXAMPLES)
    .map((name) => ({ id: null, name, amount: null, date: null })),
});

/** Searches a table with the condition of a kind, which is also a filter of the list. */
export const attentionRows =
  (
    table: string,
    condition: (caller: Pick<Caller, 'actor'>) => Sql,
    { name, date = sql`null::timestamptz` }: { readonly name: Sql; readonly date?: Sql },
  ): AttentionRows['search'] =>
  (scope, caller) =>
    sql`
    select t.id::text as id, ${name} as name, null::int as amount, ${date} as date
      from ${sql.table(table)} t where ${condition(caller)} and ${scope}`;
