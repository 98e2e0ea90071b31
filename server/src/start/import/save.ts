import { asset, assetUser, commandFilterRule, isUuid } from '@sallyport/contract';
import { readRulesOf, replaceRules, rulesInWords } from '../../features/apply/index.ts';
import { pinHostKey } from '../../features/assets/index.ts';
import { FIRST_KEEPS, storeImportedCredentials } from '../../features/identity/index.ts';
import { type Caller, FIRST_ADMINISTRATOR } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { AppError } from '../../platform/errors.ts';
import { engineOf, type ResourceEngine } from '../../resources/engines.ts';
import type { StoredRow } from '../../resources/hooks.ts';
import { saveGood } from '../../resources/write/imported-rows.ts';
import type { Draft } from '../../resources/write/plan.ts';
import { problemsInWords } from '../../resources/write/problems.ts';
import { differences } from './compare.ts';
import { type Description, KINDS, type Kind, type SourceObject } from './description.ts';
import { accountKey, BATCH, countNew, findPresent, storedAccounts } from './match.ts';
import { saveNodes } from './nodes.ts';
import type { OpenedEngines } from './open-engines.ts';
import type { Report } from './report.ts';
import { RESOURCES } from './resources.ts';
import { describeError, ImportRun } from './run.ts';
import { storeRun } from './undo/store.ts';

export interface ImportOptions extends OpenedEngines {
  readonly db: Db;
  /** Do everything, then roll back. */
  readonly isDry: boolean;
  /** Write the other objects if some are refused. */
  readonly skipsRefused: boolean;
  readonly said?: (kind: Kind) => void;
  /** The kind of source, for the list of imports. */
  readonly source: string;
}

/**
 * Makes the objects of a source exist, in one transaction. Rolls back for a dry run, and if an
 * object is refused that may not be skipped.
 */
