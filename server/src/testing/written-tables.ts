import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** Reads one table as text. */
export type ReadTable = (db: Db, name: string) => Promise<string>;

interface Notes {
  /** Tables with a trigger that notes writes. */
  readonly noting: Set<string>;
  /** Results by reader, valid until the next write. */
  readonly read: Map<ReadTable, Map<string, string>>;
}

const notesOf = new WeakMap<Db, Promise<Notes>>();

/**
 * The notes have no key: transactions that write to the same table must not wait for each other.
 */
async function prepareNotes(db: Db): Promise<Notes> {
  await sql`create schema testing`.execute(db);
  await sql`create unlogged table testing.written (name text not null)`.execute(db);
  await sql`
    create function testing.note() returns trigger language plpgsql as $function$ begin
    insert into testing.written values (tg_table_name); return null; end $function$`.execute(db);
  return { noting: new Set(), read: new Map() };
}

/** Notes every later write to these tables by any role, job or trigger. */
async function noteWrites(db: Db, { noting }: Notes, names: readonly string[]): Promise<void> {
  const triggers = names.map(
    (name) => sql`
      create trigger zz_testing_note after insert or update or delete or truncate on
      ${sql.table(name)} for each statement execute function testing.note()`,
  );
  if (triggers.length > 0) await sql.join(triggers, sql`;`).execute(db);
  for (const name of names) noting.add(name);
}

/**
 * Reads all tables except `leftOut`, and again only after a write. Tests compare all rows around
 * hundreds of requests, and most tables stay unchanged.
 */
export async function readWrittenTables(
  db: Db,
  leftOut: readonly string[],
  readTable: ReadTable,
): Promise<readonly string[]> {
  const prepared = notesOf.get(db) ?? prepareNotes(db);
  notesOf.set(db, prepared);
  const notes = await prepared;
  const { rows: written } = await sql<{
    name: string;
  }>`with gone as (delete from testing.written returning name) select distinct name from gone`.execute(
    db,
  );
  for (const texts of notes.read.values()) for (const { name } of written) texts.delete(name);
  const texts = notes.read.get(readTable) ?? new Map<string, string>();
  notes.read.set(readTable, texts);
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`.execute(
    db,
  );
  const names = tables.map(({ name }) => name).filter((name) => !leftOut.includes(name));
  await noteWrites(
    db,
    notes,
    names.filter((name) => !notes.noting.has(name)),
  );
  const results: string[] = [];
  for (const name of names) {
    const text = texts.get(name) ?? (await readTable(db, name));
    texts.set(name, text);
    results.push(text);
  }
  return results;
}
