import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { StartError } from '../../config.ts';
import { SERVER_FOLDER } from '../process/server-folder.ts';

const FOLDER = join(SERVER_FOLDER, 'src/migrations');
const BRIDGE = join(FOLDER, 'bridge');

/** Name and digest, as a database remembers an applied migration. */
export interface AppliedMigration {
  readonly name: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly digest: string;
}

export interface Migration extends AppliedMigration {
  readonly text: string;
}

function readFolder(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      // A file that is passed over would be missed long after.
      if (!/^\d{4}_\w+\.sql$/.test(file)) throw new Error(`${file} is no name of a migration`);
      const text = readFileSync(join(folder, file), 'utf8');
      const digest = createHash('sha256').update(text).digest('hex');
      return { name: file.slice(0, -4), text, digest };
    });
}

/** All migrations in order: the baseline, which has one file for each area, and what follows it. */
export const readMigrations = (): Migration[] => readFolder(FOLDER);

/** The migrations that databases had before the baseline, in order. */
export const readFormerMigrations = (): AppliedMigration[] =>
  JSON.parse(readFileSync(join(BRIDGE, 'applied.json'), 'utf8')) as AppliedMigration[];

/** The last of the former migrations; they bring older databases to the baseline. */
export const readBridge = (): Migration[] => readFolder(BRIDGE);

/** The last number of the baseline; later migrations change it. */
const BASELINE = /^10(0\d|1[01])_/;

export const isBaseline = ({ name }: Pick<AppliedMigration, 'name'>) => BASELINE.test(name);

/** Returns true if a database has migrations from before the baseline, whether all or some. */
export function isBeforeBaseline(applied: Iterable<string>): boolean {
  const former = new Set(readFormerMigrations().map(({ name }) => name));
  return [...applied].some((name) => former.has(name));
}

/**
 * Brings a database from before the baseline to it, in the transaction of the client: applies the
 * former migrations that it lacks, and remembers the baseline in their place.
 *
 * @returns the names of the applied former migrations.
 * @throws StartError when the database is older than the bridge reaches.
 */
export async function bridge(
  client: Pick<pg.ClientBase, 'query'>,
  applied: ReadonlyMap<string, string>,
  baseline: readonly Migration[],
): Promise<string[]> {
  const steps = readBridge();
  const reach = new Set(steps.map(({ name }) => name));
  const former = readFormerMigrations();
  for (const { name, digest } of former) {
    const known = applied.get(name);
    if (known === undefined ? !reach.has(name) : known !== digest)
      throw new StartError(
        known === undefined
          ? `The database is older than this version can read (it lacks ${name}). Start a version that still has this migration first.`
          : `The migration ${name} is not the one that was applied to this database.`,
      );
  }
  const missing = steps.filter(({ name }) => !applied.has(name));
  await client.query('set local statement_timeout = 0');
  for (const { text } of missing) await client.query(text);
  await client.query('comment on column node.ancestors is null');
  await client.query('delete from schema_migration where name = any ($1)', [
    former.map(({ name }) => name),
  ]);
  for (const { name, digest } of baseline)
    await client.query('insert into schema_migration (name, digest) values ($1, $2)', [
      name,
      digest,
    ]);
  return missing.map(({ name }) => name);
}
