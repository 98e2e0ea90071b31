import { fieldNamed, type Relation, type RelationEnd } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { MountedResource, Registry, ResourceServices, ResourceSource } from '../hooks.ts';
import { columnOf, expressionOf, type LinkTable, linkOf } from '../read/columns.ts';
import { allOf, scopeOf, targetScopeOf } from '../read/scope.ts';
import { likePattern } from '../read/search.ts';
import { userName } from './named-objects.ts';

/** A pair on the wire: number, both ids, and both display names. */
export type Pair = Record<string, unknown> & { readonly id: number };

/** The links of one relation, as alias `link` of its table. */
export interface PairSource extends Pick<ResourceSource, 'registry' | 'services'> {
  readonly relation: Relation;
  readonly owner: MountedResource;
  readonly other: MountedResource;
  readonly link: LinkTable;
  /** Columns by the fields of a pair. */
  readonly columns: Readonly<Record<string, Sql>>;
  readonly ownerColumn: Sql;
  readonly otherColumn: Sql;
  /** The links, and as alias `t`, which the list grammar uses, the pair under its field names. */
  readonly from: Sql;
  /** The pair as a resource with two references: the checks of links then apply. */
  readonly pair: MountedResource;
}

export function pairSource(
  relation: Relation,
  registry: Registry,
  services: ResourceServices,
): PairSource {
  const owner = mountedOf(relation.owner, registry);
  const other = mountedOf(relation.other, registry);
  const link = linkOf(owner.resource, relation.field, registry);
  const ownerColumn = sql.ref(`link.${link.own}`);
  const otherColumn = sql.ref(`link.${link.other}`);
  const ends = [
    sql`${ownerColumn} as ${endColumn(relation, relation.owner)}`,
    sql`${otherColumn} as ${endColumn(relation, relation.other)}`,
  ];
  return {
    relation,
    registry,
    services,
    owner,
    other,
    link,
    ownerColumn,
    otherColumn,
    columns: {
      id: sql.ref('link.id'),
      [relation.owner.key]: ownerColumn,
      [relation.other.key]: otherColumn,
    },
    from: sql`${sql.table(link.table)} link
      cross join lateral (select link.id, ${sql.join(ends)}) t`,
    pair: {
      resource: relation.pair,
      hooks: {
        wholeLinks: owner.hooks.wholeLinks?.includes(relation.field) ? [relation.other.key] : [],
        refuseLinks: async (end, ids, operation) =>
          (end === relation.other.key &&
            (await owner.hooks.refuseLinks?.(relation.field, ids, operation))) ||
          new Map(),
      },
    },
  };
}

const endColumn = ({ pair }: Relation, { key }: RelationEnd): Sql =>
  sql.ref(columnOf(key, fieldNamed(pair, key)));

function mountedOf({ resource }: RelationEnd, registry: Registry): MountedResource {
  const mounted = registry.get(resource.name);
  if (!mounted) throw new Error(`${resource.name} is not mounted`);
  return mounted;
}

/** Condition: the caller can see both ends of the pair. */
export function withinBoth(
  { relation, owner, other, ownerColumn, otherColumn }: PairSource,
  caller: Caller,
): Sql {
  return sql`
    exists (select 1 from ${sql.table(owner.resource.table)} t
    where t.id = ${ownerColumn} and ${scopeOf(owner, caller)})
    and exists (select 1 from ${sql.table(other.resource.table)} t
    where t.id = ${otherColumn} and ${targetScopeOf(owner, relation.field, other, caller)})`;
}

/** Condition: the fields of the pair have these values. */
export function equalTo(
  { columns }: PairSource,
  where: Readonly<Record<string, string | number>>,
): Sql {
  return allOf(
    Object.entries(where).map(([key, value]) => sql`${columns[key] ?? sql`null`} = ${value}`),
  );
}

/** Condition: one of the ends contains the search term. */
export function matchesTerm(
  { owner, other, ownerColumn, otherColumn }: PairSource,
  term: string,
): Sql {
  const pattern = likePattern(term);
  return sql`(
    exists (select 1 from ${sql.table(other.resource.table)} t
    where t.id = ${otherColumn} and t.search_text like ${pattern})
    or exists (select 1 from ${sql.table(owner.resource.table)} t
    where t.id = ${ownerColumn} and t.search_text like ${pattern}))`;
}

function displayOf(
  { registry }: PairSource,
  { display }: RelationEnd,
  { mounted, column }: { readonly mounted: MountedResource; readonly column: Sql },
  caller: Caller,
): Sql {
  const name = display && display !== 'account' ? display : mounted.resource.labelField;
  const label =
    display === 'account'
      ? userName('t')
      : expressionOf(mounted, [name, fieldNamed(mounted.resource, name)], caller, registry);
  return sql`(select ${label} from ${sql.table(mounted.resource.table)} t where t.id = ${column})`;
}

interface PairSelection {
  readonly where: Sql;
  readonly caller: Caller;
  readonly paging?: Sql | undefined;
}

/** Returns the statement that selects pairs with the names of both ends. */
export function pairsWhere(
  source: PairSource,
  { where, caller, paging = sql`` }: PairSelection,
): Sql {
  const { relation, owner, other, ownerColumn, otherColumn } = source;
  const ownerEnd = { mounted: owner, column: ownerColumn };
  const otherEnd = { mounted: other, column: otherColumn };
  return sql`
    select link.id, ${otherColumn} as ${sql.ref(relation.other.key)},
      ${displayOf(source, relation.other, otherEnd, caller)} as
      ${sql.ref(`${relation.other.key}_display`)},
      ${ownerColumn} as ${sql.ref(relation.owner.key)},
      ${displayOf(source, relation.owner, ownerEnd, caller)} as
      ${sql.ref(`${relation.owner.key}_display`)}
    from ${source.from} where ${withinBoth(source, caller)} and ${where} ${paging}`;
}

export const toWire = (rows: readonly Pair[]): Pair[] =>
  rows.map((row) => ({ ...row, id: Number(row.id) }));

export async function selectPairs(
  source: PairSource,
  { where, caller, paging }: PairSelection,
  db: Db | Tx = source.services.db,
): Promise<Pair[]> {
  const { rows } = await sql<Pair>`${pairsWhere(source, { where, caller, paging })}`.execute(db);
  return toWire(rows);
}
