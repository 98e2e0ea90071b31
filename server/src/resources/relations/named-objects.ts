import { isUuid, type NamedObjects, type ObjectRef } from '@sallyport/contract';
import { mayUse } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { MountedResource, Reading, Registry, StoredRow } from '../hooks.ts';
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

/**
 * Removes references to missing or unreadable objects from the column `links`, with one query per
 * page.
 */
export async function keepReadableReferences(
  rows: readonly StoredRow[],
  registry: Registry,
  { caller, db, forFile }: Reading,
): Promise<void> {
  if (forFile || !rows.some(({ links }) => links)) return;
  const idsByResource = new Map<string, Set<string>>();
  for (const [, object] of rows.flatMap(entriesOf)) {
    if (object && isUuid(String(object.id)))
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
  const known = new Set(existing.rows.map(keyOf));
  for (const row of rows) {
    const kept = entriesOf(row).filter(
      (entry): entry is [string, ObjectRef] => entry[1] !== null && known.has(keyOf(entry[1])),
    );
    row.links = Object.fromEntries(kept) satisfies NamedObjects;
  }
}
