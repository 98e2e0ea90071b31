import { defineModule } from '../../module.ts';
import { settings } from '../settings/index.ts';
import { createDrillJob, type RunDrill } from './job.ts';
import { mountBackups } from './routes.ts';

export {
  lastBackup,
  lastBackupFolder,
  OLD_BACKUP_DAYS,
  oldBackup,
  rememberBackup,
} from './backups.ts';
export { drillFamilies } from './drill-families.ts';
export {
  beginDrill,
  type DrillFacts,
  DrillFailure,
  type DrillState,
  drillState,
  endDrill,
  endLostDrills,
  isDrillLate,
} from './drills.ts';
export type { RunDrill } from './job.ts';

/** Backups that the command made, and drills that restore them. */
export const backups = defineModule({
  name: 'backups',
  tables: ['backup', 'restore_drill'],
  create({ core: { db, jobs, log }, use }) {
    const inForce = use(settings);
    let run: RunDrill = () => Promise.reject(new Error('no drill was provided'));
    const job = createDrillJob({
      db,
      settings: inForce,
      log,
      run: (options) => run(options),
    });
    return {
      service: {
        /** Sets the work of a drill, which the start provides: it opens databases. */
        provideDrill(provided: RunDrill) {
          run = provided;
        },
      },
      routes: ({ http }) => mountBackups(http, { db, jobs, job, settings: inForce }),
      jobs: [job],
    };
  },
});
