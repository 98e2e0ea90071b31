import type { Db } from '../../platform/db/database.ts';
import { type Family, gauge } from '../../platform/metrics/open-metrics.ts';
import { drillState } from './drills.ts';

/** The restore drills, for monitors. */
export async function drillFamilies(db: Db): Promise<readonly Family[]> {
  const { last_passed: last, seconds, has_failed: hasFailed } = await drillState(db);
  return [
    gauge(
      'sallyport_restore_drill_timestamp_seconds',
      'When the last restore drill passed; 0: never.',
      (last?.getTime() ?? 0) / 1_000,
    ),
    gauge(
      'sallyport_restore_drill_duration_seconds',
      'Duration of the last restore drill that passed.',
      seconds,
    ),
    gauge(
      'sallyport_restore_drill_failed',
      '1 if the newest restore drill did not pass.',
      hasFailed ? 1 : 0,
    ),
  ];
}
