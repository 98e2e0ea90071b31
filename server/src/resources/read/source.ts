import {
  choicesOf,
  flagsOfMask,
  formatDatetime,
  type ObjectRef,
  readableFields,
  say,
  targetOf,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type {
  MountedResource,
  Reading,
  Registry,
  ResourceServices,
  ResourceSource,
  StoredRow,
} from '../hooks.ts';
import { keepReadableReferences } from '../relations/named-objects.ts';
import { linkOf, type Shown, selectList } from './columns.ts';
import { ListMemory } from './count.ts';
import { Landmarks } from './landmarks.ts';
import { type Listing, type ListQuery, readListQuery } from './list-query.ts';
import type { StaleReads } from './page.ts';
import { setCondition } from './resource-set.ts';
import { scopeOf, targetScopeOf } from './scope.ts';
import { withinPatternTime } from './search.ts';

/** The rows of one resource. */
export interface ReadSource extends ResourceSource {
  /** Column by which other objects name a row; sets of names use it. */
  readonly name: Sql | undefined;
  /** Fields of a single object. */
  readonly whole: Shown;
  readonly memory: ListMemory;
  readonly landmarks: Landmarks;
}

export function sourceOf(
  mounted: MountedResource,
  registry: Registry,
  services: ResourceServices,
): ReadSource {
  const { key } = mounted.resource;
  const name = key === undefined ? undefined : sql.ref(`t.${key}`);
  const whole = readableFields(mounted.resource, true);
  return {
    mounted,
    registry,
    services,
    name,
    whole,
    memory: new ListMemory(),
    landmarks: new Landmarks(),
  };
}

/** Returns the database for a read: a standby only if the rows may be some seconds old. */
export const databaseFor = ({ services }: ReadSource, { mayBeStale }: StaleReads): Db =>
  (mayBeStale && services.replica) || services.db;

/** Parses a list request, with the rows that the hook `elsewhere` finds. @throws Invalid */
export async function parseListing(
  source: ReadSource,
  listing: Listing,
  limits: { readonly maxLimit?: number } = {},
): Promise<ListQuery> {
  const { elsewhere } = source.mounted.hooks;
  const ids = (await elsewhere?.find(listing.query, listing.caller)) ?? [];
  return readListQuery(source, listing, { ...limits, found: ids });
}

/** Returns the condition of the set that the request names. */
export function setOf({ services, name }: ReadSource, { query, caller }: Listing) {
  return setCondition(query, caller, services.db, { name });
}

/** Runs a read. Regular expressions from the caller run with a timeout. */
export function timed<T>(
  { services }: ReadSource,
  { hasPattern }: Pick<ListQuery, 'hasPattern'>,
  run: (db: Db) => Promise<T>,
): Promise<T> {
  return hasPattern ? withinPatternTime(services.db, run) : run(services.db);
}

/** Facts about rows that their statement has read. */
export interface ReadFacts {
  readonly links?: readonly StoredLinks[] | undefined;
  /** Objects that the rows name and the caller may read. */
  readonly readable?: readonly ObjectRef[] | undefined;
}

/** Converts stored rows to wire form. Queries the facts that `reading` does not have. */
export async function finishRows(
  source: ReadSource,
  rows: StoredRow[],
  { links, readable, ...reading }: Reading & ReadFacts,
  fields: Shown,
): Promise<StoredRow[]> {
  const { mounted, registry, services } = source;
  const { caller } = reading;
  const ids = rows.map(({ id }) => id);
  attachLinks(rows, links ?? (await readLinks(source, ids, reading, fields)), fields);
  await keepReadableReferences(rows, registry, reading, readable);
  await mounted.hooks.present?.(rows, reading);
  const organizationNames = new Map<string, string>();
  for (const row of rows) {
    if (!('org_id' in row)) break;
    const id = String(row.org_id ?? '');
    const { organization } = caller.actor;
    if (!organizationNames.has(id))
      organizationNames.set(
        id,
        organization.id === id ? organization.name : await services.organizationName(id),
      );
  }
  return rows.map((row) => toWire(row, { mounted, fields, caller, organizationNames }));
}

/** Returns rows within the caller's scope, in the order of the ids. */
export async function selectRows(
  source: ReadSource,
  ids: readonly string[],
  {
    caller,
    db,
    operation,
  }: Pick<Reading, 'caller' | 'db'> & { readonly operation?: Reading['operation'] },
): Promise<StoredRow[]> {
  const { mounted, registry, whole } = source;
  const reading = { caller, db, operation, forFile: false };
  const { rows } = await sql<StoredRow & LinksColumn>`
    select ${selectList(mounted, caller, registry, whole)},
      ${linksColumn(source, caller, whole, sql`${ids}::uuid[]`)} as page_links
    from ${sql.table(mounted.resource.table)} t
    where t.id = any (${ids}::uuid[]) and ${scopeOf(mounted, caller)}`.execute(db);
  const links = linksIn(rows);
  const byId = new Map(rows.map(({ page_links: _, ...row }) => [row.id, row as StoredRow]));
  const ordered = ids.flatMap((id): StoredRow[] => {
    const row = byId.get(id);
    return row ? [row] : [];
  });
  return finishRows(source, ordered, { ...reading, links }, whole);
}

/** The links of one row in one field. */
export interface StoredLinks {
  readonly field: string;
  readonly own: string;
  readonly others: readonly string[];
}

const linkNames = (fields: Shown): string[] =>
  fields.filter(([, field]) => field.kind === 'many').map(([name]) => name);

/** The column of `linksColumn`. */
export interface LinksColumn {
  readonly page_links: readonly StoredLinks[] | null;
}

/** Selects the links of all rows of a page into one row of it: its rows need no second query. */
export function linksColumn(source: ResourceSource, caller: Caller, fields: Shown, ids: Sql): Sql {
  const linked = linksOf(source, caller, fields, ids);
  return linked
    ? sql`case when row_number() over () = 1
        then (select json_agg(links) from (${linked}) links) end`
    : sql`null::json`;
}

/** Returns the links that the rows of a page have read in `page_links`. */
export const linksIn = (rows: readonly LinksColumn[]): readonly StoredLinks[] =>
  rows.find(({ page_links }) => page_links)?.page_links ?? [];

/**
 * Returns the query of the links of rows in all fields; undefined without such fields. `ids` is an
 * array.
 */
function linksOf(
  { mounted, registry }: ResourceSource,
  caller: Caller,
  fields: Shown,
  ids: Sql,
): Sql<StoredLinks> | undefined {
  const linksInField = (name: string) => {
    const link = linkOf(mounted.resource, name, registry);
    const target = registry.get(targetOf(mounted.resource.fields[name]) ?? '');
    const otherId = sql.ref(`link.${link.other}`);
    const other = link.reverse
      ? sql``
      : sql`join ${sql.table(target?.resource.table ?? '')} t on t.id = ${otherId}`;
    // Hide links to other organizations, such as a user's groups there.
    const scope =
      target && !link.reverse ? targetScopeOf(mounted, name, target, caller) : sql`true`;
    return sql`
      select ${name}::text as field, ${sql.ref(`link.${link.own}`)} as own,
        array_agg(${otherId} order by ${otherId})::text[] as others
      from ${sql.table(link.table)} link ${other}
      where ${sql.ref(`link.${link.own}`)} = any (${ids}) and ${scope} group by 2`;
  };
  const names = linkNames(fields);
  return names.length === 0
    ? undefined
    : sql<StoredLinks>`${sql.join(names.map(linksInField), sql` union all `)}`;
}

/** Reads the links of rows, with one query for all fields. */
async function readLinks(
  source: ResourceSource,
  ids: readonly unknown[],
  { caller, db }: Pick<Reading, 'caller' | 'db'>,
  fields: Shown,
): Promise<readonly StoredLinks[]> {
  const query = linksOf(source, caller, fields, sql`${ids}::uuid[]`);
  return query && ids.length > 0 ? (await query.execute(db)).rows : [];
}

/** Fills in the links of rows. */
function attachLinks(rows: StoredRow[], links: readonly StoredLinks[], fields: Shown): void {
  const byOwner = new Map(links.map(({ field, own, others }) => [`${field} ${own}`, others]));
  for (const row of rows)
    for (const name of linkNames(fields)) row[name] = byOwner.get(`${name} ${row.id}`) ?? [];
}

interface WireView {
  readonly mounted: MountedResource;
  readonly fields: Shown;
  readonly caller: Caller;
  readonly organizationNames: ReadonlyMap<string, string>;
}

/** Converts a stored row to wire form: dates in the zone of the caller, choices in words. */
function toWire(
  row: StoredRow,
  { mounted, fields, caller, organizationNames }: WireView,
): StoredRow {
  const wire: StoredRow = {};
  for (const [name, field] of fields) {
    let value = row[name];
    const from = field.kind === 'computed' ? field.computedFrom : undefined;
    if (value instanceof Date) value = formatDatetime(value, caller.zone);
    else if (field.kind === 'flags') value = flagsOfMask(field.choices, Number(value));
    else if (from && 'choiceLabel' in from) {
      const choice = choicesOf(mounted.resource.fields[from.choiceLabel])?.find(
        (candidate) => candidate.value === row[from.choiceLabel],
      );
      value = choice ? say(choice.label, caller.language) : String(row[from.choiceLabel] ?? '');
    } else if (from && 'organizationName' in from)
      value = organizationNames.get(String(row.org_id ?? ''));
    wire[name] = value ?? null;
  }
  return wire;
}
