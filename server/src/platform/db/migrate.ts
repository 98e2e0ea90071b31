import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { StartError } from '../../config.ts';
import { SERVER_FOLDER } from '../server-folder.ts';

const FOLDER = join(SERVER_FOLDER, 'src/migrations');

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

function readMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      return {
        name: file.slice(0, -4),
        text,
        digest: createHash('sha256').update(text).digest('hex'),
      };
    });
}

const TABLE =
  'create table if not exists schema_migration (name text primary key, digest text not null, date_applied timestamptz not null default now())';

/** Runs one migration and writes it down, in the transaction of the client. */
async function apply(
  client: Pick<pg.ClientBase, 'query'>,
  { name, digest, text }: Migration,
): Promise<void> {
  await client.query('set local statement_timeout = 0');
  await client.query(text);
  await client.query('insert into schema_migration (name, digest) values ($1, $2)', [name, digest]);
}

/** The first migration that this version does not have as it is written there; undefined when it has all. */
export function unknownMigration(
  wanted: readonly { readonly name: string; readonly digest: string }[],
): string | undefined {
  const known = new Map(readMigrations().map(({ name, digest }) => [name, digest]));
  return wanted.find(({ name, digest }) => known.get(name) !== digest)?.name;
}

/** Gives an empty database the schema that some migrations make, in the transaction of the client; the rest is left to the next start. */
export async function applyMigrations(
  client: Pick<pg.ClientBase, 'query'>,
  wanted: readonly { readonly name: string }[],
): Promise<void> {
  const names = new Set(wanted.map(({ name }) => name));
  await client.query(TABLE);
  for (const migration of readMigrations())
    if (names.has(migration.name)) await apply(client, migration);
}

/**
 * Brings the database to the newest schema; one server does it while others wait. Migrations go forward only.
 *
 * @returns the names that were applied.
 * @throws StartError when the database was made by a newer version, or an applied migration was edited since.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const migrations = readMigrations();
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext('sallyport migrations'))");
    await client.query(TABLE);
    const { rows } = await client.query<{ name: string; digest: string }>(
      'select name, digest from schema_migration',
    );
    const applied = new Map(rows.map((row) => [row.name, row.digest]));
    const unknown = [...applied.keys()].find(
      (name) => !migrations.some((migration) => migration.name === name),
    );
    if (unknown)
      throw new StartError(
        `The database was made by a newer Sallyport (it has ${unknown}). Start that version, or restore a backup from before it.`,
      );
    const done: string[] = [];
    for (const migration of migrations) {
      const digest = applied.get(migration.name);
      if (digest === migration.digest) continue;
      if (digest !== undefined)
        throw new StartError(
          `The migration ${migration.name} is not the one that was applied to this database.`,
        );
      await client.query('begin');
      try {
        await apply(client, migration);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
      done.push(migration.name);
    }
    return done;
  } finally {
    await client
      .query("select pg_advisory_unlock(hashtext('sallyport migrations'))")
      .catch(() => undefined);
    client.release();
  }
}

/** Whether a database has every migration of this version and none of a later one; for commands, which do not migrate. */
export async function isCurrent(pool: pg.Pool): Promise<boolean> {
  const known = readMigrations().map((migration) => migration.name);
  const { rows } = await pool
    .query<{ name: string }>('select name from schema_migration order by name')
    .catch(() => ({ rows: [] }));
  return rows.map((row) => row.name).join() === known.join();
}
