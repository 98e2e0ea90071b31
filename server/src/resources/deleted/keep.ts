import { writableFields } from '@sallyport/contract';
import { displayName } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { MountedResource, Operation, ResourceSource, StoredRow } from '../hooks.ts';
import { columnOf, type LinkTable, linkOf } from '../read/columns.ts';
import { objectName } from '../relations/named-objects.ts';
import type { JsonRow, KeptLinks, KeptObject, KeptOwner } from './kept.ts';
import {
  contextOf,
  GENERATED,
  type IncomingLink,
  incomingLinks,
  isOwnLink,
  transformSealed,
} from './kept-object.ts';

/** Maximum size of a kept object in characters; larger ones cannot be restored. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** Objects per statement. */
const CHUNK = 200;

/** Stores the read objects; objects that still exist are left out. */
export type StoreDeleted = () => Promise<void>;

/**
 * Reads objects before they are deleted. `shown` has them in wire form. The returned function
 * stores them after the deletion, in the same transaction.
 */
export async function readDeleted(
  source: ResourceSource,
  shown: ReadonlyMap<string, StoredRow>,
  operation: Operation,
  batch: string | undefined,
): Promise<StoreDeleted> {
  const { mounted, services } = source;
  if (!mounted.resource.restorable || (services.keepDeletedDays?.() ?? 0) === 0)
    return () => Promise.resolve();
  const ids = [...shown.keys()];
  const kept = new Map<string, KeptObject>();
  for (let start = 0; start < ids.length; start += CHUNK)
    for (const [id, object] of await readChunk(
      source,
      ids.slice(start, start + CHUNK),
      shown,
      operation,
    ))
      kept.set(id, object);
  return () => storeAll(source, { kept, shown, batch }, operation);
}

/** A row with everything that links to it and follows it, from one statement. */
interface StoredObject {
  readonly id: string;
  readonly row: StoredRow;
  readonly following: Readonly<Record<string, readonly JsonRow[] | null>>;
  /** Owners of links by resource and field, and names of linked objects by id. */
  readonly links: readonly (KeptLinks & { readonly names: Readonly<Record<string, string>> })[];
  readonly names: readonly (Readonly<Record<string, string>> | null)[];
}

const jsonOf = (alias: string): Sql => sql`to_jsonb(${sql.ref(alias)}) - ${GENERATED}::text[]`;

/** Selects the links of one field to the row (alias `r`), or null without any. */
const selectLinks = ({ owner, field, table, own, other }: IncomingLink): Sql => sql`(
  select jsonb_build_object('resource', ${owner.resource.name}::text, 'field', ${field}::text,
    'ids', jsonb_agg(t.id), 'names', jsonb_object_agg(t.id, ${objectName(owner)}))
  from ${sql.table(table)} link
  join ${sql.table(owner.resource.table)} t on t.id = ${sql.ref(`link.${own}`)}
  where ${sql.ref(`link.${other}`)} = r.id having count(*) > 0)`;

/** Selects the names of the objects that the row (alias `r`) names in one field, by id. */
function selectNames({ mounted: { resource }, registry }: ResourceSource): Sql[] {
  return writableFields(resource).flatMap(([name, field]) => {
    const target = 'target' in field && registry.get(String(field.target));
    if (!target || (field.kind !== 'many' && field.kind !== 'reference')) return [];
    const from =
      field.kind === 'reference'
        ? sql`where t.id = ${sql.ref(`r.${columnOf(name, field)}`)}`
        : joinOf(linkOf(resource, name, registry));
    return [
      sql`(select jsonb_object_agg(t.id, ${objectName(target)})
        from ${sql.table(target.resource.table)} t ${from})`,
    ];
  });
}

const joinOf = ({ table, own, other, reverse }: LinkTable): Sql =>
  reverse
    ? sql`where ${sql.ref(`t.${own}`)} = r.id`
    : sql`join ${sql.table(table)} link on ${sql.ref(`link.${other}`)} = t.id
        where ${sql.ref(`link.${own}`)} = r.id`;

/** Joins the parts of an array; an empty list becomes an empty array. */
const jsonArray = (parts: readonly Sql[]): Sql => sql`jsonb_build_array(${sql.join(parts)})`;

