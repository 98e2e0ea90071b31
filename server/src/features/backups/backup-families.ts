import type { Db } from '../../platform/db/database.ts';
import { type Family, gauge } from '../../platform/metrics/open-metrics.ts';
import { backupState, lastBackup } from './backups.ts';
import { drillState } from './drills.ts';

/** Backups and restore drills, for monitors. */
export async function backupFamilies(db: Db): Promise<readonly Family[]> {
  const [last, scheduled, drills] = [
    await lastBackup(db),
    await backupState(db),
    await drillState(db),
  ];
  const seconds = (date: Date | null | undefined) => (date?.getTime() ?? 0) / 1_000;
  return [
    gauge(
      'sallyport_backup_timestamp_seconds',
      'When the last backup was complete; 0: never.',
      seconds(last),
    ),
    gauge(
      'sallyport_backup_failed',
      '1 if the newest scheduled backup failed.',
      scheduled.has_failed ? 1 : 0,
    ),
    gauge(
      'sallyport_backup_bytes',
      'Size of the newest complete scheduled backup; 0: none.',
      scheduled.bytes,
    ),
    gauge(
      'sallyport_restore_drill_timestamp_seconds',
      'When the last restore drill passed; 0: never.',
      seconds(drills.last_passed),
    ),
    gauge(
      'sallyport_restore_drill_duration_seconds',
      'Duration of the last restore drill that passed.',
      drills.seconds,
    ),
    gauge(
      'sallyport_restore_drill_failed',
      '1 if the newest restore drill did not pass.',
      drills.has_failed ? 1 : 0,
    ),
  ];
}
