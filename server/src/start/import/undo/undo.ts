import { asset, assetUser, commandFilterRule, user } from '@sallyport/contract';
import { replaceRules } from '../../../features/apply/index.ts';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { AppError } from '../../../platform/errors.ts';
import { engineOf, type ResourceEngine } from '../../../resources/engines.ts';
import { KINDS, type Kind } from '../description.ts';
import type { OpenedEngines } from '../open-engines.ts';
import { TITLES } from '../report.ts';
import { RESOURCES } from '../resources.ts';
import { describeError, ImportRun } from '../run.ts';
import { forgetRun, objectsOf, type Remembered, usesOf } from './store.ts';

/** Objects of one statement. */
const BATCH = 500;
/** Maximum lines about refused objects; the counts are complete. */
const MOST_LINES = 500;

const CHANGED = 'was changed or used since the import';

interface Counts {
  deleted: number;
  restored: number;
  gone: number;
  refused: number;
}

/** The result of an undo. */
export interface Undone {
  readonly lines: readonly string[];
  readonly isDone: boolean;
}

interface Target {
  readonly engine: ResourceEngine;
  readonly caller: Caller;
}

class UndoReport {
  readonly #counts = new Map<Kind, Counts>();
  readonly #refused: string[] = [];
  #more = 0;

  add(state: keyof Counts, { kind, name }: Remembered, reason = ''): void {
    const counts = this.#counts.get(kind) ?? { deleted: 0, restored: 0, gone: 0, refused: 0 };
    counts[state] += 1;
    this.#counts.set(kind, counts);
    if (state !== 'refused') return;
    if (this.#refused.length < MOST_LINES)
      this.#refused.push(`refused ${kind} ${JSON.stringify(name)}: ${reason}`);
    else this.#more += 1;
  }

  get isRefused(): boolean {
    return this.#refused.length > 0;
  }

  lines(): string[] {
    const width = Math.max(...Object.values(TITLES).map(({ length }) => length));
    const table = KINDS.flatMap((kind) => {
      const counts = this.#counts.get(kind);
      if (!counts) return [];
      const { deleted, restored, gone, refused } = counts;
      return `${TITLES[kind].padEnd(width)}  ${deleted} deleted, ${restored} restored, ${gone} gone, ${refused} refused`;
    });
    const more = this.#more > 0 ? [`and ${this.#more} more refused objects`] : [];
    return [...this.#refused, ...more, ...table];
  }
}

/** Deletes what an import created and restores what it changed, in one transaction. */
class Undo {
  readonly report = new UndoReport();
  readonly #run: ImportRun;

  constructor(run: ImportRun) {
    this.#run = run;
  }

  /** Leaves out deleted objects, and refuses those that changed or were used. */
  async check(objects: readonly Remembered[]): Promise<readonly Remembered[]> {
    const { tx } = this.#run;
    const gone = new Set<Remembered>();
    const isUsed = new Set<Remembered>();
    for (const [kind, group] of Map.groupBy(objects, (object) => object.kind)) {
      const { table, name } = RESOURCES[kind];
      const ids = group.map(({ id }) => id);
      // Sign-ins and newer versions of a secret are no links.
      const used =
        name === user.name
          ? sql`last_login is not null`
          : name === assetUser.name
            ? sql`not is_latest`
            : sql`false`;
      const { rows } = await sql<{ id: string; used: boolean }>`
        select id, ${used} as used from ${sql.table(table)}
        where id = any (${ids}::uuid[])`.execute(tx);
      const present = new Map(rows.map((row) => [row.id, row.used]));
      for (const object of group) {
        if (!present.has(object.id)) gone.add(object);
        else if (present.get(object.id) && object.before === null) isUsed.add(object);
      }
    }
    const uses = await usesOf(objects, tx);
    return objects.filter((object, index) => {
      if (gone.has(object)) this.report.add('gone', object);
      else if (isUsed.has(object) || (uses[index] ?? 0) > object.uses)
        this.report.add('refused', object, CHANGED);
      else return true;
      return false;
    });
  }

  /** Takes the objects back, the last kind first: links go before the linked objects. */
  async takeBack(objects: readonly Remembered[]): Promise<void> {
    const { engines, services } = this.#run;
    for (const kind of KINDS.toReversed()) {
      const ofKind = objects.filter((object) => object.kind === kind).toReversed();
      for (const [id, group] of Map.groupBy(ofKind, (object) => object.organization)) {
        this.#run.useOrganization(id, { id, name: await services.organizationName(id) });
        const caller = this.#run.callerIn(id);
        const target = { engine: engineOf(engines, RESOURCES[kind]), caller };
        for (const object of group) if (object.before) await this.#restore(object, target);
        const created = group.filter(({ before }) => before === null);
        // A node is deleted after those below it.
        const size = kind === 'node' ? 1 : BATCH;
        for (let at = 0; at < created.length; at += size)
          await this.#remove(created.slice(at, at + size), target);
      }
    }
  }

  async #restore(object: Remembered, target: Target): Promise<void> {
    const { engine, caller } = target;
    const { tx, engines } = this.#run;
    const { rules, ...fields } = object.before ?? {};
    try {
      await this.#run.savepoint(async () => {
        if (Object.keys(fields).length > 0)
          await engine.writer.change(object.id, fields, caller, { tx });
        if (rules === undefined) return;
        const rulesEngine = engineOf(engines, commandFilterRule);
        await replaceRules({ engine: rulesEngine, caller, tx, filter: object.id }, rules, { tx });
      });
      this.report.add('restored', object);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.report.add('refused', object, describeError(error, engine.resource));
    }
  }

  async #remove(objects: readonly Remembered[], target: Target): Promise<void> {
    const { engine, caller } = target;
    const { tx } = this.#run;
    try {
      await this.#run.savepoint(() =>
        engine.writer.remove(
          objects.map(({ id }) => id),
          caller,
          { tx },
        ),
      );
      for (const object of objects) this.report.add('deleted', object);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const [only, ...others] = objects;
      if (only && others.length === 0) {
        this.report.add('refused', only, describeError(error, engine.resource));
        return;
      }
      // The error does not name its object.
      const half = Math.ceil(objects.length / 2);
      await this.#remove(objects.slice(0, half), target);
      await this.#remove(objects.slice(half), target);
    }
  }
}

/**
 * Undoes an import in one transaction. Rolls back for a dry run, and if an object changed or was
 * used since.
 */
export async function undoRun(
  id: string,
  { engines, services, db, isDry }: OpenedEngines & { readonly db: Db; readonly isDry: boolean },
): Promise<Undone> {
  const tx = await db.begin();
  try {
    // Before any other lock, as each write of the server does.
    await services.lockGrants(asset, tx);
    const undo = new Undo(new ImportRun(engines, services, tx));
    const objects = await undo.check(await objectsOf(id, tx));
    if (!undo.report.isRefused) await undo.takeBack(objects);
    await forgetRun(id, tx);
    const isDone = !isDry && !undo.report.isRefused;
    await (isDone ? tx.commit() : tx.rollback());
    return { lines: undo.report.lines(), isDone };
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}
