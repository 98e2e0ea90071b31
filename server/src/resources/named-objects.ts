import { allows, isUuid, type NamedObjects, type ObjectRef } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Reading, Registry, Sql, StoredRow } from './hooks.ts';
import { scopeOf } from './scope.ts';

/** An object that a row names, as the column `links` of its resource lists them by field. */
export const named = (resource: string, id: Sql): Sql =>
  sql`jsonb_build_object('resource', ${resource}::text, 'id', ${id})`;

const keyOf = ({ resource, id }: ObjectRef) => `${resource} ${id}`;
const entriesOf = ({ links }: StoredRow) =>
  Object.entries((links ?? {}) as Readonly<Record<string, ObjectRef | null>>);

/** Leaves in the column `links` of rows what exists and what the caller may read, with one query for a page. */
export async function keepNamed(
  rows: readonly StoredRow[],
  registry: Registry,
  { caller, db, forFile }: Reading,
): Promise<void> {
  if (forFile || !rows.some(({ links }) => links)) return;
  const wanted = new Map<string, Set<string>>();
  for (const [, object] of rows.flatMap(entriesOf)) {
    if (object && isUuid(String(object.id)))
      wanted.set(object.resource, (wanted.get(object.resource) ?? new Set()).add(object.id));
  }
  const queries = [...wanted].flatMap(([name, ids]) => {
    const target = registry.get(name);
    if (
      !target?.resource.access.read ||
      !allows(caller.actor.permissions, target.resource.access.read)
    )
      return [];
    const { table } = target.resource;
    return sql`select ${name}::text as resource, t.id::text as id from ${sql.table(table)} t where t.id = any (${[...ids]}::uuid[]) and ${scopeOf(target, caller)}`;
  });
  const found =
    queries.length > 0
      ? await sql<ObjectRef>`${sql.join(queries, sql` union all `)}`.execute(db)
      : { rows: [] };
  const known = new Set(found.rows.map(keyOf));
  for (const row of rows) {
    const kept = entriesOf(row).filter(
      (entry): entry is [string, ObjectRef] => entry[1] !== null && known.has(keyOf(entry[1])),
    );
    row.links = Object.fromEntries(kept) satisfies NamedObjects;
  }
}
