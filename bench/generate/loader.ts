import type pg from 'pg';

/**
 * One connection that fills tables: without triggers, and with indexes made after the rows instead
 * of with each of them.
 */
export interface Loader {
  run(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  /** Says what is done and how long it took. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Drops the plain indexes of tables, does the work, and makes the indexes again. */
  withoutIndexes(tables: readonly string[], work: () => Promise<void>): Promise<void>;
}

/**
 * Prepares a connection for loading. `pick(seed, size)` gives the same number from 1 to size for
 * the same seed on every run.
 */
export async function openLoader(
  client: pg.ClientBase,
  say: (line: string) => void,
): Promise<Loader> {
  const run = (text: string, values: readonly unknown[] = []) => client.query(text, [...values]);
  for (const setting of [
    'statement_timeout = 0',
    'idle_in_transaction_session_timeout = 0',
    // Row triggers and foreign keys cost more than the rows; every link is built from rows that
    // exist.
    'session_replication_role = replica',
    'synchronous_commit = off',
    "maintenance_work_mem = '1GB'",
    "work_mem = '256MB'",
    'max_parallel_maintenance_workers = 2',
  ])
    await run(`set ${setting}`);
  await run(`create or replace function pg_temp.pick(seed bigint, size integer)
    returns integer language sql immutable as
    'select ((hashint8extended(seed, 20260101) & 9223372036854775807) % size)::integer + 1'`);
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    say(`${name}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    return result;
  };
  return {
    run,
    step,
    async withoutIndexes(tables, work) {
      const { rows } = await run(
        `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
          from pg_index
         where indrelid = any ($1::regclass[]) and not indisprimary
           and not exists (select 1 from pg_constraint c where c.conindid = indexrelid)`,
        [tables],
      );
      for (const { name } of rows) await run(`drop index ${name}`);
      await work();
      for (const { name, definition } of rows) await step(`  index ${name}`, () => run(definition));
    },
  };
}
