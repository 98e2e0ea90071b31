import type pg from 'pg';
import { StartError } from '../../config.ts';
import {
  type AppliedMigration,
  bridge,
  isBaseline,
  isBeforeBaseline,
  type Migration,
  readFormerMigrations,
  readMigrations,
} from './bridge.ts';

const TABLE =
  'create table if not exists schema_migration (name text primary key, digest text not null, date_applied timestamptz not null default now())';

type Client = Pick<pg.ClientBase, 'query'>;

/** Runs a migration and remembers it, in the transaction of the client. */
async function apply(client: Client, { name, digest, text }: Migration): Promise<void> {
  await client.query('set local statement_timeout = 0');
  await client.query(text);
  await client.query('insert into schema_migration (name, digest) values ($1, $2)', [name, digest]);
}

/**
 * Returns the first migration of a backup that this version does not know, or undefined.
 *
 * @throws StartError when the backup is older than the baseline and lacks some of its tables.
 */
export function unknownMigration(wanted: readonly AppliedMigration[]): string | undefined {
  const former = readFormerMigrations();
  const known = new Map([...readMigrations(), ...former].map(({ name, digest }) => [name, digest]));
  const unknown = wanted.find(({ name, digest }) => known.get(name) !== digest)?.name;
  const names = new Set(wanted.map(({ name }) => name));
  const lacking = former.find(({ name }) => !names.has(name));
  if (unknown === undefined && lacking && isBeforeBaseline(names))
    throw new StartError(
      `This backup is older than this version can restore (it lacks ${lacking.name}). Restore it with the version that made it, then start this one on the restored folder.`,
    );
  return unknown;
}

/**
 * Gives an empty database the schema of a backup's migrations, in the transaction of the client;
 * the next start applies the others.
 */
export async function applyMigrations(
  client: Client,
  wanted: readonly Pick<AppliedMigration, 'name'>[],
): Promise<void> {
  const names = new Set(wanted.map(({ name }) => name));
  const isFormer = isBeforeBaseline(names);
  await client.query(TABLE);
  for (const migration of readMigrations())
    if (isFormer ? isBaseline(migration) : names.has(migration.name))
      await apply(client, migration);
}

/**
 * Brings the database to the newest schema; one server does it while others wait. Migrations go
 * forward only.
 *
 * @returns the names of the applied migrations.
 * @throws StartError when the database was made by a newer version, is older than the bridge
 *   reaches, or an applied migration was edited since.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const migrations = readMigrations();
  const client = await pool.connect();
  const inTransaction = async <T>(work: () => Promise<T>): Promise<T> => {
    await client.query('begin');
    try {
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  };
  const readApplied = async () => {
    const { rows } = await client.query<AppliedMigration>(
      'select name, digest from schema_migration',
    );
    return new Map(rows.map(({ name, digest }) => [name, digest]));
  };
  try {
    await client.query("select pg_advisory_lock(hashtext('sallyport migrations'))");
    await client.query(TABLE);
    let applied = await readApplied();
    const done: string[] = [];
    if (isBeforeBaseline(applied.keys())) {
      await assertKnown(client, applied, [...migrations, ...readFormerMigrations()]);
      const baseline = migrations.filter(isBaseline);
      done.push(...(await inTransaction(() => bridge(client, applied, baseline))));
      applied = await readApplied();
    }
    await assertKnown(client, applied, migrations);
    for (const migration of migrations) {
      const digest = applied.get(migration.name);
      if (digest === migration.digest) continue;
      if (digest !== undefined)
        throw new StartError(
          `The migration ${migration.name} is not the one that was applied to this database.`,
        );
      await inTransaction(() => apply(client, migration));
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

/** @throws StartError that says since when the database is newer, and the loss of going back */
async function assertKnown(
  client: Client,
  applied: ReadonlyMap<string, string>,
  known: readonly AppliedMigration[],
): Promise<void> {
  const names = new Set(known.map(({ name }) => name));
  const unknown = [...applied.keys()].filter((name) => !names.has(name)).sort();
  if (unknown.length === 0) return;
  const { rows } = await client.query<{ first: Date }>(
    'select min(date_applied) as first from schema_migration where name = any($1)',
    [unknown],
  );
  const since = rows[0]?.first.toISOString().replace(/\.\d+Z$/, 'Z');
  const others = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
  throw new StartError(
    `The database was made by a newer Sallyport (it has ${unknown[0]}${others}, since ${since}). Nothing was changed. Start that version. To go back, restore a backup from before ${since}: all sessions, logs and changes since that backup are lost.`,
  );
}

/** Returns true if a database has every migration of this version and no later one. */
export async function isCurrent(pool: pg.Pool): Promise<boolean> {
  const known = readMigrations().map((migration) => migration.name);
  const { rows } = await pool
    .query<{ name: string }>('select name from schema_migration order by name')
    .catch(() => ({ rows: [] }));
  return rows.map((row) => row.name).join() === known.join();
}