export async function importObjects(
  { objects, notes }: Description,
  { engines, services, db, isDry, skipsRefused, said, source, assertLicensed }: ImportOptions,
): Promise<{ readonly report: Report; readonly isApplied: boolean }> {
  const tx = await db.begin();
  try {
    const run = new ImportRun(engines, services, tx);
    // Before any other lock, as each write of the server does.
    await services.lockGrants(asset, tx);
    for (const note of notes) run.report.note(note);
    for (const kind of KINDS) {
      said?.(kind);
      const ofKind = objects.filter((object) => object.kind === kind);
      if (kind === 'asset' && !skipsRefused)
        await assertLicensed(await countNew(ofKind, engineOf(engines, asset), run), tx);
      if (kind === 'node') await saveNodes(ofKind, run);
      else
        for (const group of Map.groupBy(ofKind, (object) => object.organization).values())
          for (let at = 0; at < group.length; at += BATCH)
            await saveBatch(kind, group.slice(at, at + BATCH), run);
    }
    const isApplied = !isDry && (skipsRefused || run.report.total('refused') === 0);
    if (isApplied) await storeRun(source, run.written, tx);
    await (isApplied ? tx.commit() : tx.rollback());
    return { report: run.report, isApplied };
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}

/** An object with the body of its write. */
interface Prepared {
  readonly object: SourceObject;
  readonly body: Record<string, unknown>;
  readonly presentId: string | undefined;
}

async function saveBatch(kind: Kind, objects: readonly SourceObject[], run: ImportRun) {
  const [first] = objects;
  const caller = first && run.callerOf(first);
  if (!caller) {
    for (const object of objects)
      run.report.add('refused', object, 'its organization was not imported');
    return;
  }
  const engine = engineOf(run.engines, RESOURCES[kind]);
  const prepared = await prepare(objects, { engine, caller }, run);
  const present = prepared.flatMap(({ presentId }) => presentId ?? []);
  const rows = new Map(
    (await engine.reader.rows(present, caller, run.tx)).map((row) => [String(row.id), row]),
  );
  const created: Prepared[] = [];
  for (const one of prepared) {
    const row = rows.get(one.presentId ?? '');
    if (row) await change(one, row, { engine, caller }, run);
    else created.push(one);
  }
  await create(created, { engine, caller }, run);
}

interface Target {
  readonly engine: ResourceEngine;
  readonly caller: Caller;
}

/** Resolves links, and finds present objects. Refuses objects that cannot be written. */
async function prepare(
  objects: readonly SourceObject[],
  { engine, caller }: Target,
  { links, report, tx }: ImportRun,
): Promise<Prepared[]> {
  const { resource } = engine;
  const bodies = objects.map((object) => ({
    object,
    ...links.resolve(resource, withoutRules(object)),
  }));
  const isAccount = resource.name === assetUser.name;
  const stored = isAccount
    ? await storedAccounts(bodies.map(({ body }) => String(body.asset)).filter(isUuid), tx)
    : new Set<string>();
  const present = isAccount
    ? new Map<SourceObject, string>()
    : await findPresent(objects, { engine, caller, tx });
  const taken = new Set<string>();
  return bodies.flatMap(({ object, body, missing, isComplete }) => {
    const presentId = present.get(object);
    const refuse = (reason: string) => {
      report.add('refused', object, reason);
      return [];
    };
    if (!isComplete) return refuse(missing.join(', '));
    if (object.kind === 'membership' && presentId === undefined)
      return refuse('its organization was not imported');
    if (missing.length > 0) report.note({ place: object.place, text: missing.join(', ') });
    if (isAccount && stored.has(accountKey(body.asset, body.username))) {
      report.add('same', object);
      return [];
    }
    if (presentId !== undefined && taken.has(presentId) && object.kind !== 'membership')
      return refuse('another object of the source has the same name');
    if (presentId === undefined && object.mustExist)
      return refuse('does not exist; create it first');
    if (presentId !== undefined) taken.add(presentId);
    return [{ object, body, presentId }];
  });
}

/** The rules of a command filter are written after it. */
function withoutRules({ fields: { rules: _, ...fields } }: SourceObject) {
  return fields;
}

/** Returns the members of an organization together with those of the source. */
function withPresentMembers(body: Record<string, unknown>, row: StoredRow) {
  return Object.fromEntries(
    Object.entries(body).map(([field, ids]) => [
      field,
      [...new Set([...((row[field] ?? []) as string[]), ...(ids as string[])])],
    ]),
  );
}

/** Compares a present object, and writes its differences. */
async function change(
  { object, body }: Prepared,
  row: StoredRow,
  { engine, caller }: Target,
  run: ImportRun,
): Promise<void> {
  const { links, report, tx } = run;
  const id = String(row.id);
  links.set(object.kind, object.id, id);
  if (object.kind === 'organization')
    run.useOrganization(object.id, { id, name: String(body.name) });
  const target = object.kind === 'membership' ? withPresentMembers(body, row) : body;
  // Internal platforms cannot be changed.
  const differing = row.internal === true ? [] : differences(engine.resource, target, row);
  // No source can take its sign-in from the first administrator.
  const isFirst = object.kind === 'user' && row.username === FIRST_ADMINISTRATOR;
  const changes = differing.filter(({ field }) => !isFirst || !FIRST_KEEPS.has(field));
  const values = Object.fromEntries(changes.map(({ field, value }) => [field, value]));
  try {
    const rules = await run.savepoint(async () => {
      if (changes.length > 0) await engine.writer.change(id, values, caller, { tx });
      return saveRules(object, id, { engine, caller }, run);
    });
    const texts = [...changes.map(({ text }) => text), ...rules.texts];
    const before = Object.fromEntries(changes.map(({ field }) => [field, row[field] ?? null]));
    if (texts.length > 0) run.remember(object, id, caller, { ...before, ...rules.before });
    report.add(texts.length > 0 ? 'changed' : 'same', object, texts.join('; '));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    report.add('refused', object, describeError(error, engine.resource));
  }
}

/** Writes the rules of a command filter. Returns what changed. */
async function saveRules(
  { fields: { rules } }: SourceObject,
  filter: string,
  { caller }: Target,
  { engines, tx }: ImportRun,
): Promise<{ readonly texts: readonly string[]; readonly before?: object }> {
  if (rules === undefined) return { texts: [] };
  const source = { engine: engineOf(engines, commandFilterRule), caller, tx, filter };
  const before = await rulesInWords(source);
  const earlier = await readRulesOf(source);
  await sql`savepoint import_rules`.execute(tx);
  await replaceRules(source, rules, { tx });
  const after = await rulesInWords(source);
  if (JSON.stringify(before) !== JSON.stringify(after))
    return {
      texts: [`rules: ${before.length} before, ${after.length} now`],
      before: { rules: earlier },
    };
  await sql`rollback to savepoint import_rules`.execute(tx);
  return { texts: [] };
}

/** Creates objects, and refuses those with problems. */
async function create(created: readonly Prepared[], target: Target, run: ImportRun): Promise<void> {
  if (created.length === 0) return;
  const { engine, caller } = target;
  const used = await run.services.usedIds(
    created.map(({ object }) => object.id).filter(isUuid),
    run.tx,
  );
  const drafts = created.map(({ object, body }): Draft => {
    const keepsId = isUuid(object.id) && !used.has(object.id) && 'id' in engine.resource.fields;
    const id = keepsId && engine.resource.fields.id?.kind === 'id' ? { id: object.id } : {};
    return { body: { ...body, ...object.initial, ...id }, mode: 'create' };
  });
  let results: Awaited<ReturnType<typeof saveGood>>;
  try {
    results = await run.savepoint(() => saveGood(engine.writer, drafts, caller, run.tx));
  } catch (error) {
    // All objects together are too many: halves would be refused one by one.
    if (!(error instanceof AppError) || error.code === 'license_assets') throw error;
    const [only, ...others] = created;
    if (only && others.length === 0) {
      run.report.add('refused', only.object, describeError(error, engine.resource));
      return;
    }
    // The error does not name its object.
    const half = Math.ceil(created.length / 2);
    await create(created.slice(0, half), target, run);
    return create(created.slice(half), target, run);
  }
  for (const [index, { object }] of created.entries()) {
    const result = results[index];
    if (result && 'row' in result) await finish(object, result.row, target, run);
    else
      run.report.add(
        'refused',
        object,
        problemsInWords(result?.problems ?? {}, engine.resource, 'en').join(' '),
      );
  }
}

/** Writes the parts of a new object that are no fields of its resource. */
async function finish(
  object: SourceObject,
  row: StoredRow,
  target: Target,
  run: ImportRun,
): Promise<void> {
  const { links, report, services, tx } = run;
  const id = String(row.id);
  try {
    await run.savepoint(() => saveRules(object, id, target, run));
    for (const key of object.hostKeys ?? []) await pinHostKey({ assetId: id, ...key }, tx);
    if (object.credentials)
      await storeImportedCredentials(id, object.credentials, services.vault, tx);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    report.add('refused', object, describeError(error));
    return;
  }
  links.set(object.kind, object.id, id);
  if (object.kind === 'organization')
    run.useOrganization(object.id, { id, name: String(row.name) });
  report.add('new', object);
  run.remember(object, id, target.caller, null);
}
