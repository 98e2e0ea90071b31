import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { readWrittenTables } from './written-tables.ts';

/**
 * Tables that change by visits or time, some of them later than the visit, and one with many rows
 * that only a migration writes.
 */
const LEFT_OUT = [
  'account_use',
  'alert_cursor',
  'audit_seal',
  'audit_sm3',
  'web_session',
  'login_log',
  'login_attempt',
  'schema_migration',
  'job_log',
  'pinyin_reading',
  'server',
  'session_journal',
  'sign_in_hour',
  'sign_in_place',
  'sign_in_rate',
];

/** Columns that change by time. */
const MOVING = ['last_login', 'date_heartbeat', 'load'];

/**
 * Columns of one table that change later: the server tests a cloud account after saving it, and
 * runs a job after the request that asked for it.
 */
const MOVING_OF: Readonly<Record<string, readonly string[]>> = {
  job: [
    ...['state', 'attempt', 'done', 'total', 'problem', 'result', 'failed', 'skipped'],
    ...['date_alive', 'last_line', 'date_started', 'date_finished'],
  ],
  cloud_account: ['validity', 'problem', 'date_tested'],
};
const AFTERWARDS = 'test-cloud-account';

async function digestOf(db: Db, name: string): Promise<string> {
  // Periodic jobs, and jobs that follow a change, are no changes of the request.
  const only =
    name === 'job'
      ? sql`where name not in (select s.name from jobs.schedule s) and name <> ${sql.lit(AFTERWARDS)}`
      : sql``;
  const moving = `{${[...MOVING, ...(MOVING_OF[name] ?? [])].join(',')}}`;
  const { rows } = await sql<{ digest: string }>`
    select coalesce(md5(string_agg(r.row, '' order by r.row)), '') as digest
    from (select (to_jsonb(t) - ${sql.lit(moving)}::text[])::text as row
    from ${sql.table(name)} t ${only}) r`.execute(db);
  return `${name} ${rows[0]?.digest}`;
}

/** Returns digests of all rows of all tables. Equal digests prove that nothing changed. */
export async function everyRow(db: Db): Promise<string> {
  return (await readWrittenTables(db, LEFT_OUT, digestOf)).join('\n');
}
