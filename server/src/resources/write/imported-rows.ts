import type { FieldProblems, Resource } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { kept, type Operation, type StoredRow } from '../hooks.ts';
import type { Draft } from './plan.ts';
import type { Writer } from './writer.ts';

/** Minutes during which an import can be undone. */
const LIFE_MINUTES = 30;
/** Maximum remembered imports per user; the oldest are deleted first. */
const MOST_KEPT = 20;

/** Sessions outlive their objects, so they refer to them without a foreign key. */
const NAMED_BY_SESSIONS: Readonly<Record<string, string>> = {
  asset: 'asset_id',
  user: 'user_id',
  system_user: 'system_user_id',
};

/** Nodes that an operation created for its rows, parents first. */
export const MADE_NODES = kept((): string[] => []);

/** An import that can still be undone. */
export interface Import {
  readonly id: string;
  readonly resource: string;
  readonly ids: readonly string[];
  readonly uses: readonly number[];
  /** Nodes that the import created, parents first. */
  readonly nodes: readonly string[];
  readonly date_expired: Date;
}

/** Returns the columns with a foreign key to a table's ids. */
async function columnsWithLinksTo(
  table: string,
  tx: Tx | Db,
): Promise<readonly { readonly table: string; readonly column: string }[]> {
  const { rows } = await sql<{ table: string; column: string }>`
    select other.relname as "table", a.attname as "column" from pg_constraint c
    join pg_class other on other.oid = c.conrelid
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    join pg_attribute own on own.attrelid = c.confrelid and own.attnum = c.confkey[1]
    where c.contype = 'f' and c.confrelid = to_regclass(${table}) and cardinality(c.conkey) = 1
    and own.attname = 'id'
    order by 1, 2`.execute(tx);
  return rows;
}

/** Counts the operate log entries about each object. */
export async function countLogEntries(ids: readonly string[], tx: Tx | Db): Promise<number[]> {
  const { rows } = await sql<{ id: string; entries: number }>`
    select resource_id as id, count(*)::integer as entries from operate_log
    where resource_id = any (${ids}::text[]) group by 1`.execute(tx);
  const entries = new Map(rows.map((row) => [row.id, row.entries]));
  return ids.map((id) => entries.get(id) ?? 0);
}

/** Counts the references to each row: linked rows, sessions and operate log entries. */
export async function countUses(
  { name, table }: Resource,
  ids: readonly string[],
  tx: Tx | Db,
): Promise<number[]> {
  const links = await columnsWithLinksTo(table, tx);
  const session = NAMED_BY_SESSIONS[name];
  const parts: Sql[] = [
    ...links.map(
      (link) =>
        sql`select ${sql.ref(link.column)} as id, count(*) as uses from ${sql.table(link.table)} where ${sql.ref(link.column)} = any (${ids}::uuid[]) group by 1`,
    ),
    sql`select resource_id::uuid as id, count(*) as uses from operate_log where resource_id = any (${ids}::text[]) group by 1`,
  ];
  if (session)
    parts.push(
      sql`select ${sql.ref(session)}::uuid as id, count(*) as uses from session where ${sql.ref(session)} = any (${ids}::text[]) and imported_from is null group by 1`,
    );
  const { rows } = await sql<{
    id: string;
    uses: number;
  }>`select id, sum(uses)::integer as uses from (${sql.join(parts, sql` union all `)}) part group by id`.execute(
    tx,
  );
  const uses = new Map(rows.map(({ id, uses }) => [id, uses]));
  return ids.map((id) => uses.get(id) ?? 0);
}

/** Stores an import for a later undo, in the transaction of the import. */
export async function rememberImport(
  id: string,
  resource: Resource,
  ids: readonly string[],
  operation: Operation,
): Promise<void> {
  const { tx } = operation;
  const { actor } = operation.caller;
  await sql`
    delete from imported_rows where date_expired < now() or id in (
      select kept.id from imported_rows kept where kept.user_id = ${actor.userId}
      order by kept.date_expired desc offset ${MOST_KEPT - 1})`.execute(tx);
  const uses = await countUses(resource, ids, tx);
  await sql`
    insert into imported_rows (id, user_id, org_id, resource, ids, uses, nodes, date_expired)
    values (${id}, ${actor.userId}, ${actor.organization.id}, ${resource.name}, ${ids}::uuid[],
    ${uses}::integer[], ${operation.get(MADE_NODES)}::uuid[], now() + make_interval(mins =>
    ${LIFE_MINUTES}))
    on conflict (id) do nothing`.execute(tx);
}

/** Returns an import of the caller in the current organization; undefined if it has expired. */
export async function findImport(
  id: string,
  { actor }: Caller,
  db: Db,
): Promise<Import | undefined> {
  const { rows } = await sql<Import>`
    select id, resource, ids, uses, nodes, date_expired from imported_rows
    where id = ${id} and user_id = ${actor.userId} and org_id = ${actor.organization.id}
    and date_expired > now()`.execute(db);
  return rows[0];
}

/** Returns the existing rows of an import that changed or were used since. */
export async function usedSince(
  import_: Import,
  resource: Resource,
  ids: readonly string[],
  tx: Tx | Db,
): Promise<Set<string>> {
  const before = new Map(import_.ids.map((id, at) => [id, import_.uses[at] ?? 0]));
  const now = await countUses(resource, ids, tx);
  return new Set(ids.filter((id, at) => (now[at] ?? 0) > (before.get(id) ?? 0)));
}

export async function forgetImport(id: string, db: Db): Promise<void> {
  await sql`delete from imported_rows where id = ${id}`.execute(db);
}

/** The result of one draft. */
type Saved = { readonly row: StoredRow } | { readonly problems: FieldProblems };

/**
 * Saves the valid drafts and skips the others, for lists from external systems: one user without a
 * valid address must not block a whole directory. Returns results in the order of the drafts.
 */
export async function saveGood(
  writer: Writer,
  drafts: readonly Draft[],
  caller: Caller,
  tx: Tx,
): Promise<Saved[]> {
  const refused = new Map<Draft, FieldProblems>();
  let good = drafts;
  while (good.length > 0) {
    await sql`savepoint save_good`.execute(tx);
    const outcome = await writer.save(good, caller, { tx });
    await (outcome.ok
      ? sql`release savepoint save_good`
      : sql`rollback to savepoint save_good`
    ).execute(tx);
    if (outcome.ok) {
      const rows = new Map(good.map((draft, index) => [draft, outcome.rows[index]]));
      return drafts.map((draft) => {
        const row = rows.get(draft);
        return row ? { row } : { problems: refused.get(draft) ?? {} };
      });
    }
    for (const [index, draft] of good.entries()) {
      const problems = outcome.problems[index] ?? {};
      if (Object.keys(problems).length > 0) refused.set(draft, problems);
    }
    good = good.filter((draft) => !refused.has(draft));
  }
  return drafts.map((draft) => ({ problems: refused.get(draft) ?? {} }));
}
