import { notification, say } from '@sallyport/contract';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { hooksFor } from '../../resources/hooks.ts';

/** The hooks of notifications: a job without a subject has the title of its kind. */
export const createNotificationHooks = (jobs: Pick<Jobs, 'kindOf'>) =>
  hooksFor(notification, {
    present(rows, { caller }) {
      for (const row of rows) {
        if (row.kind !== 'job_failed') continue;
        const kind = jobs.kindOf(String(row.subject));
        if (kind) row.subject = say(kind.title, caller.language);
      }
    },
  });
