import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** A completed backup. */
export interface CompletedBackup {
  readonly started: Date;
  readonly folder: string;
  readonly bytes: number;
  readonly hasRecordings: boolean;
  readonly recordings: number;
  readonly hasKeys: boolean;
}

const MOST_KEPT = 100;

/** Age in days from which the newest backup counts as old. */
export const OLD_BACKUP_DAYS = 7;

/** Records a completed backup, and deletes the oldest records. */
export async function rememberBackup(
  db: Db,
  { started, folder, bytes, hasRecordings, recordings, hasKeys }: CompletedBackup,
): Promise<void> {
  await sql`insert into backup (date_started, folder, bytes, has_recordings, recordings, has_keys)
    values (${started}, ${folder.slice(0, 1024)}, ${bytes}, ${hasRecordings}, ${recordings},
      ${hasKeys})`.execute(db);
  await sql`delete from backup where id not in (select id from backup order by date_finished desc
    limit ${MOST_KEPT})`.execute(db);
}

/**
 * Returns the date of the newest backup if it is old. Without a backup, the age counts from the
 * first account. Undefined if the backup is recent.
 */
export async function oldBackup(db: Db): Promise<{ readonly last: Date | null } | undefined> {
  const { rows } = await sql<{ last: Date | null }>`
    select max(b.date_finished) as last from backup b
    having coalesce(max(b.date_finished), (select min(date_joined) from account)) < now() -
      make_interval(days => ${OLD_BACKUP_DAYS})`.execute(db);
  return rows[0];
}

/** The folder of the newest backup, or undefined. */
export async function lastBackupFolder(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ folder: string }>`
    select folder from backup order by date_finished desc limit 1`.execute(db);
  return rows[0]?.folder;
}

interface StoredBackup {
  readonly id: string;
  readonly date_started: Date;
  readonly date_finished: Date;
  readonly folder: string;
  readonly bytes: number;
  readonly has_recordings: boolean;
  readonly recordings: number;
  readonly has_keys: boolean;
}

/** Returns the newest backups. */
export async function newestBackups(db: Db, limit: number): Promise<readonly StoredBackup[]> {
  const { rows } = await sql<StoredBackup>`
    select id, date_started, date_finished, folder, bytes, has_recordings, recordings, has_keys
    from backup order by date_finished desc, id limit ${limit}`.execute(db);
  return rows;
}

/** The date of the newest backup, or undefined. */
export async function lastBackup(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{
    date: Date | null;
  }>`select max(date_finished) as date from backup`.execute(db);
  return rows[0]?.date ?? undefined;
}
