import { DRILL_PROBLEMS, Permission } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/definition.ts';
import type { Logger } from '../../platform/log.ts';
import { COMMAND } from '../../platform/release.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { type DrillFacts, DrillFailure, drillState, isDrillDue } from './drills.ts';

/** Restores the newest backup into a scratch database. @throws DrillFailure after recording it */
export type RunDrill = (run: {
  readonly startedBy: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}) => Promise<DrillFacts>;

/**
 * Runs restore drills: every night if one is due, and on request. The job succeeds even if the
 * drill does not pass: the start page reports that.
 */
export function createDrillJob({
  db,
  settings,
  log,
  run,
}: {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly log: Logger;
  readonly run: RunDrill;
}): JobDefinition<void> {
  return defineJob<void, unknown>({
    name: 'restore-drill',
    title: { en: 'Restore drill', zh: '恢复演练' },
    input: () => undefined,
    schedule: () => ({ dailyAt: '02:30' }),
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    timeoutSeconds: 5 * 3600,
    access: Permission.SUPER | Permission.ADMIN,
    history: 'all',
    async run({ caller, signal, log: say }) {
      const isRequested = caller.userId !== undefined;
      if (!isRequested && !isDrillDue(await drillState(db), settings.get('BACKUP_DRILL_DAYS')))
        return undefined;
      try {
        return await run({ startedBy: caller.name, signal, say });
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
