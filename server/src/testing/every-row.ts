import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { readWrittenTables } from './written-tables.ts';

/** Tables that change by visits or by time alone, and one that only a migration writes: its many rows would be most of the work. */
const LEFT_OUT = [
  'audit_seal',
  'web_session',
  'login_log',
  'login_attempt',
  'schema_migration',
  'job_log',
  'pinyin_reading',
  'server',
  'sign_in_rate',
];

/** Columns that do so. */
const MOVING = ['last_login', 'date_heartbeat', 'load'];

/** And those of one table: a cloud account is tested after it was saved. */
const MOVING_OF: Readonly<Record<string, readonly string[]>> = {
  cloud_account: ['validity', 'problem', 'date_tested'],
};
const AFTERWARDS = 'test-cloud-account';

/** The digest of all rows of a table. */
async function digestOf(db: Db, name: string): Promise<string> {
  // Changes of periodic jobs, and of those that follow a change, are not changes of the request.
  const only =
    name === 'job'
      ? sql`where name not in (select s.name from jobs.schedule s) and name <> ${sql.lit(AFTERWARDS)}`
      : sql``;
  const moving = `{${[...MOVING, ...(MOVING_OF[name] ?? [])].join(',')}}`;
  const { rows } = await sql<{ digest: string }>`
    select coalesce(md5(string_agg(r.row, '' order by r.row)), '') as digest
    from (select (to_jsonb(t) - ${sql.lit(moving)}::text[])::text as row from ${sql.table(name)} t ${only}) r`.execute(
    db,
  );
  return `${name} ${rows[0]?.digest}`;
}

/** Digests of all rows of all tables: the same as before means that nothing was changed. */
export async function everyRow(db: Db): Promise<string> {
  return (await readWrittenTables(db, LEFT_OUT, digestOf)).join('\n');
}
