import {
  allows,
  type BodyMode,
  isUuid,
  Permission,
  type Problem,
  parseBody,
  type Resource,
  readableFields,
  writableFields,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type {
  MountedResource,
  Operation,
  Registry,
  ResourceServices,
  ResourceSource,
  StoredRow,
  Values,
} from '../hooks.ts';
import { selectList } from '../read/columns.ts';
import { scopeOf } from '../read/scope.ts';
import { unknownReferences } from '../relations/links.ts';
import { type Names, resolveNames } from '../relations/names.ts';
import { problemsOf } from './problems.ts';

/** A write: a new row, or with an id a change. */
export interface Draft {
  readonly id?: string;
  readonly body: unknown;
  readonly mode: BodyMode;
  /** Linked objects as files name them. The body has no values for these fields. */
  readonly names?: Names | undefined;
}

/** A draft while it is checked and written. */
export interface Item {
  /** Empty until a new row has its id. */
  id: string;
  /** The draft as sent. */
  readonly body: unknown;
  readonly values: Values;
  /** Fields that link by name; the plan resolves them. */
  readonly names: Names;
  readonly problems: Record<string, Problem[]>;
  /** The row before an update. */
  previous: StoredRow | undefined;
  /** True if the row does not exist or is outside the caller's scope. */
  isMissing: boolean;
}

/**
 * Only callers with access to all organizations choose ids of new objects. The engine ignores ids
 * from others.
 */
const CHOOSES_IDS = Permission.SUPER | Permission.ADMIN;
const NEVER_YEARS = 70;
/** Returns the expiry date of objects that never expire. */
export const withoutEnd = () => new Date(Date.now() + NEVER_YEARS * 365 * 86_400_000);

export const isBad = (item: Item): boolean => Object.keys(item.problems).length > 0;

/** Parses drafts by the declaration; problems stay with their item. */
export function readItems(resource: Resource, drafts: readonly Draft[], caller: Caller): Item[] {
  const items = drafts.map(({ id = '', body, mode, names = {} }): Item => {
    const { values, problems } = parseBody(resource.fields, body, mode, {
      zone: caller.zone,
      ignored: resource.ignoredFields,
      elsewhere: Object.keys(names),
    });
    if (mode === 'create') fillDates(resource, values);
    // A conflict would reveal an object of another organization.
    if (!allows(caller.actor.permissions, CHOOSES_IDS)) delete values.id;
    return {
      id: isUuid(id) ? id.toLowerCase() : '',
      body,
      values,
      names,
      problems,
      previous: undefined,
      isMissing: false,
    };
  });
  markDuplicates(items);
  return items;
}

function fillDates(resource: Resource, values: Values): void {
  for (const [name, field] of writableFields(resource)) {
    if (field.kind === 'datetime' && field.defaultValue === 'never' && !(name in values))
      values[name] = withoutEnd();
  }
}

/** Marks items with the same id: two bodies for one row contradict each other. */
function markDuplicates(items: readonly Item[]): void {
  const seen = new Set<string>();
  for (const item of items) {
    const id = item.id || String(item.values.id ?? '');
    if (id && seen.has(id)) item.problems.id = [{ code: 'list_duplicate', params: { value: id } }];
    seen.add(id);
  }
}

/** Returns the rows as stored, locked until the transaction ends, in a fixed order. */
export async function lockRows(
  mounted: MountedResource,
  ids: readonly string[],
  registry: Registry,
  { caller, tx }: Operation,
): Promise<Map<string, StoredRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<StoredRow>`
    select ${selectList(mounted, caller, registry, readableFields(mounted.resource, true))}
    from ${sql.table(mounted.resource.table)} t
    where t.id = any (${ids}::uuid[]) and ${scopeOf(mounted, caller)} order by t.id
    for update of t`.execute(tx);
  return new Map(rows.map((row) => [String(row.id), row]));
}

/**
 * Rejects chosen ids of former objects: the logs would attribute their history to the new object.
 */
async function refuseUsedIds(
  items: readonly Item[],
  { usedIds }: Pick<ResourceServices, 'usedIds'>,
  { tx }: Operation,
): Promise<void> {
  const chosen = items.filter(({ id, values }) => id === '' && typeof values.id === 'string');
  if (chosen.length === 0) return;
  const used = await usedIds(
    chosen.map(({ values }) => String(values.id)),
    tx,
  );
  for (const { values, problems } of chosen)
    if (used.has(String(values.id))) problems.id = [{ code: 'not_unique' }];
}

/** Checks items against references and the resource's rules. Returns the rows to be changed. */
export async function plan(
  { mounted, registry, services }: ResourceSource,
  items: readonly Item[],
  operation: Operation,
  checked: () => void,
): Promise<Map<string, StoredRow>> {
  const updated = items.filter((item) => item.id !== '');
  const locked = await lockRows(
    mounted,
    updated.map((item) => item.id),
    registry,
    operation,
  );
  for (const item of updated) {
    item.previous = locked.get(item.id);
    item.isMissing = item.previous === undefined;
    if (item.isMissing && !isBad(item))
      item.problems.id = [{ code: 'unknown_object', params: { value: item.id } }];
  }
  await refuseUsedIds(items, services, operation);
  await resolveNames(mounted, items, registry, operation);
  const bodies = items.map(({ values }) => values);
  for (const [index, problems] of await unknownReferences(mounted, bodies, registry, operation))
    Object.assign(items[index]?.problems ?? {}, problems);
  await mounted.hooks.prepare?.(bodies, operation);
  for (const item of items) {
    checked();
    if (isBad(item)) continue;
    Object.assign(
      item.problems,
      await problemsOf(() =>
        mounted.hooks.beforeSave?.(item.values, item.previous, operation, item.body),
      ),
    );
    if (isBad(item))
      Object.assign(
        item.problems,
        await otherDuplicates(mounted, item, operation.caller, operation.tx),
      );
  }
  return locked;
}

/**
 * Returns the other unique fields that also collide. The database names only the first; the user
 * can then fix all at once.
 */
export async function otherDuplicates(
  { resource }: MountedResource,
  {
    id,
    values,
    problems,
  }: {
    readonly id: string;
    readonly values: Values;
    readonly problems: Readonly<Record<string, readonly Problem[]>>;
  },
  { actor }: Pick<Caller, 'actor'>,
  tx: Tx,
): Promise<Record<string, Problem[]>> {
  if (!Object.values(problems).some((list) => list.some(({ code }) => code === 'not_unique')))
    return {};
  const duplicates: Record<string, Problem[]> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    const value = values[name];
    if (field.kind !== 'text' || !field.unique || name in duplicates || typeof value !== 'string')
      continue;
    const scope = {
      org: sql`and t.org_id = ${actor.organization.id}`,
      own: sql`and t.user_id = ${actor.userId}`,
      global: sql``,
    }[field.unique];
    const { rows } = await sql`
      select 1 from ${sql.table(resource.table)} t
      where lower(${sql.ref(`t.${name}`)}) = lower(${value}) ${scope} and t.id is distinct
      from ${id || null}::uuid limit 1`.execute(tx);
    if (rows.length > 0) duplicates[name] = [{ code: 'not_unique' }];
  }
  return duplicates;
}
