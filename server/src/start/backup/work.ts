import type { Config } from '../../config.ts';
import type { BackupWork } from '../../features/backups/index.ts';
import type { Core } from '../../module.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { drill } from './drill.ts';
import { rotateCopies, rotateFolders } from './rotate.ts';
import { runBackup } from './scheduled.ts';

/** Returns the work of the jobs of backups and drills. */
export function backupWork(
  config: Config,
  { db, vault }: Pick<Core, 'db' | 'vault'>,
  url: string,
  settings: SettingsService,
): BackupWork {
  const parts = { db, vault, settings };
  return {
    drill: (run) => drill(config, { ...run, url, db }),
    backup: (run) => runBackup(config, { ...run, ...parts, url }),
    rotateCopies: () => rotateCopies(parts),
    rotateFolders: () => rotateFolders(config, parts),
  };
}
