import { type Language, type Resource, say, writableFields } from '@sallyport/contract';
import { type Caller, mayUse } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict, notFound } from '../../platform/errors.ts';
import { type Following, Operation, type ResourceSource, type StoredRow } from '../hooks.ts';
import { targetScopeOf } from '../read/scope.ts';
import type { WriteOptions } from '../write/unit-of-work.ts';
import { columnsOf, foreignKeysOf, insertRows } from './following.ts';
import type { KeptObject } from './kept.ts';
import { openKept, transformSealed } from './kept-object.ts';
import { restoreLinks } from './restore-links.ts';
import { type Missing, type Restoring, unlessControlled } from './restoring.ts';

/** Maximum missing objects that a restoration names; it counts the others. */
const MOST_NAMED = 20;

export interface Restored {
  readonly resource: Resource;
  readonly row: StoredRow;
  /** Objects and rows that did not come back, in the caller's language. */
  readonly missing: readonly string[];
}

/** Creates a row and returns it in wire form. */
type CreateRow = (body: unknown, caller: Caller, options: WriteOptions) => Promise<StoredRow>;

/** Unique names that replace taken ones, by field. */
export type OtherValues = Readonly<Record<string, string>>;

export interface RestoreOptions extends Pick<WriteOptions, 'dryRun'> {
  readonly other?: OtherValues | undefined;
  /** False: links of objects that decide on access do not come back. Default: true. */
  readonly keepsGrants?: boolean | undefined;
}

/**
 * Restores a deleted object under its id in an open transaction, by the rules of a new object.
 * Links come back where their other end still exists and the caller may change it.
 * @throws NotFound, Conflict, Forbidden; Invalid, such as for a name that is taken
 */
export async function restoreObject(
  source: ResourceSource,
  create: CreateRow,
  id: string,
  {
    caller,
    tx,
    dryRun = false,
    other = {},
    keepsGrants = true,
  }: RestoreOptions & { readonly caller: Caller; readonly tx: Tx },
): Promise<Restored> {
  const { mounted, services } = source;
  const { resource, hooks } = mounted;
  const mayRestore = (['create', 'delete'] as const).every((verb) =>
    mayUse(caller.actor, resource, verb),
  );
  const { rows } = await sql<{ document: string }>`
    select document from deleted_object where id = ${id} and resource = ${resource.name}
      and org_id = ${caller.actor.organization.id}
      and date_deleted > now() - make_interval(days => ${services.keepDeletedDays?.() ?? 0})
    for update`.execute(tx);
  const document = rows[0]?.document;
  if (!mayRestore || document === undefined) throw notFound();
  const organization = caller.actor.organization.id;
  const kept = openKept(services.vault, { id, document, organization, resource: resource.name });
  const missing: Missing[] = [];
  const body: Record<string, unknown> = { ...kept.body, ...kept.secrets };
  for (const [name, value] of Object.entries(other)) {
    const field = resource.fields[name];
    if (field?.kind === 'text' && field.unique) body[name] = value;
  }
  const operation = new Operation({ caller, tx, dryRun, query: new URLSearchParams() });
  await dropMissing(source, body, kept, { operation, missing });
  hooks.beforeRestore?.(body, kept, caller);
  const row = await create(body, caller, {
    tx,
    dryRun,
    restored: { id, row: await withoutLostReferences(resource.table, kept.row, tx) },
    async saved(_, operation) {
      await restoreFollowing(source, kept, { operation, missing, keepsGrants });
      await restoreLinks(source, id, kept, { operation, missing, keepsGrants });
    },
  });
  await sql`delete from deleted_object where id = ${id}`.execute(tx);
  return { resource, row, missing: inWords(missing, caller.language) };
}

/**
 * Drops links to objects that no longer exist, or that the rules refuse now.
 * @throws Conflict if the object would allow more without one, such as a condition
 */
async function dropMissing(
  { mounted, registry }: ResourceSource,
  body: Record<string, unknown>,
  { names }: KeptObject,
  { operation, missing }: Pick<Restoring, 'operation' | 'missing'>,
): Promise<void> {
  const { caller, tx } = operation;
  for (const [name, field] of writableFields(mounted.resource)) {
    if (field.kind !== 'many' && field.kind !== 'reference') continue;
    const target = registry.get(field.target);
    const ids = [body[name] ?? []].flat().map(String);
    if (!target || ids.length === 0) continue;
    const { rows } = await sql<{ id: string }>`
      select t.id from ${sql.table(target.resource.table)} t where t.id = any (${ids}::uuid[])
        and ${targetScopeOf(mounted, name, target, caller)}`.execute(tx);
    const present = rows.map((row) => row.id);
    const refused = await mounted.hooks.refuseLinks?.(name, present, operation);
    const existing = new Set(present.filter((id) => !refused?.has(id)));
    const lost = ids.filter((id) => !existing.has(id));
    if (lost.length === 0) continue;
    const parts = lost.map((id) => ({ what: field.label, name: names[id] ?? id }));
    if (field.kind === 'reference' && !mounted.hooks.mayLose?.includes(name))
      throw new Conflict('restore_needs', { what: field.label, name: parts[0]?.name ?? '' });
    missing.push(...parts);
    if (field.kind === 'reference') body[name] = null;
    else if (existing.size > 0) body[name] = ids.filter((id) => existing.has(id));
    else delete body[name];
  }
}

/** Leaves out columns that no longer exist, and clears those that refer to lost rows. */
async function withoutLostReferences(table: string, row: StoredRow, tx: Tx): Promise<StoredRow> {
  const present = await columnsOf(table, tx);
  const kept = Object.fromEntries(Object.entries(row).filter(([column]) => present.has(column)));
  for (const { column, target, key } of await foreignKeysOf(table, tx)) {
    if (kept[column] === null || kept[column] === undefined) continue;
    const { rows } = await sql`select 1 from ${sql.table(target)}
      where ${sql.ref(key)}::text = ${String(kept[column])}`.execute(tx);
    if (rows.length === 0) kept[column] = null;
  }
  return kept;
}

async function restoreFollowing(
  { mounted, services: { vault } }: ResourceSource,
  { following }: KeptObject,
  { operation: { caller, tx }, missing, keepsGrants }: Restoring,
): Promise<void> {
  const by = { actor: caller.actor, keepsGrants };
  for (const declared of mounted.hooks.following ?? []) {
    const { table, sealed = [], key = 'id', title } = declared;
    const kept = following[table] ?? [];
    const rows = kept
      .filter((row) => declared.mayRestore?.(row, by) !== false)
      .map((row) =>
        transformSealed(row, sealed, (value, name) =>
          vault.seal(value, `${table}.${name}.${row[key]}`),
        ),
      );
    const written =
      rows.length === 0
        ? 0
        : ((await unlessControlled(tx, () => insertRows(table, rows, tx))) ?? 0);
    if (written === kept.length) continue;
    assertComplete(declared);
    if (title) missing.push({ what: title, name: String(kept.length - written) });
  }
}

/** @throws Conflict if the object would allow more without a row that is lost */
function assertComplete({ isRequired, title }: Following): void {
  if (isRequired) throw new Conflict('restore_incomplete', { what: title ?? { en: '', zh: '' } });
}

function inWords(missing: readonly Missing[], language: Language): string[] {
  const lines = missing
    .slice(0, MOST_NAMED)
    .map(({ what, name }) => `${say(what, language)}: ${name}`);
  return missing.length > MOST_NAMED ? [...lines, `… ${missing.length}`] : lines;
}
