import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { StartError } from '../../config.ts';
import { keepFile } from './files.ts';
import type { KeptSequence, KeptTable } from './manifest.ts';

type Client = Pick<pg.ClientBase, 'query'>;

/**
 * The manifest lists the migrations, running servers register themselves, and a copy was not moved
 * away.
 */
const LEFT_OUT = ['schema_migration', 'server', 'data_key_server', 'database_move'];
/** The first start after a restore queues waiting and retryable jobs again. */
const WAITING = {
  name: 'job_request',
  file: 'database/waiting-jobs.copy.gz',
  columns: ['id', 'name', 'envelope', 'start_after'],
};
const WAITING_ROWS = `select id, name, data, start_after from jobs.job
  where name not like '\\_\\_%'
    and (state in ('created', 'retry') or state = 'active' and retry_count < retry_limit)`;
/** Names of the files with rows. */
export const TABLE_FILE = /^database\/[a-z0-9_-]+\.copy\.gz$/;

const quoted = (name: string) => pg.escapeIdentifier(name);

interface StoredTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isPartitioned: boolean;
}

/** Returns tables and their stored columns, sorted by name. A partition is part of its table. */
async function tablesOf(client: Client): Promise<readonly StoredTable[]> {
  const { rows } = await client.query<StoredTable & { columns: string[] }>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      c.relkind = 'p' as "isPartitioned"
    from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition
    group by c.relname, c.relkind order by c.relname`);
  return rows;
}

/** A table with the rows to copy. */
export interface TableCopy extends Pick<KeptTable, 'name' | 'columns'> {
  /** File of a backup. */
  readonly file: string;
  /** Source of PostgreSQL's COPY. */
  readonly source: string;
}

/** Returns the tables to copy, waiting jobs included. */
export async function tablesToCopy(client: Client): Promise<readonly TableCopy[]> {
  const copies = (await tablesOf(client))
    .filter(({ name }) => !LEFT_OUT.includes(name))
    .map(({ name, columns, isPartitioned }): TableCopy => {
      const [table, list] = [quoted(name), columns.map(quoted).join(', ')];
      return {
        name,
        columns,
        file: `database/${name}.copy.gz`,
        // PostgreSQL before 19 copies the rows of a partitioned table only from a query.
        source: isPartitioned ? `(select ${list} from ${table})` : `${table} (${list})`,
      };
    });
  const { rows: queues } = await client.query<{ there: boolean }>(
    "select to_regclass('jobs.job') is not null as there",
  );
  return queues[0]?.there ? [...copies, { ...WAITING, source: `(${WAITING_ROWS})` }] : copies;
}

/** Reads the rows of a copy. */
export const rowsOf = (client: pg.ClientBase, source: TableCopy['source']) =>
  client.query(to(`copy ${source} to stdout`));

/** Returns the sequences with their state. */
export async function sequencesOf(client: Client): Promise<readonly KeptSequence[]> {
  const { rows: names } = await client.query<{ name: string }>(
    "select sequencename as name from pg_sequences where schemaname = 'public' order by 1",
  );
  const sequences: KeptSequence[] = [];
  for (const { name } of names) {
    const { rows } = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoted(name)}`,
    );
    for (const { value, called } of rows) sequences.push({ name, value, isCalled: called });
  }
  return sequences;
}

/** Writes all tables of the snapshot into files. */
export async function copyOut(
  client: pg.ClientBase,
  folder: string,
  { say, signal }: { say(line: string): void; readonly signal?: AbortSignal | undefined },
): Promise<{ tables: readonly KeptTable[]; sequences: readonly KeptSequence[] }> {
  const tables: KeptTable[] = [];
  for (const { name, columns, file, source } of await tablesToCopy(client)) {
    const query = rowsOf(client, source);
    const kept = await keepFile(folder, file, query, { compress: true, signal });
    tables.push({ name, columns, rows: query.rowCount, ...kept });
  }
  say(inWords(tables));
  return { tables, sequences: await sequencesOf(client) };
}

/** Says how many tables and rows were copied. */
export const inWords = (tables: readonly { readonly rows: number }[]): string =>
  `database: ${tables.length} tables, ${tables.reduce((sum, { rows }) => sum + rows, 0)} rows`;

/** Checks the names in a list of tables, which become statements and paths. @throws StartError */
export function assertTables(tables: readonly KeptTable[]): void {
  for (const { name, file, columns } of tables) {
    if (
      !TABLE_FILE.test(file) ||
      !/^\w+$/.test(name) ||
      columns.length === 0 ||
      !columns.every((column) => /^\w+$/.test(column))
    )
      throw new StartError(
        `The manifest names ${JSON.stringify(file).slice(0, 100)}, which no backup has.`,
      );
  }
}

/**
 * Fills a database that has only the migrations of the copied one, in the client's transaction.
 * Triggers are off: rows contain their results. References are checked at the end.
 *
 * @param fill copies the rows of one table
 * @throws PostgreSQL error if rows do not fit; the transaction then fails
 */
export async function copyIn<Table>(
  client: pg.ClientBase,
  { tables, sequences }: { tables: readonly Table[]; sequences: readonly KeptSequence[] },
  fill: (table: Table) => Promise<void>,
) {
  const present = await tablesOf(client);
  const references = (
    await client.query<{ place: string; name: string; definition: string }>(`
      select conrelid::regclass::text as place, conname as name,
        pg_get_constraintdef(oid) as definition
      from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
      order by 1, 2`)
  ).rows;
  for (const { place, name } of references)
    await client.query(`alter table ${place} drop constraint ${quoted(name)}`);
  const filled = present
    .filter(({ name }) => !LEFT_OUT.includes(name))
    .map(({ name }) => quoted(name));
  for (const table of filled) await client.query(`alter table ${table} disable trigger user`);
  // The copy contains the rows that migrations insert.
  for (const table of filled) {
    const { rows } = await client.query<{ any: boolean }>(
      `select exists (select from ${table}) as any`,
    );
    if (rows[0]?.any) await client.query(`delete from ${table}`);
  }
  for (const table of tables) await fill(table);
  for (const { name, value, isCalled } of sequences)
    await client.query('select setval($1::regclass, $2::bigint, $3)', [
      `public.${quoted(name)}`,
      value,
      isCalled,
    ]);
  for (const { place, name, definition } of references)
    await client.query(`alter table ${place} add constraint ${quoted(name)} ${definition}`);
  for (const table of filled) await client.query(`alter table ${table} enable trigger user`);
}

/** Copies rows in the format of PostgreSQL's COPY into a table. Returns their number. */
export async function fillTable(
  client: pg.ClientBase,
  { name, columns }: Pick<KeptTable, 'name' | 'columns'>,
  ...rows: [Readable, ...Transform[]]
): Promise<number> {
  const query = client.query(
    from(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`),
  );
  await pipeline([...rows, query]);
  return query.rowCount;
}

/** Fills a table from the file of a backup. @throws StartError if it has other rows */
export async function fillFromFile(
  client: pg.ClientBase,
  folder: string,
  table: KeptTable,
): Promise<void> {
  const count = await fillTable(
    client,
    table,
    createReadStream(join(folder, table.file)),
    createGunzip(),
  );
  if (count !== table.rows)
    throw new StartError(
      `${table.file} has ${count} rows instead of ${table.rows}. Nothing was restored.`,
    );
}
