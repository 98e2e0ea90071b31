import type { BackupProblem } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** A backup whose folder is complete. */
export interface CompletedBackup {
  readonly started: Date;
  readonly folder: string;
  readonly bytes: number;
  /** The server whose disk has the folder. */
  readonly server: string;
  readonly hasRecordings: boolean;
  readonly recordings: number;
  readonly hasKeys: boolean;
  /** Set if the server made it: the storage that is to get a copy. */
  readonly scheduled?: { readonly storage: string | undefined } | undefined;
}

/** Records of backups that the command made, and of failures. Rotation deletes the others. */
const MOST_KEPT = 100;

/** Age in days from which the newest backup counts as old. */
export const OLD_BACKUP_DAYS = 7;

const forgetOldest = (db: Db) =>
  sql`delete from backup where id in (select id from backup
      where not is_scheduled or state = 'failed'
      order by date_finished desc offset ${MOST_KEPT})`.execute(db);

/** Records a backup whose folder is complete; returns its id. Deletes the oldest records. */
export async function rememberBackup(db: Db, backup: CompletedBackup): Promise<string> {
  const { started, folder, bytes, server, hasRecordings, recordings, hasKeys, scheduled } = backup;
  const { rows } = await sql<{ id: string }>`
    insert into backup (date_started, folder, bytes, server, has_recordings, recordings, has_keys,
      is_scheduled, storage, state)
    values (${started}, ${folder.slice(0, 1024)}, ${bytes}, ${server}, ${hasRecordings},
      ${recordings}, ${hasKeys}, ${scheduled !== undefined}, ${scheduled?.storage ?? null}::uuid,
      ${scheduled?.storage ? 'waiting' : 'complete'}) returning id`.execute(db);
  await forgetOldest(db);
  return rows[0]?.id ?? '';
}

/** The reason of a failed backup. The detail is one sentence for the operator. */
export class BackupFailure extends Error {
  readonly problem: BackupProblem;

  constructor(problem: BackupProblem, detail: string) {
    super(detail);
    this.problem = problem;
  }
}

const MAX_DETAIL = 1_000;

/** Records a failure: of a backup with this id, or of one that was never complete. */
export async function rememberFailure(
  db: Db,
  id: string | undefined,
  { started, server, failure }: { started: Date; server: string; failure: BackupFailure },
): Promise<void> {
  const [problem, detail] = [failure.problem, failure.message.slice(0, MAX_DETAIL)];
  if (id !== undefined) {
    await sql`update backup set problem = ${problem}, detail = ${detail}, date_finished = now()
      where id = ${id}::uuid`.execute(db);
    return;
  }
  await sql`
    insert into backup (date_started, folder, bytes, server, has_recordings, recordings, has_keys,
      is_scheduled, has_folder, state, problem, detail)
    values (${started}, '', 0, ${server}, false, 0, false, true, false, 'failed', ${problem},
      ${detail})`.execute(db);
  await forgetOldest(db);
}

