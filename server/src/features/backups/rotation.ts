import { basename } from 'node:path';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { writeOperateLog } from '../audits/index.ts';
import { type Keeping, outdated } from './schedule.ts';

/** A copy of a backup that rotation deletes. */
export interface OutdatedBackup {
  readonly id: string;
  readonly folder: string;
  readonly date_started: Date;
  readonly server: string;
  readonly has_folder: boolean;
  readonly storage: string | null;
  readonly storage_name: string;
  readonly stored_key: string | null;
  readonly state: 'complete' | 'waiting';
}

/**
 * Returns the scheduled backups to delete: outdated ones, and those that still wait for their
 * storage after a newer one was verified.
 */
export async function outdatedBackups(
  db: Db,
  keeping: Keeping,
): Promise<readonly OutdatedBackup[]> {
  const { rows } = await sql<OutdatedBackup>`
    select b.id, b.folder, b.date_started, b.server, b.has_folder, b.storage,
      coalesce(s.name, '') as storage_name, b.stored_key, b.state
    from backup b left join replay_storage s on s.id = b.storage
    where b.is_scheduled and b.state <> 'failed'`.execute(db);
  const complete = rows.filter(({ state }) => state === 'complete');
  const newest = Math.max(...complete.map(({ date_started: date }) => date.getTime()));
  const superseded = rows.filter(
    ({ state, date_started: date }) => state === 'waiting' && date.getTime() < newest,
  );
  return [...outdated(complete, keeping), ...superseded];
}

/**
 * Records that a copy of a backup was deleted, in the operate log too. Deletes the record with its
 * last copy.
 */
export async function forgetCopy(
  db: Db,
  { id, folder, server, storage_name: storage, stored_key: key }: OutdatedBackup,
  copy: 'folder' | 'object',
): Promise<void> {
  await db.transaction(async (tx) => {
    const { rowCount } =
      copy === 'folder'
        ? await sql`update backup set has_folder = false
            where id = ${id}::uuid and has_folder`.execute(tx)
        : await sql`update backup set storage = null, stored_key = null
            where id = ${id}::uuid and storage is not null`.execute(tx);
    if (!rowCount) return;
    await sql`delete from backup
      where id = ${id}::uuid and not has_folder and storage is null`.execute(tx);
    if (copy === 'object' && key === null) return;
    await writeOperateLog(tx, systemCaller('System'), {
      action: 'delete',
      resourceType: 'backup',
      resource: `${basename(folder)} (${copy === 'folder' ? server : storage})`,
      resourceId: id,
    });
  });
}

/** Records that the folder was deleted after its copy was verified in the storage. */
export async function forgetFolder(db: Db, id: string): Promise<void> {
  await sql`update backup set has_folder = false where id = ${id}::uuid`.execute(db);
}
