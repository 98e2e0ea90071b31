import {
  type FieldProblems,
  fieldNamed,
  MAX_ITEMS,
  type Problem,
  parseBody,
  type Relation,
  type RelationEnd,
} from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../platform/actor.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { Invalid, InvalidItems, invalid, notFound } from '../platform/errors.ts';
import { columnOf, expressionOf, linkOf } from './columns.ts';
import type { MountedResource, Registry, ResourceServices, Sql } from './hooks.ts';
import { unknownReferences } from './links.ts';
import { readListQuery } from './list-query.ts';
import { userName } from './object-name.ts';
import { type ListSource, MAX_LIMIT } from './page.ts';
import { allOf, scopeOf, targetScopeOf } from './scope.ts';
import { searchTexts } from './search-terms.ts';
import { likePattern } from './search-text.ts';
import { streamRows } from './stream.ts';
import { createUnitOfWork } from './unit-of-work.ts';

/** A pair on the wire: number, both ids, and both display names. */
export type Pair = Record<string, unknown> & { readonly id: number };

/** The pairs of one relation. Every operation requires that the caller can see both ends. */
export interface Pairs {
  /** Returns the pairs as a list. `fixed` limits one end to an id, in addition to the filters. */
  list(fixed?: Readonly<Record<string, string>>): ListSource<Pair>;
  /** @throws NotFound */
  one(where: Readonly<Record<string, string | number>>, caller: Caller): Promise<Pair>;
  /** Adds pairs, all or none, in order. @throws Invalid for one body, InvalidItems for several */
  add(bodies: readonly unknown[], caller: Caller, isSingle: boolean): Promise<Pair[]>;
  /** Removes one pair. @throws NotFound; Invalid if the owner requires the link */
  remove(where: Readonly<Record<string, string | number>>, caller: Caller): Promise<void>;
}