/** An encrypted copy that was read back. */
export interface StoredCopy {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/** Records the verified copy in the storage: the backup is complete. */
export async function rememberCopy(
  db: Db,
  id: string,
  { key, size, sha256 }: StoredCopy,
): Promise<void> {
  await sql`update backup set state = 'complete', stored_key = ${key}, stored_bytes = ${size},
      stored_sha256 = ${sha256}, date_stored = now(), date_finished = now(), problem = '',
      detail = '' where id = ${id}::uuid`.execute(db);
}

/** A backup that waits for its storage. */
export interface WaitingBackup {
  readonly id: string;
  readonly folder: string;
  readonly bytes: number;
  readonly date_started: Date;
}

/** Returns the newest backup of a server if it waits for this storage. */
export async function waitingBackup(
  db: Db,
  server: string,
  storage: string,
): Promise<WaitingBackup | undefined> {
  const { rows } = await sql<WaitingBackup & { readonly state: string }>`
    select id, folder, bytes, date_started, state from backup
    where is_scheduled and state <> 'failed' and server = ${server}
      and storage = ${storage}::uuid order by date_started desc limit 1`.execute(db);
  return rows[0]?.state === 'waiting' ? rows[0] : undefined;
}

/** The state of the scheduled backups, for the schedule, the start page and monitors. */
export interface BackupState {
  /** Start of the newest complete scheduled backup, and its bytes on the disk. */
  readonly last_started: Date | null;
  readonly bytes: number;
  /** End of the newest try, and true if it failed. */
  readonly last_tried: Date | null;
  readonly has_failed: boolean;
}

export async function backupState(db: Db): Promise<BackupState> {
  const { rows } = await sql<BackupState>`
    select good.date_started as last_started, coalesce(good.bytes, 0)::bigint as bytes,
      last.date_finished as last_tried, coalesce(last.problem <> '', false) as has_failed
    from (select 1) one
      left join lateral (select date_started, bytes from backup
        where is_scheduled and state = 'complete' order by date_started desc limit 1) good on true
      left join lateral (select date_finished, problem from backup
        where is_scheduled order by date_finished desc limit 1) last on true`.execute(db);
  const [state] = rows;
  if (!state) throw new Error('the state of the backups has no row');
  return state;
}

/**
 * Returns the date of the newest backup if it is old. Without a backup, the age counts from the
 * first account. Undefined if the backup is recent.
 */
export async function oldBackup(db: Db): Promise<{ readonly last: Date | null } | undefined> {
  const { rows } = await sql<{ last: Date | null }>`
    select max(b.date_finished) as last from backup b where b.state = 'complete'
    having coalesce(max(b.date_finished), (select min(date_joined) from account)) < now() -
      make_interval(days => ${OLD_BACKUP_DAYS})`.execute(db);
  return rows[0];
}

/** Places of the newest backup. */
export interface BackupPlaces {
  readonly folder: string;
  readonly has_folder: boolean;
  readonly date_started: Date;
  readonly storage: string | null;
  readonly stored_key: string | null;
}

/** The newest backup, or undefined. */
export async function newestBackup(db: Db): Promise<BackupPlaces | undefined> {
  const { rows } = await sql<BackupPlaces>`
    select folder, has_folder, date_started, storage, stored_key from backup
    where state = 'complete' order by date_finished desc limit 1`.execute(db);
  return rows[0];
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
  readonly is_scheduled: boolean;
  readonly state: 'complete' | 'waiting' | 'failed';
  readonly server: string;
  readonly has_folder: boolean;
  readonly storage: string;
  readonly stored_key: string | null;
  readonly stored_bytes: number | null;
  readonly date_stored: Date | null;
  readonly problem: BackupProblem | '';
  readonly detail: string;
}

/** Returns the newest backups. */
export async function newestBackups(db: Db, limit: number): Promise<readonly StoredBackup[]> {
  const { rows } = await sql<StoredBackup>`
    select b.id, b.date_started, b.date_finished, b.folder, b.bytes, b.has_recordings,
      b.recordings, b.has_keys, b.is_scheduled, b.state,
      coalesce((select t.name from terminal t where t.holder = b.server), b.server) as server,
      b.has_folder, coalesce(s.name, '') as storage, b.stored_key, b.stored_bytes, b.date_stored,
      b.problem, b.detail
    from backup b left join replay_storage s on s.id = b.storage
    order by b.date_finished desc, b.id limit ${limit}`.execute(db);
  return rows;
}

/** The date of the newest backup, or undefined. */
export async function lastBackup(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{
    date: Date | null;
  }>`select max(date_finished) as date from backup where state = 'complete'`.execute(db);
  return rows[0]?.date ?? undefined;
}

/** Returns the name of a storage; empty if it does not exist. */
export async function storageName(db: Db, id: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select name from replay_storage where id::text = ${id}`.execute(db);
  return rows[0]?.name ?? '';
}
