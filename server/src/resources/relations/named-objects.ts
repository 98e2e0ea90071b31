import { isUuid, type NamedObjects, type ObjectRef } from '@sallyport/contract';
import { type Caller, mayUse } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { MountedResource, Reading, Registry, ResourceSource, StoredRow } from '../hooks.ts';
import { scopeOf } from '../read/scope.ts';

/** Display name of a user: `Name(username)`. `alias` is the account table in the query. */
export const userName = (alias: string): Sql =>
  sql`${sql.ref(`${alias}.name`)} || '(' || ${sql.ref(`${alias}.username`)} || ')'`;

/** Display name of a session (alias `t`): user and asset. */
export const SESSION_NAME: Sql = sql`t."user" || ' → ' || t.asset`;

const NAMES: Readonly<Record<string, Sql>> = { user: userName('t'), session: SESSION_NAME };

/** Display name of an object (alias `t`). */
export const objectName = ({ resource }: Pick<MountedResource, 'resource'>): Sql =>
  NAMES[resource.name] ?? sql.ref(`t.${resource.labelField}`);

/** Number of linked objects that a list shows by name. */
const MOST = 3;

/**
 * Selects the first linked objects of a row (alias `t`) by name. `from` joins their table as `o`.
 */
export const firstNames = (name: Sql, from: Sql): Sql => sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', first.id, 'name', first.name)
  order by first.name, first.id)
  from (select o.id, ${name} as name from ${from}
  order by name, o.id limit ${MOST}) first), '[]'::jsonb)`;

/** A reference to an object, for the column `links` of a row. */
const objectReference = (resource: string, id: Sql): Sql =>
  sql`jsonb_build_object('resource', ${resource}::text, 'id', ${id})`;

export { objectReference as named };

const keyOf = ({ resource, id }: ObjectRef) => `${resource} ${id}`;
const entriesOf = ({ links }: StoredRow) =>
  Object.entries((links ?? {}) as Readonly<Record<string, ObjectRef | null>>);

/** Resources that most references name. The statement of a page checks references to them. */
const COMMON = ['user', 'asset', 'system_user', 'session'];
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/**
 * Selects the readable objects of common resources that the column `links` of some rows names.
 * `ids` is an array. Undefined for lists without that column.
 */
export function readableReferences(
  { mounted, registry }: ResourceSource,
  caller: Caller,
  shown: readonly (readonly [name: string, field: unknown])[],
  ids: Sql,
): Sql<ObjectRef> | undefined {
  const links = mounted.hooks.columns?.links?.(caller);
  if (!links || !shown.some(([name]) => name === 'links')) return undefined;
  const queries = COMMON.flatMap((name) => {
    const target = registry.get(name);
    if (!target || !mayUse(caller.actor, target.resource, 'read')) return [];
    return sql`select ${name}::text as resource, t.id::text as id
      from ${sql.table(target.resource.table)} t
      where ${scopeOf(target, caller)} and t.id = any (array(
        select case when named.value ->> 'id' ~ ${UUID} then (named.value ->> 'id')::uuid end
        from ${sql.table(mounted.resource.table)} t
        cross join lateral jsonb_each(${links}) named
        where t.id = any (${ids}) and named.value ->> 'resource' = ${name}))`;
  });
  return queries.length > 0 ? sql<ObjectRef>`${sql.join(queries, sql` union all `)}` : undefined;
}

/**
 * Removes references to missing or unreadable objects from the column `links`. `readable` is the
 * result of `readableReferences`; other resources take one query per page.
 */
export async function keepReadableReferences(
  rows: readonly StoredRow[],
  registry: Registry,
  { caller, db, forFile }: Reading,
  readable?: readonly ObjectRef[],
): Promise<void> {
  if (forFile || !rows.some(({ links }) => links)) return;
  const idsByResource = new Map<string, Set<string>>();
  for (const [, object] of rows.flatMap(entriesOf)) {
    if (object && isUuid(String(object.id)) && !(readable && COMMON.includes(object.resource)))
      idsByResource.set(
        object.resource,
        (idsByResource.get(object.resource) ?? new Set()).add(object.id),
      );
  }
  const queries = [...idsByResource].flatMap(([name, ids]) => {
    const target = registry.get(name);
    if (!target || !mayUse(caller.actor, target.resource, 'read')) return [];
    const { table } = target.resource;
    return sql`select ${name}::text as resource, t.id::text as id from ${sql.table(table)} t where t.id = any (${[...ids]}::uuid[]) and ${scopeOf(target, caller)}`;
  });
  const existing =
    queries.length > 0
      ? await sql<ObjectRef>`${sql.join(queries, sql` union all `)}`.execute(db)
      : { rows: [] };
  const known = new Set([...existing.rows, ...(readable ?? [])].map(keyOf));
  for (const row of rows) {
    const kept = entriesOf(row).filter(
      (entry): entry is [string, ObjectRef] => entry[1] !== null && known.has(keyOf(entry[1])),
    );
    row.links = Object.fromEntries(kept) satisfies NamedObjects;
  }
}
