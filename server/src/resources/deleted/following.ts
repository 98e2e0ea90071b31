import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { JsonRow } from './kept.ts';

/** A column that refers to a row of another table. */
interface ForeignKey {
  readonly column: string;
  readonly target: string;
  readonly key: string;
}

/** Returns the foreign keys of one column each. */
export async function foreignKeysOf(table: string, tx: Tx): Promise<readonly ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select a.attname as "column", target.relname as target, other.attname as key
    from pg_constraint c
    join pg_class target on target.oid = c.confrelid
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    join pg_attribute other on other.attrelid = c.confrelid and other.attnum = c.confkey[1]
    where c.contype = 'f' and c.conrelid = to_regclass(${table}) and cardinality(c.conkey) = 1
    order by 1`.execute(tx);
  return rows;
}

/** Returns the columns that a row may set. A document of an earlier version can name others. */
export async function columnsOf(table: string, tx: Tx): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped
      and attgenerated = ''`.execute(tx);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Inserts kept rows whose references still exist, and that no present row excludes. Returns their
 * number. Numbered ids are given again.
 */
export async function insertRows(table: string, rows: readonly JsonRow[], tx: Tx): Promise<number> {
  const [first = {}] = rows;
  const present = await columnsOf(table, tx);
  const columns = Object.keys(first).filter(
    (column) => present.has(column) && !(column === 'id' && typeof first[column] === 'number'),
  );
  const keys = (await foreignKeysOf(table, tx)).filter(({ column }) => columns.includes(column));
  const conditions = keys.map(
    ({ column, target, key }) => sql`(${sql.ref(`r.${column}`)} is null or exists (
      select 1 from ${sql.table(target)} other
      where ${sql.ref(`other.${key}`)} = ${sql.ref(`r.${column}`)}))`,
  );
  const { rows: written } = await sql<{ one: number }>`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(columns.map((column) => sql.ref(`r.${column}`)))}
    from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb) r
    where ${sql.join([sql`true`, ...conditions], sql` and `)}
    on conflict do nothing returning 1 as one`.execute(tx);
  return written.length;
}
