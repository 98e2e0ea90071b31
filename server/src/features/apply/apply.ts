import {
  asset,
  commandFilter,
  commandFilterRule,
  type FieldProblems,
  Permission,
} from '@sallyport/contract';
import { assertAccess } from '../../http/route.ts';
import type { Caller } from '../../platform/actor.ts';
import { type Db, retryTransient, type Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { AppError, Invalid, InvalidItems, invalid } from '../../platform/errors.ts';
import { type Engines, engineOf, type ResourceEngine } from '../../resources/engines.ts';
import { Operation, type ResourceServices, type StoredRow } from '../../resources/hooks.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import { findByName, writeNames } from '../../resources/relations/names.ts';
import { createConsequences, type Planned } from '../perms/index.ts';
import { replaceRules, rulesInWords } from './filter-rules.ts';
import {
  type Applied,
  type AppliedObject,
  draftOf,
  type FieldChange,
  type FileObject,
  fieldProblems,
  KINDS,
  plannedSave,
  type ShownValue,
} from './objects.ts';

export interface ApplyServices {
  readonly db: Db;
  readonly engines: Engines;
  readonly services: ResourceServices;
  /** Rejects new assets above the licensed number. */
  assertLicensed(wanted: number, tx: Tx): Promise<void>;
}

/** One run over a file, in one transaction. */
interface Run extends ApplyServices {
  readonly caller: Caller;
  readonly tx: Tx;
  readonly dryRun: boolean;
}

/** An object of a file with its engine, its name, and its id if it exists. */
interface Target {
  readonly engine: ResourceEngine;
  readonly name: string;
  readonly id: string | undefined;
  readonly fields: FileObject['fields'];
}

const NO_EFFECTS = { consequences: [], access: [] };
const UNCHANGED = { action: 'unchanged', changes: [], ...NO_EFFECTS } as const;

/**
 * Makes the objects of a file exist as the file says, all or none. A dry run does the same and
 * rolls back. Saves in the order of `KINDS`, then deletes in the reverse order.
 * @throws InvalidItems, aligned with the objects
 */
export async function applyObjects(
  objects: readonly FileObject[],
  isDry: boolean,
  caller: Caller,
  services: ApplyServices,
): Promise<Applied> {
  const rank = ({ kind, state }: FileObject) => {
    const at = KINDS.findIndex(({ resource }) => resource.name === kind);
    return state === 'absent' ? 2 * KINDS.length - at : at;
  };
  const ordered = [...objects.entries()].sort(([, one], [, other]) => rank(one) - rank(other));
  return retryTransient(async () => {
    const tx = await services.db.begin();
    try {
      const run = { ...services, caller, tx, dryRun: isDry };
      for (const { resource } of KINDS) await services.services.lockGrants(resource, tx);
      await services.assertLicensed(await countNewAssets(objects, run), tx);
      const problems: FieldProblems[] = objects.map(() => ({}));
      const applied: AppliedObject[] = [];
      for (const [index, object] of ordered) {
        const result = await attempt(() => applyObject(object, run), tx);
        if ('problems' in result) problems[index] = result.problems;
        else applied[index] = result.value;
      }
      if (problems.some((found) => Object.keys(found).length > 0)) throw new InvalidItems(problems);
      await (isDry ? tx.rollback() : tx.commit());
      return { applied: !isDry, objects: applied };
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  });
}

/** Counts assets that the file adds, by name. */
async function countNewAssets(
  objects: readonly FileObject[],
  { engines, caller, tx }: Run,
): Promise<number> {
  const names = objects.flatMap(({ kind, state, fields: { hostname } }) =>
    kind === asset.name && state === 'present' && typeof hostname === 'string' ? hostname : [],
  );
  const engine = engineOf(engines, asset);
  const added = [...new Set(names)];
  const present = await findByName(engine, added, scopeOf(engine, caller), tx);
  return added.filter((name) => (present.get(name) ?? []).length === 0).length;
}

/** Runs the work of one object, so that the problems of all objects are reported together. */
async function attempt<T>(
  work: () => Promise<T>,
  tx: Tx,
): Promise<{ readonly value: T } | { readonly problems: FieldProblems }> {
  await sql`savepoint file_object`.execute(tx);
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
    await sql`rollback to savepoint file_object`.execute(tx);
    if (error instanceof Invalid) return { problems: error.problems };
    if (error instanceof InvalidItems) return { problems: error.items[0] ?? {} };
    return { problems: { non_field_errors: [{ code: error.code, params: error.params }] } };
  }
}

async function applyObject(object: FileObject, run: Run): Promise<AppliedObject> {
  const { kind: name, fields } = object;
  const kind = KINDS.find(({ resource }) => resource.name === name);
  if (!kind) throw invalid('kind', 'not_choice', { value: name });
  const key = fields[kind.key];
  if (typeof key !== 'string' || key === '') throw invalid(kind.key, 'required');
  const problems = fieldProblems(kind.resource, fields);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const engine = engineOf(run.engines, kind.resource);
  const id = await findId(engine, key, run);
  const target: Target = { engine, name: key, id, fields };
  if (object.state === 'absent') return removeObject(target, run);
  return name === 'node' ? createNode(target, run) : saveObject(target, run);
}

/** Returns the id of the object that a file names. @throws Invalid for an ambiguous name */
async function findId(engine: ResourceEngine, name: string, { caller, tx }: Run) {
  const text = engine.hooks.inFiles?.read?.(name) ?? name;
  const candidates =
    (await findByName(engine, [text], scopeOf(engine, caller), tx)).get(text) ?? [];
  const exact = candidates.filter((one) => one.name === text);
  const [only, ...others] = exact.length > 0 ? exact : candidates;
  if (others.length > 0) throw invalid('non_field_errors', 'list_duplicate', { value: name });
  return only?.id;
}

function assertMay(needed: number | undefined, { caller }: Run): void {
  assertAccess(needed ?? Permission.SUPER, caller.actor, caller.language);
}

async function effectsOf(planned: Planned, { tx, engines, caller }: Run) {
  const { consequences, access } = await createConsequences(tx, engines)(planned, caller);
  return { consequences, access };
}

async function removeObject({ engine, name, id }: Target, run: Run): Promise<AppliedObject> {
  const { resource, writer } = engine;
  if (id === undefined) return { kind: resource.name, name, ...UNCHANGED };
  assertMay(resource.access.delete, run);
  const selection = { ids: [id], spm: '' };
  const effects = await effectsOf(
    { action: 'delete', resource: resource.name, selection, target: '', users: [] },
    run,
  );
  await writer.remove([id], run.caller, { tx: run.tx, dryRun: run.dryRun });
  return { kind: resource.name, name, action: 'delete', changes: [], ...effects };
}

/** Nodes have only their path. Missing nodes above it are created as well. */
async function createNode({ engine, name, id }: Target, run: Run): Promise<AppliedObject> {
  const { name: kind, access } = engine.resource;
  if (id !== undefined) return { kind, name, ...UNCHANGED };
  assertMay(access.create, run);
  const { caller, tx, dryRun } = run;
  const query = new URLSearchParams({ create_missing: 'node' });
  const operation = new Operation({ caller, tx, dryRun, query });
  const files = engine.hooks.inFiles;
  const created = await files?.create?.(files.read?.(name) ?? name, operation);
  if (created === undefined) throw invalid('path', 'not_path_of_node', { value: name });
  return { kind, name, action: 'create', changes: [], ...NO_EFFECTS };
}

async function saveObject(target: Target, run: Run): Promise<AppliedObject> {
  const { engine, name, id } = target;
  const { resource, reader } = engine;
  const { caller, tx } = run;
  assertMay(id === undefined ? resource.access.create : resource.access.update, run);
  const [before] = id === undefined ? [] : await reader.rows([id], caller, tx);
  const rulesBefore = await rulesOf(resource.name, id, run);
  await sql`savepoint trial`.execute(tx);
  let after = await write(target, run);
  const changes = await changesBetween(target, [before, after], run);
  const rulesAfter = await rulesOf(resource.name, String(after.id), run);
  if (JSON.stringify(rulesBefore) !== JSON.stringify(rulesAfter))
    changes.push({ field: 'rules', before: rulesBefore ?? null, after: rulesAfter ?? null });
  if (before && changes.length === 0) {
    // Undoes the entry in the operate log: nothing has changed.
    await sql`rollback to savepoint trial`.execute(tx);
    return { kind: resource.name, name, ...UNCHANGED };
  }
  const planned = plannedSave(resource, before, after);
  let effects: Pick<AppliedObject, 'consequences' | 'access'> = NO_EFFECTS;
  if (planned) {
    // Consequences are computed from the state before the change.
    await sql`rollback to savepoint trial`.execute(tx);
    effects = await effectsOf(planned, run);
    after = await write(target, run);
  }
  return {
    kind: resource.name,
    name,
    action: before ? 'update' : 'create',
    changes,
    ...effects,
  };
}

async function write({ engine, id, fields }: Target, run: Run): Promise<StoredRow> {
  const { resource, writer } = engine;
  const { caller, tx, dryRun } = run;
  const options = { tx, dryRun };
  const outcome = await writer.save([draftOf(resource, fields, id)], caller, options);
  if (!outcome.ok) throw new InvalidItems(outcome.problems);
  const [row] = outcome.rows;
  if (!row) throw new Error(`${resource.name} was saved and cannot be read`);
  if (resource.name === commandFilter.name && fields.rules !== undefined)
    await replaceRules(rulesSource(String(row.id), run), fields.rules, options);
  return row;
}

const rulesSource = (filter: string, { engines, caller, tx }: Run) => ({
  engine: engineOf(engines, commandFilterRule),
  caller,
  tx,
  filter,
});

const rulesOf = async (kind: string, id: string | undefined, run: Run) =>
  kind === commandFilter.name && id !== undefined ? rulesInWords(rulesSource(id, run)) : undefined;

function textOf(value: unknown): ShownValue {
  if (Array.isArray(value)) return value.map(String);
  if (value === undefined || value === null || typeof value === 'string') return value ?? null;
  return JSON.stringify(value);
}

/** Compares the fields that a file names, as the API shows them, with names instead of ids. */
async function changesBetween(
  { engine, fields }: Target,
  [before, after]: readonly [StoredRow | undefined, StoredRow],
  { engines, services, caller, tx }: Run,
): Promise<FieldChange[]> {
  const compared = Object.entries(engine.resource.fields).filter(
    ([name, { mode }]) => name in fields && mode !== 'writeonly',
  );
  const copies = [before, after].flatMap((row) => (row ? [{ ...row }] : []));
  const source = { mounted: engine, registry: engines, services };
  const reading = { caller, db: tx, operation: undefined, forFile: true };
  await writeNames(source, copies, reading, compared);
  const [old, fresh] = before ? copies : [undefined, copies[0]];
  return compared.flatMap(([field]) => {
    const [from, to] = [textOf(old?.[field]), textOf(fresh?.[field])];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field, before: from, after: to }];
  });
}
