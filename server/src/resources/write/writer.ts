import { type BodyMode, type FieldProblems, isUuid, MAX_ITEMS } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { sql } from '../../platform/db/sql.ts';
import { Invalid, InvalidItems, invalid, notFound } from '../../platform/errors.ts';
import { readDeleted } from '../deleted/keep.ts';
import { type Restored, type RestoreOptions, restoreObject } from '../deleted/restore.ts';
import type {
  MountedResource,
  Operation,
  Registry,
  ResourceServices,
  ResourceSource,
  StoredRow,
} from '../hooks.ts';
import type { Reader } from '../read/reader.ts';
import { writeLinks, writeRows } from './apply.ts';
import { type Draft, type Item, isBad, lockRows, plan, readItems } from './plan.ts';
import { byId, deletedEntries, savedEntries } from './record.ts';
import { createProgress, createUnitOfWork, type WriteOptions } from './unit-of-work.ts';

/**
 * The result of a write: rows in wire form in order, or problems by draft, `{}` for valid drafts.
 * An invalid draft prevents the whole write.
 */
export type Outcome =
  | { readonly ok: true; readonly rows: StoredRow[] }
  | {
      readonly ok: false;
      readonly problems: readonly FieldProblems[];
      /** By draft: true if its row does not exist. */
      readonly missing: readonly boolean[];
    };

type ChangeMode = Exclude<BodyMode, 'create'>;

/** Writes of one resource. Each checks, changes and logs in one transaction. */
export interface Writer {
  /** Writes drafts, all or none. Throws errors other than problems of fields. */
  save(drafts: readonly Draft[], caller: Caller, options?: WriteOptions): Promise<Outcome>;
  /** Creates a row and returns it in wire form. @throws Invalid */
  create(body: unknown, caller: Caller, options?: WriteOptions): Promise<StoredRow>;
  /** Creates rows, all or none. @throws InvalidItems, aligned with the bodies */
  createMany(
    bodies: readonly unknown[],
    caller: Caller,
    options?: WriteOptions,
  ): Promise<StoredRow[]>;
  /** Changes the given fields of a row. @throws Invalid, NotFound */
  change(id: string, body: unknown, caller: Caller, options?: WriteOptions): Promise<StoredRow>;
  /** Replaces a row; the body has all required fields. @throws Invalid, NotFound */
  replace(id: string, body: unknown, caller: Caller, options?: WriteOptions): Promise<StoredRow>;
  /**
   * Updates rows by their `id` or `pk`, all or none. @throws InvalidItems, aligned with the bodies
   */
  updateMany(
    bodies: readonly unknown[],
    mode: ChangeMode,
    caller: Caller,
    options?: WriteOptions,
  ): Promise<StoredRow[]>;
  /**
   * Creates a deleted object again under its id. `other` replaces unique names that are taken.
   * @throws Invalid, NotFound, Conflict
   */
  restore(id: string, caller: Caller, options?: WriteOptions & RestoreOptions): Promise<Restored>;
  /** Deletes rows, all or none. @throws NotFound if a row is outside the caller's scope */
  remove(ids: readonly string[], caller: Caller, options?: WriteOptions): Promise<void>;
}

/** The rows that a writer writes. */
interface WriteSource extends ResourceSource {
  readonly reader: Reader;
}

/** Plans, applies and records drafts in one transaction. */
async function saveIn(
  source: WriteSource,
  items: readonly Item[],
  operation: Operation,
  options: WriteOptions,
): Promise<Outcome> {
  const { mounted, services, reader } = source;
  const { resource, hooks } = mounted;
  const { caller, tx } = operation;
  const progress = createProgress(items.length, options.job);
  const locked = await plan(source, items, operation, () => progress('rules', 1));
  const before = resource.audited
    ? byId(await reader.show([...locked.values()], operation))
    : new Map<string, StoredRow>();
  await writeRows(source, items, operation, (rows) => progress('row', rows));
  if (items.some(isBad)) return refused(items);
  await writeLinks(source, items, operation);
  await hooks.afterSave?.(items, operation);
  progress('effects', items.length);
  const ids = items.map((item) => item.id);
  const rows = await reader.rows(ids, caller, tx, operation);
  progress('answer', items.length);
  if (resource.audited)
    await services.audit(
      tx,
      caller,
      ...savedEntries(mounted, {
        items,
        before,
        after: rows,
        isRestored: operation.restored !== undefined,
      }),
    );
  progress('record', items.length);
  await options.saved?.(ids, operation);
  return { ok: true, rows };
}

/** Deletes rows and records it. @throws NotFound */
async function removeIn(
  { mounted, registry, services, reader }: WriteSource,
  unique: readonly string[],
  operation: Operation,
  options: WriteOptions,
): Promise<void> {
  const { resource, hooks } = mounted;
  const { caller, tx } = operation;
  const locked = await lockRows(mounted, unique, registry, operation);
  if (locked.size < unique.length) throw notFound();
  const spared = (await options.spared?.(unique, operation)) ?? new Set<string>();
  for (const id of spared) locked.delete(id);
  const held = resource.audited
    ? byId(await reader.show([...locked.values()], operation))
    : new Map<string, StoredRow>();
  const storeDeleted = await readDeleted(
    { mounted, registry, services },
    held,
    operation,
    options.batch,
  );
  for (const row of locked.values()) {
    await hooks.beforeDelete?.(row, operation);
    await hooks.remove?.(row, operation);
  }
  if (!hooks.remove)
    await sql`delete from ${sql.table(resource.table)} where id = any (${[...locked.keys()]}::uuid[])`.execute(
      tx,
    );
  await storeDeleted();
  if (resource.audited) await services.audit(tx, caller, ...deletedEntries(mounted, locked, held));
}