export function createPairs(
  relation: Relation,
  registry: Registry,
  services: ResourceServices,
): Pairs {
  const owner = mountedOf(relation.owner, registry);
  const other = mountedOf(relation.other, registry);
  const link = linkOf(owner.resource, relation.field, registry);
  const table = sql.table(link.table);
  const columns: Readonly<Record<string, Sql>> = {
    id: sql.ref('link.id'),
    [relation.owner.key]: sql.ref(`link.${link.own}`),
    [relation.other.key]: sql.ref(`link.${link.other}`),
  };
  const unitOfWork = createUnitOfWork(owner.resource, registry, services);
  const ownerColumn = columns[relation.owner.key] as Sql;
  const otherColumn = columns[relation.other.key] as Sql;
  /** Treat the pair as a resource with two references: the checks of links then apply. */
  const pair: MountedResource = {
    resource: relation.pair,
    hooks: {
      wholeLinks: owner.hooks.wholeLinks?.includes(relation.field) ? [relation.other.key] : [],
      refuseLinks: async (end, ids, operation) =>
        (end === relation.other.key &&
          (await owner.hooks.refuseLinks?.(relation.field, ids, operation))) ||
        new Map(),
    },
  };

  const within = (caller: Caller): Sql => sql`
    exists (select 1 from ${sql.table(owner.resource.table)} t
    where t.id = ${ownerColumn} and ${scopeOf(owner, caller)})
    and exists (select 1 from ${sql.table(other.resource.table)} t
    where t.id = ${otherColumn} and ${targetScopeOf(owner, relation.field, other, caller)})`;

  const displayOf = (
    { display }: RelationEnd,
    mounted: MountedResource,
    column: Sql,
    caller: Caller,
  ): Sql => {
    const name = display && display !== 'account' ? display : mounted.resource.labelField;
    const label =
      display === 'account'
        ? userName('t')
        : expressionOf(mounted, name, fieldNamed(mounted.resource, name), caller, registry);
    return sql`(select ${label} from ${sql.table(mounted.resource.table)} t where t.id = ${column})`;
  };

  /** Alias `link` is the pair; `t`, used by the list grammar, is the pair under its field names. */
  const ends = [relation.owner, relation.other].map(
    ({ key }) =>
      sql`${columns[key] ?? sql`null`} as ${sql.ref(columnOf(key, fieldNamed(relation.pair, key)))}`,
  );
  const source = sql`${table} link cross join lateral (select link.id, ${sql.join(ends)}) t`;

  const pairsWhere = (where: Sql, caller: Caller, paging: Sql = sql``): Sql => sql`
    select link.id, ${otherColumn} as ${sql.ref(relation.other.key)},
      ${displayOf(relation.other, other, otherColumn, caller)} as
      ${sql.ref(`${relation.other.key}_display`)},
      ${ownerColumn} as ${sql.ref(relation.owner.key)},
      ${displayOf(relation.owner, owner, ownerColumn, caller)} as
      ${sql.ref(`${relation.owner.key}_display`)}
    from ${source} where ${within(caller)} and ${where} ${paging}`;
  const toWire = (rows: readonly Pair[]): Pair[] =>
    rows.map((row) => ({ ...row, id: Number(row.id) }));
  const select = async (where: Sql, caller: Caller, db: Db | Tx, paging?: Sql): Promise<Pair[]> =>
    toWire((await sql<Pair>`${pairsWhere(where, caller, paging)}`.execute(db)).rows);

  const equal = (where: Readonly<Record<string, string | number>>): Sql =>
    allOf(
      Object.entries(where).map(([key, value]) => sql`${columns[key] ?? sql`null`} = ${value}`),
    );

  const matchesTerm = (term: string): Sql => {
    const pattern = likePattern(term);
    return sql`(
      exists (select 1 from ${sql.table(other.resource.table)} t
      where t.id = ${otherColumn} and t.search_text like ${pattern})
      or exists (select 1 from ${sql.table(owner.resource.table)} t
      where t.id = ${ownerColumn} and t.search_text like ${pattern}))`;
  };

  /** Parses the list grammar; the search covers both ends. @throws Invalid */
  const read = (
    query: URLSearchParams,
    caller: Caller,
    fixed: Readonly<Record<string, string>>,
    maxLimit?: number,
  ) => {
    // Sets contain ids of objects, but pairs have numbers.
    if (query.get('spm')) throw invalid('spm', 'unknown_set');
    const list = readListQuery(
      pair,
      query,
      caller,
      registry,
      maxLimit === undefined ? {} : { maxLimit },
    );
    return {
      ...list,
      where: allOf([equal(fixed), list.where, ...searchTexts(query).map(matchesTerm)]),
    };
  };

  const describe = async (ids: readonly string[], tx: Tx): Promise<Map<string, string>> => {
    // Lock owners in a fixed order before their links, so that concurrent changes of one object
    // wait here.
    const { rows } = await sql<{ id: string; label: string }>`
      select t.id, ${sql.ref(`t.${owner.resource.labelField}`)} as label
      from ${sql.table(owner.resource.table)} t where t.id = any (${ids}::uuid[]) order by t.id
      for no key update of t`.execute(tx);
    return new Map(rows.map(({ id, label }) => [id, label]));
  };

  const entry = (
    resourceId: string,
    label: string | undefined,
    before: readonly string[],
    after: readonly string[],
  ) => ({
    action: 'update' as const,
    resourceType: owner.resource.name,
    resource: label ?? resourceId,
    resourceId,
    changes: { [relation.field]: [before, after] as const },
  });

  return {
    list: (fixed = {}) => ({
      resource: relation.pair,
      async list(query, caller) {
        const { where, order, limit, offset } = read(query, caller, fixed);
        const results = await select(
          where,
          caller,
          services.db,
          sql`order by ${order} limit ${limit ?? MAX_LIMIT + 1} offset ${limit ? offset : 0}`,
        );
        if (limit === undefined) return results.length > MAX_LIMIT ? undefined : results;
        const counted = await sql<{
          count: number;
        }>`select count(*) as count from ${source} where ${within(caller)} and ${where}`.execute(
          services.db,
        );
        const count = Number(counted.rows[0]?.count ?? 0);
        return { count, results };
      },
      async *stream(query, caller) {
        const { where, order, limit, offset } = read(query, caller, fixed, Number.MAX_SAFE_INTEGER);
        const paging = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
        yield* streamRows<Pair, Pair>(
          services,
          pairsWhere(where, caller, sql`order by ${order} ${paging}`),
          toWire,
        );
      },
    }),
    async one(where, caller) {
      const [row] = await select(equal(where), caller, services.db);
      if (!row) throw notFound();
      return row;
    },
    async add(bodies, caller, isSingle) {
      if (bodies.length > MAX_ITEMS)
        throw invalid('non_field_errors', 'list_too_long', { max: MAX_ITEMS });
      const items = bodies.map((body) =>
        parseBody(relation.pair.fields, body, 'create', { zone: caller.zone }),
      );
      const assertGood = () => {
        if (items.every(({ problems }) => Object.keys(problems).length === 0)) return;
        if (isSingle) throw new Invalid(items[0]?.problems ?? {});
        throw new InvalidItems(items.map(({ problems }) => problems as FieldProblems));
      };
      assertGood();
      return unitOfWork(caller, {}, async (operation) => {
        const { tx } = operation;
        const unknown = await unknownReferences(
          pair,
          items.map(({ values }) => values),
          registry,
          operation,
        );
        for (const [index, problems] of unknown)
          Object.assign(items[index]?.problems ?? {}, problems);
        assertGood();
        const owners = items.map(({ values }) => String(values[relation.owner.key]));
        const others = items.map(({ values }) => String(values[relation.other.key]));
        const labels = await describe([...new Set(owners)], tx);
        const { rows } = await sql<{ id: number; own: string; other: string }>`
          insert into ${table} as link (${sql.ref(link.own)}, ${sql.ref(link.other)})
          select pair.own, pair.other
          from unnest(${owners}::uuid[], ${others}::uuid[]) as pair (own, other)
          on conflict do nothing
          returning id, ${sql.ref(link.own)} as own, ${sql.ref(link.other)} as other`.execute(tx);
        const fresh = new Map(rows.map((row) => [`${row.own} ${row.other}`, row.id]));
        const ids = items.map(({ problems }, index) => {
          const key = `${owners[index]} ${others[index]}`;
          const id = fresh.get(key);
          // The pair existed already, or twice in one body.
          if (id === undefined)
            (problems as Record<string, Problem[]>).non_field_errors = [{ code: 'not_unique' }];
          fresh.delete(key);
          return id ?? 0;
        });
        assertGood();
        await services.audit(
          tx,
          caller,
          ...[...labels].map(([id, label]) =>
            entry(
              id,
              label,
              [],
              others.filter((_, index) => owners[index] === id),
            ),
          ),
        );
        const written = new Map(
          (await select(sql`link.id = any (${ids}::bigint[])`, caller, tx)).map((row) => [
            row.id,
            row,
          ]),
        );
        return ids.flatMap((id) => written.get(Number(id)) ?? []);
      });
    },
    remove: (where, caller) =>
      unitOfWork(caller, {}, async ({ tx }) => {
        const [row] = await select(equal(where), caller, tx);
        if (!row) throw notFound();
        const ownerId = String(row[relation.owner.key]);
        const labels = await describe([ownerId], tx);
        const gone = await sql`delete from ${table} link where link.id = ${row.id}`.execute(tx);
        if (!gone.numAffectedRows) throw notFound();
        const links = owner.resource.fields[relation.field];
        const min = links?.kind === 'many' ? links.minItems : 0;
        if (min > 0) {
          const left = await sql<{ count: number }>`
            select count(*) as count from ${table} link where ${ownerColumn} = ${ownerId}`.execute(
            tx,
          );
          if (Number(left.rows[0]?.count ?? 0) < min)
            throw invalid('non_field_errors', 'relation_needed', { min });
        }
        await services.audit(
          tx,
          caller,
          entry(ownerId, labels.get(ownerId), [String(row[relation.other.key])], []),
        );
      }),
  };
}

function mountedOf({ resource }: RelationEnd, registry: Registry): MountedResource {
  const mounted = registry.get(resource.name);
  if (!mounted) throw new Error(`${resource.name} is not mounted`);
  return mounted;
}
