import { defineModule } from '../../module.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { createBackupAttention } from './attention.ts';
import { type BackupWork, createBackupJob, createBackupSchedule, createDrillJob } from './job.ts';
import { mountBackups } from './routes.ts';

export { backupFamilies } from './backup-families.ts';
export {
  BackupFailure,
  backupState,
  lastBackup,
  newestBackup,
  OLD_BACKUP_DAYS,
  rememberBackup,
  rememberCopy,
  rememberFailure,
  type WaitingBackup,
  waitingBackup,
} from './backups.ts';
export {
  beginDrill,
  type DrillFacts,
  DrillFailure,
  drillState,
  endDrill,
  endLostDrills,
  isDrillLate,
} from './drills.ts';
export type { BackupWork } from './job.ts';
export { forgetCopy, forgetFolder, type OutdatedBackup, outdatedBackups } from './rotation.ts';

/** Tells all servers to delete outdated folders. */
const ROTATE_CHANNEL = 'rotate_backups';

/** Backups on a schedule and by the command, and drills that restore them. */
export const backups = defineModule({
  name: 'backups',
  tables: ['backup', 'restore_drill'],
  create({ core: { db, bus, jobs, log }, use }) {
    const inForce = use(settings);
    let provided: BackupWork | undefined;
    const work = () => {
      if (!provided) throw new Error('the work of backups was not provided');
      return provided;
    };
    const rotateFolders = () =>
      void work()
        .rotateFolders()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'outdated backups on this server were not deleted'),
        );
    // The first process of a server deletes the folders on its disk.
    const { processes } = use(servers);
    bus.subscribe(ROTATE_CHANNEL, () => {
      if (processes.isFirst) rotateFolders();
    });
    const parts = { db, settings: inForce, log, work };
    const drillJob = createDrillJob(parts);
    const backupJob = createBackupJob({ ...parts, rotate: () => bus.publish(ROTATE_CHANNEL, '') });
    return {
      service: {
        /** Sets the work of the jobs. */
        provide(given: BackupWork) {
          provided = given;
        },
      },
      attention: createBackupAttention(inForce),
      routes: ({ http }) =>
        mountBackups(http, { db, jobs, drillJob, backupJob, settings: inForce }),
      jobs: [drillJob, backupJob, createBackupSchedule(parts, backupJob, jobs)],
    };
  },
});