async function readChunk(
  source: ResourceSource,
  ids: readonly string[],
  shown: ReadonlyMap<string, StoredRow>,
  { tx }: Operation,
): Promise<Map<string, KeptObject>> {
  const { mounted, registry } = source;
  const { resource, hooks } = mounted;
  const following = (hooks.following ?? []).map(
    ({ table, column }) => sql`${table}::text, (select jsonb_agg(${jsonOf('f')})
      from ${sql.table(table)} f where ${sql.ref(`f.${column}`)} = r.id)`,
  );
  const { rows } = await sql<StoredObject>`
    select r.id, ${jsonOf('r')} as row, jsonb_build_object(${sql.join(following)}) as following,
      ${jsonArray(incomingLinks(resource, registry).map(selectLinks))} as links,
      ${jsonArray(selectNames(source))} as names
    from ${sql.table(resource.table)} r where r.id = any (${ids}::uuid[])`.execute(tx);
  return new Map(
    rows.flatMap((stored): [string, KeptObject][] => {
      try {
        return [[stored.id, keptOf(source, stored, shown)]];
      } catch (error) {
        // Without one of its secrets, a user would come back without a second factor.
        if (error instanceof UnreadableSecret) return [];
        throw error;
      }
    }),
  );
}

/** A secret that does not open, such as one sealed with a lost key. Its object can be deleted. */
class UnreadableSecret extends Error {}

function opened(vault: Vault, sealed: string, context: string): string {
  try {
    return vault.open(sealed, context);
  } catch (error) {
    throw new UnreadableSecret('a secret of a deleted object does not open', { cause: error });
  }
}

/** @throws UnreadableSecret */
function keptOf(
  { mounted, services: { vault } }: ResourceSource,
  { id, row, following, links, names }: StoredObject,
  shown: ReadonlyMap<string, StoredRow>,
): KeptObject {
  const { resource, hooks } = mounted;
  const sealed = writableFields(resource).flatMap(([name, { kind }]) =>
    kind === 'secret' && !hooks.storeSecret?.[name] ? [name] : [],
  );
  const secrets = sealed.flatMap((name): [string, string][] => {
    const value = row[name];
    return typeof value === 'string' && value !== ''
      ? [[name, opened(vault, value, `${resource.table}.${name}.${id}`)]]
      : [];
  });
  // Earlier secrets are sealed under the columns of the row; they are not kept.
  const { previous_secrets: _, ...columns } = row;
  for (const name of sealed) delete columns[name];
  const present = links.filter((link) => link !== null);
  return {
    body: bodyOf(mounted, shown.get(id) ?? {}),
    secrets: Object.fromEntries(secrets),
    row: columns,
    links: present.map(({ resource: owner, field, ids }) => ({ resource: owner, field, ids })),
    following: Object.fromEntries(
      (hooks.following ?? []).flatMap(({ table, sealed: columnsOf = [], key = 'id' }) => {
        const rows = following[table]?.map((one) =>
          transformSealed(one, columnsOf, (value, name) =>
            opened(vault, value, `${table}.${name}.${one[key]}`),
          ),
        );
        return rows ? [[table, rows]] : [];
      }),
    ),
    names: Object.assign({}, ...names, ...present.map((link) => link.names)),
  };
}

/** Returns the values with which the object can be created again. */
function bodyOf({ resource }: MountedResource, row: StoredRow): Record<string, unknown> {
  return Object.fromEntries(
    writableFields(resource).flatMap(([name, { kind, mode }]) =>
      kind === 'id' ||
      kind === 'secret' ||
      mode === 'writeonly' ||
      (kind === 'many' && !isOwnLink(resource)) ||
      row[name] === undefined
        ? []
        : [[name, row[name]]],
    ),
  );
}

interface Storing {
  readonly kept: ReadonlyMap<string, KeptObject>;
  readonly shown: ReadonlyMap<string, StoredRow>;
  readonly batch: string | undefined;
}

async function storeAll(
  { mounted: { resource, hooks }, services: { vault } }: ResourceSource,
  { kept, shown, batch }: Storing,
  { caller: { actor }, tx }: Operation,
): Promise<void> {
  const organization = resource.scope === 'org' ? actor.organization.id : '';
  const owner: KeptOwner = { organization, resource: resource.name };
  const gone = [...kept];
  for (let start = 0; start < gone.length; start += CHUNK) {
    const objects = gone.slice(start, start + CHUNK).flatMap(([id, object]) => {
      const text = JSON.stringify({ of: owner, ...object });
      if (text.length > MOST_CHARACTERS) return [];
      const row = shown.get(id) ?? {};
      const name = hooks.describe?.(row) ?? String(row[resource.labelField] ?? id);
      return [{ id, name: name.slice(0, 256), document: vault.seal(text, contextOf(id)) }];
    });
    const [ids, names, documents] = (['id', 'name', 'document'] as const).map((column) =>
      objects.map((object) => object[column]),
    );
    await sql`
      insert into deleted_object (id, org_id, resource, name, deleted_by, batch, document)
      select o.id, ${organization}, ${resource.name}, o.name,
        ${displayName(actor).slice(0, 256)}, ${batch ?? null}::uuid, o.document
      from unnest(${ids}::uuid[], ${names}::text[], ${documents}::text[])
        as o (id, name, document)
      where not exists (select 1 from ${sql.table(resource.table)} t where t.id = o.id)
      on conflict (id) do nothing`.execute(tx);
  }
}
