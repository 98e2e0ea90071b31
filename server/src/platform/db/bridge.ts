import type pg from 'pg';
import { StartError } from '../../config.ts';
import {
  type AppliedMigration,
  type Migration,
  readBridge,
  readFormerMigrations,
} from './migration-files.ts';

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
