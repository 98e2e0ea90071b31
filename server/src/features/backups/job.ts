import { BACKUP_PROBLEMS, DRILL_PROBLEMS, Permission } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import {
  defineHousekeeping,
  defineJob,
  type JobDefinition,
} from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import { COMMAND } from '../../platform/release.ts';
import { type SettingsService, serverZone } from '../../platform/settings/service.ts';
import { BackupFailure, backupState } from './backups.ts';
import { type DrillFacts, DrillFailure, drillState, isDrillDue } from './drills.ts';
import { isBackupDue } from './schedule.ts';

/** The work of the jobs, which the start provides: it opens databases and storages. */
export interface BackupWork {
  /** Restores the newest backup into a scratch database. @throws DrillFailure after recording it */
  drill(run: {
    readonly startedBy: string;
    readonly signal: AbortSignal;
    readonly say: (line: string) => void;
  }): Promise<DrillFacts>;
  /** Makes a backup as the settings say. @throws BackupFailure after recording it */
  backup(run: {
    readonly signal: AbortSignal;
    readonly say: (line: string) => void;
  }): Promise<void>;
  /** Deletes outdated copies in storages. */
  rotateCopies(): Promise<void>;
  /** Deletes outdated folders of this server. */
  rotateFolders(): Promise<void>;
}

export interface BackupJobs {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly log: Logger;
  readonly work: () => BackupWork;
}

/** Administrators of the installation make backups and start drills. */
const ACCESS = Permission.SUPER | Permission.ADMIN;

/**
 * Runs restore drills: every night if one is due, and on request. The job succeeds even if the
 * drill does not pass: the start page reports that.
 */
export function createDrillJob({ db, settings, log, work }: BackupJobs): JobDefinition<void> {
  return defineJob<void, unknown>({
    name: 'restore-drill',
    title: { en: 'Restore drill', zh: '恢复演练' },
    input: () => undefined,
    schedule: () => ({ dailyAt: '02:30' }),
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    timeoutSeconds: 5 * 3600,
    access: ACCESS,
    history: 'all',
    async run({ caller, signal, log: say }) {
      const isRequested = caller.userId !== undefined;
      if (!isRequested && !isDrillDue(await drillState(db), settings.get('BACKUP_DRILL_DAYS')))
        return undefined;
      try {
        return await work().drill({ startedBy: caller.name, signal, say });
      } catch (error) {
        if (!(error instanceof DrillFailure)) throw error;
        say(`${DRILL_PROBLEMS[error.problem].en}: ${error.message}`);
        log.error(
          { problem: error.problem, detail: error.message },
          `a restore drill did not pass; run: ${COMMAND} backup drill`,
        );
        return { problem: error.problem };
      }
    },
  });
}

/**
 * Makes a backup, then rotates. The job succeeds even if the backup fails: the start page reports
 * that, and the schedule repeats it.
 */
export function createBackupJob({
  log,
  work,
  rotate,
}: Pick<BackupJobs, 'log' | 'work'> & {
  /** Makes all servers delete outdated folders. */
  rotate(): Promise<void>;
}): JobDefinition<void> {
  return defineJob<void, unknown>({
    name: 'backup',
    title: { en: 'Backup', zh: '备份' },
    input: () => undefined,
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    timeoutSeconds: 13 * 3600,
    access: ACCESS,
    history: 'all',
    async run({ signal, log: say }) {
      try {
        await work().backup({ signal, say });
      } catch (error) {
        if (!(error instanceof BackupFailure)) throw error;
        say(`${BACKUP_PROBLEMS[error.problem].en}: ${error.message}`);
        log.error(
          { problem: error.problem, detail: error.message },
          'a backup failed; the server repeats it every hour',
        );
        return { problem: error.problem };
      }
      await rotate();
      await work()
        .rotateCopies()
        .catch((error: unknown) => {
          say(`Outdated copies were not deleted: ${String(error)}`);
          log.error({ error: String(error) }, 'outdated backups in a storage were not deleted');
        });
      return undefined;
    },
  });
}

/** Queues a backup when one is due. */
export function createBackupSchedule(
  { db, settings }: BackupJobs,
  backup: JobDefinition<void>,
  jobs: Pick<Jobs, 'enqueue'>,
): JobDefinition<void> {
  return defineHousekeeping({
    name: 'backup-schedule',
    title: { en: 'Start backups', zh: '定时启动备份' },
    everyMinutes: 10,
    async run() {
      if (!settings.get('BACKUP_ENABLED')) return;
      const times = {
        hour: settings.get('BACKUP_HOUR'),
        zone: serverZone(settings),
        everyDays: settings.get('BACKUP_EVERY_DAYS'),
      };
      if (isBackupDue(await backupState(db), times)) await jobs.enqueue(backup, undefined);
    },
  });
}
