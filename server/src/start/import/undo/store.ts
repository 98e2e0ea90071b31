import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { countLogEntries, countUses } from '../../../resources/write/imported-rows.ts';
import { KINDS, type Kind } from '../description.ts';
import { RESOURCES } from '../resources.ts';

const LIFE_HOURS = 24;
/** Objects of one statement. */
const BATCH = 5_000;

/** An object that an import created or changed. */
export interface Written {
  readonly kind: Kind;
  readonly id: string;
  /** Id of its organization; blank for the default one. */
  readonly organization: string;
  readonly name: string;
  /** The changed fields as they were before; null for a created object. */
  readonly before: Readonly<Record<string, unknown>> | null;
}

/** A written object with the number of references to it at the end of the import. */
export interface Remembered extends Written {
  readonly uses: number;
}

/** An import that can still be undone. */
export interface Run {
  readonly id: string;
  readonly source: string;
  readonly date: Date;
  readonly created: number;
  readonly changed: number;
}

/**
 * Counts what refers to each object. A created object counts its links, sessions and log entries; a
 * changed one counts log entries only, because other objects may link it as before.
 */
export async function usesOf(objects: readonly Written[], tx: Tx): Promise<number[]> {
  const uses = new Map<Written, number>();
  for (const kind of KINDS)
    for (const isCreated of [true, false]) {
      const group = objects.filter(
        (object) => object.kind === kind && (object.before === null) === isCreated,
      );
      for (let at = 0; at < group.length; at += BATCH) {
        const batch = group.slice(at, at + BATCH);
        const ids = batch.map(({ id }) => id);
        const counts = isCreated
          ? await countUses(RESOURCES[kind], ids, tx)
          : await countLogEntries(ids, tx);
        for (const [index, object] of batch.entries()) uses.set(object, counts[index] ?? 0);
      }
    }
  return objects.map((object) => uses.get(object) ?? 0);
}

/** Stores an import for a later undo, in its transaction. */
export async function storeRun(source: string, objects: readonly Written[], tx: Tx): Promise<void> {
  await forgetExpired(tx);
  if (objects.length === 0) return;
  const uses = await usesOf(objects, tx);
  const { rows } = await sql<{ id: string }>`
    insert into import_run (source) values (${source}) returning id`.execute(tx);
  const run = rows[0]?.id ?? '';
  for (let at = 0; at < objects.length; at += BATCH) {
    const batch = objects.slice(at, at + BATCH).map((object, index) => ({
      ...object,
      position: at + index,
      uses: uses[at + index] ?? 0,
    }));
    await sql`
      insert into import_run_object (run_id, position, kind, object_id, org_id, name, before, uses)
      select ${run}::uuid, position, kind, id, organization, name, nullif(before, 'null'), uses
      from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as one (position integer, kind text,
        id uuid, organization text, name text, before jsonb, uses integer)`.execute(tx);
  }
}

async function forgetExpired(on: Db | Tx): Promise<void> {
  await sql`
    delete from import_run
    where date_applied < now() - make_interval(hours => ${LIFE_HOURS})`.execute(on);
}

/** Lists the imports that can be undone, the newest first. */
export async function listRuns(on: Db | Tx): Promise<readonly Run[]> {
  const { rows } = await sql<Run>`
    select run.id, run.source, run.date_applied as date,
      count(*) filter (where object.before is null)::integer as created,
      count(*) filter (where object.before is not null)::integer as changed
    from import_run run join import_run_object object on object.run_id = run.id
    where run.date_applied >= now() - make_interval(hours => ${LIFE_HOURS})
    group by run.id order by run.date_applied desc`.execute(on);
  return rows;
}

/** Returns the objects of an import in the order of their writes. */
export async function objectsOf(run: string, tx: Tx): Promise<readonly Remembered[]> {
  const { rows } = await sql<{
    kind: string;
    id: string;
    organization: string;
    name: string;
    before: Record<string, unknown> | null;
    uses: number;
  }>`select kind, object_id as id, org_id as organization, name, before, uses
    from import_run_object where run_id = ${run}::uuid order by position`.execute(tx);
  return rows.flatMap((row) => {
    const kind = KINDS.find((one) => one === row.kind);
    return kind ? { ...row, kind } : [];
  });
}

export async function forgetRun(run: string, tx: Tx): Promise<void> {
  await sql`delete from import_run where id = ${run}::uuid`.execute(tx);
}
