import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { StartError } from '../../config.ts';
import { keepFile } from './files.ts';
import type { KeptSequence, KeptTable } from './manifest.ts';

type Client = Pick<pg.ClientBase, 'query'>;

/** The manifest lists the migrations, and running servers register themselves. */
const LEFT_OUT = ['schema_migration', 'server', 'data_key_server'];
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

/** Writes all tables of the snapshot into files. */
export async function copyOut(
  client: pg.ClientBase,
  folder: string,
  { say, signal }: { say(line: string): void; readonly signal?: AbortSignal | undefined },
): Promise<{ tables: KeptTable[]; sequences: KeptSequence[] }> {
  const tables: KeptTable[] = [];
  const copy = async (
    { name, columns }: Pick<KeptTable, 'name' | 'columns'>,
    file: string,
    source: string,
  ) => {
    const query = client.query(to(`copy ${source} to stdout`));
    const kept = await keepFile(folder, file, query, { compress: true, signal });
    tables.push({ name, columns, rows: query.rowCount, ...kept });
  };
  for (const table of await tablesOf(client)) {
    if (LEFT_OUT.includes(table.name)) continue;
    const [name, columns] = [quoted(table.name), table.columns.map(quoted).join(', ')];
    // PostgreSQL before 19 copies the rows of a partitioned table only from a query.
    const source = table.isPartitioned
      ? `(select ${columns} from ${name})`
      : `${name} (${columns})`;
    await copy(table, `database/${table.name}.copy.gz`, source);
  }
  const { rows: queues } = await client.query<{ there: boolean }>(
    "select to_regclass('jobs.job') is not null as there",
  );
  if (queues[0]?.there) await copy(WAITING, WAITING.file, `(${WAITING_ROWS})`);
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
  say(`database: ${tables.length} tables, ${tables.reduce((sum, { rows }) => sum + rows, 0)} rows`);
  return { tables, sequences };
}

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
 * Fills a database that has only the backup's migrations, in the client's transaction. Triggers are
 * off: rows contain their results. References are checked at the end.
 *
 * @throws PostgreSQL error if rows do not fit; the transaction then fails
 */
export async function copyIn(
  client: pg.ClientBase,
  folder: string,
  { tables, sequences }: { tables: readonly KeptTable[]; sequences: readonly KeptSequence[] },
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
  // The backup contains the rows that migrations insert.
  for (const table of filled) {
    const { rows } = await client.query<{ any: boolean }>(
      `select exists (select from ${table}) as any`,
    );
    if (rows[0]?.any) await client.query(`delete from ${table}`);
  }
  for (const { name, columns, file, rows } of tables) {
    const query = client.query(
      from(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`),
    );
    await pipeline(createReadStream(join(folder, file)), createGunzip(), query);
    if (query.rowCount !== rows)
      throw new StartError(
        `${file} has ${query.rowCount} rows instead of ${rows}. Nothing was restored.`,
      );
  }
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
