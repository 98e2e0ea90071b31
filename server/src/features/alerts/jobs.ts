import type { Db } from '../../platform/db/database.ts';
import { defineHousekeeping } from '../../platform/jobs/definition.ts';
import { forgetDenials } from './denials.ts';
import { readSessions } from './sessions.ts';
import { type AlertServices, readSignIns } from './sign-ins.ts';
import { forgetHabits } from './store.ts';

/** A run reads for at most this time; the next one continues. */
const READ_MILLISECONDS = 40_000;

interface JobOptions extends AlertServices {
  /** Aborted when the program begins to stop. */
  readonly stopping: AbortSignal;
}

/** Raises alerts every minute, apart from the sign-ins: these wait for nothing. */
export const createAlertJob = ({ stopping, ...services }: JobOptions) =>
  defineHousekeeping({
    name: 'raise-alerts',
    title: { en: 'Raise alerts', zh: '检查告警' },
    everyMinutes: 1,
    async run() {
      const end = Date.now() + READ_MILLISECONDS;
      for (const read of [readSignIns, readSessions]) {
        let isMore = true;
        while (isMore && !stopping.aborted && Date.now() < end) isMore = await read(services);
      }
      await forgetDenials(services.db);
    },
  });

export const createForgetHabitsJob = (db: Db) =>
  defineHousekeeping({
    name: 'forget-habits',
    title: { en: 'Forget old habits of sign-ins', zh: '清理过期的登录习惯' },
    everyMinutes: 720,
    run: () => forgetHabits(db),
  });
