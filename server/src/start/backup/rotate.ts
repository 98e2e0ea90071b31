import { rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Config } from '../../config.ts';
import { forgetCopy, type OutdatedBackup, outdatedBackups } from '../../features/backups/index.ts';
import { serverIdOf } from '../../features/servers/index.ts';
import type { ScheduledOptions } from './scheduled.ts';
import { isScheduledName } from './scheduled.ts';
import { backupStorage, storedKey } from './stored-backups.ts';

type RotationOptions = Pick<ScheduledOptions, 'db' | 'vault' | 'settings'>;

const outdatedOf = ({ db, settings }: RotationOptions) =>
  outdatedBackups(db, {
    last: settings.get('BACKUP_KEEP_LAST'),
    days: settings.get('BACKUP_KEEP_DAYS'),
  });

/** Deletes outdated folders on the disk of this server. */
export async function rotateFolders(config: Config, options: RotationOptions): Promise<void> {
  const server = serverIdOf(config);
  const isOwn = ({ folder, has_folder: has, server: holder }: OutdatedBackup) =>
    has &&
    holder === server &&
    dirname(folder) === config.backupDirectory &&
    isScheduledName(basename(folder));
  for (const backup of (await outdatedOf(options)).filter(isOwn)) {
    await rm(backup.folder, { recursive: true, force: true });
    await forgetCopy(options.db, backup, 'folder');
  }
}

/** Deletes outdated copies in storages. Tries all, and throws the first error. */
export async function rotateCopies(options: RotationOptions): Promise<void> {
  const { db, vault } = options;
  const failures: unknown[] = [];
  for (const backup of await outdatedOf(options)) {
    const { storage: id, stored_key: key } = backup;
    if (id === null) continue;
    try {
      const { storage } = await backupStorage(db, vault, id);
      await storage.delete(key ?? storedKey(backup.folder));
    } catch (error) {
      failures.push(error);
      if (key !== null) continue;
      // An upload was never complete, so the storage most likely has nothing of it.
    }
    await forgetCopy(db, backup, 'object');
  }
  if (failures.length > 0) throw failures[0];
}