/** Builds the writer of a resource. Single rows and batches share one path: plan, apply, record. */
export function createWriter(
  mounted: MountedResource,
  registry: Registry,
  services: ResourceServices,
  reader: Reader,
): Writer {
  const { resource } = mounted;
  const source = { mounted, registry, services, reader };
  const unitOfWork = createUnitOfWork(resource, registry, services);

  const save = async (
    items: readonly Item[],
    caller: Caller,
    options: WriteOptions,
  ): Promise<Outcome> => {
    if (items.length === 0) return { ok: true, rows: [] };
    // A single invalid row needs no transaction, unless names must be resolved.
    if (
      items.length === 1 &&
      items.every((item) => isBad(item) && Object.keys(item.names).length === 0)
    )
      return refused(items);
    return unitOfWork(
      caller,
      options,
      (operation) => saveIn(source, items.map(copyOf), operation, options),
      ({ ok }) => ok,
    );
  };

  const saveOne = async (
    draft: Draft,
    caller: Caller,
    options: WriteOptions = {},
  ): Promise<StoredRow> => {
    if (draft.id !== undefined && !isUuid(draft.id)) throw notFound();
    const outcome = await save(readItems(resource, [draft], caller), caller, options);
    if (!outcome.ok) throw outcome.missing[0] ? notFound() : new Invalid(outcome.problems[0] ?? {});
    const [row] = outcome.rows;
    if (!row) throw notFound();
    return row;
  };

  const saveMany = async (
    items: readonly Item[],
    caller: Caller,
    options: WriteOptions = {},
  ): Promise<StoredRow[]> => {
    const outcome = await save(items, caller, options);
    if (!outcome.ok) throw new InvalidItems(outcome.problems);
    return outcome.rows;
  };

  const create: Writer['create'] = (body, caller, options) =>
    saveOne({ body, mode: 'create' }, caller, options);
  return {
    save: (drafts, caller, options = {}) =>
      save(readItems(resource, drafts, caller), caller, options),
    create,
    restore: (id, caller, options = {}) =>
      unitOfWork(caller, options, ({ tx, dryRun }) =>
        restoreObject(source, create, id, {
          caller,
          tx,
          dryRun,
          other: options.other,
          keepsGrants: options.keepsGrants,
        }),
      ),
    change: (id, body, caller, options) => saveOne({ id, body, mode: 'change' }, caller, options),
    replace: (id, body, caller, options) => saveOne({ id, body, mode: 'replace' }, caller, options),
    async createMany(bodies, caller, options) {
      assertCount(bodies);
      const drafts = bodies.map((body, index) => ({
        body,
        mode: 'create' as const,
        names: options?.names?.[index],
      }));
      return saveMany(readItems(resource, drafts, caller), caller, options);
    },
    async updateMany(bodies, mode, caller, options) {
      assertCount(bodies);
      const sentIds = bodies
        .map((body) => (body ?? {}) as { id?: unknown; pk?: unknown })
        .map(({ id, pk }) => id ?? pk);
      const drafts = bodies.map((body, index) => ({
        id: typeof sentIds[index] === 'string' ? sentIds[index] : '',
        body,
        mode,
        names: options?.names?.[index],
      }));
      const items = readItems(resource, drafts, caller);
      for (const [index, item] of items.entries()) {
        const own = sentIds[index];
        if (own === undefined) item.problems.id = [{ code: 'required' }];
        else if (!isUuid(own))
          item.problems.id = [{ code: 'not_uuid', params: { value: formatValue(own) } }];
      }
      return saveMany(items, caller, options);
    },
    async remove(ids, caller, options = {}) {
      const unique = [...new Set(ids)];
      await unitOfWork(caller, options, (operation) =>
        removeIn(source, unique, operation, options),
      );
    },
  };
}

/** Copies an item; a retry starts from the original. */
const copyOf = (item: Item): Item => ({
  ...item,
  values: { ...item.values },
  problems: { ...item.problems },
});

function refused(items: readonly Item[]): Outcome {
  return {
    ok: false,
    problems: items.map((item) => item.problems),
    missing: items.map((item) => item.isMissing),
  };
}

/**
 * Formats a value for an error message. Objects are not converted: their `toString` may be hostile.
 */
const formatValue = (value: unknown): string =>
  typeof value === 'object' ? '{…}' : String(value).slice(0, 64);

function assertCount(bodies: readonly unknown[]): void {
  if (bodies.length > MAX_ITEMS)
    throw invalid('non_field_errors', 'list_too_long', { max: MAX_ITEMS });
}

/** Parses a path's `{id}` or `{id},{id}`. @throws NotFound for malformed ids */
export function readIds(text: string): string[] {
  const ids = text.split(',');
  if (ids.length > MAX_ITEMS || !ids.every((id) => isUuid(id))) throw notFound();
  return ids.map((id) => id.toLowerCase());
}
