import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from '../platform/db/sql.ts';
import type { TestProgram } from './test-program.ts';

/** Returns each file of the data folder and each table whose text matches. */
export async function placesWith(
  { db, dataDirectory }: Pick<TestProgram, 'db' | 'dataDirectory'>,
  matches: (text: string) => boolean,
): Promise<readonly string[]> {
  const places: string[] = [];
  const entries = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    if (matches((isGzip ? gunzipSync(bytes) : bytes).toString('latin1'))) places.push(path);
  }
  const { rows: tables } = await sql<{
    name: string;
  }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(db);
  for (const { name } of tables) {
    const { rows } = await sql<{
      row: string;
    }>`select to_jsonb(t)::text as row from ${sql.table(name)} t`.execute(db);
    if (matches(rows.map(({ row }) => row).join('\n'))) places.push(name);
  }
  return places;
}
