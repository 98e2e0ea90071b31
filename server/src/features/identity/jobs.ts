import type { Db } from '../../platform/db/database.ts';
import { defineHousekeeping, type JobDefinition } from '../../platform/jobs/definition.ts';
import { endOpenedByExpired } from './access-keys/store.ts';
import { clearDevices } from './devices/store.ts';
import { clearExpiredInvitations } from './invitations/store.ts';
import { clearPending } from './sign-in/pending.ts';
import { clearProviderMessages } from './sign-in/provider-messages.ts';
import { forgetRates } from './sign-in/rate-limit.ts';
import type { Reviews } from './sign-in/reviews.ts';
import { clearExpiredSignIns } from './sign-in-sessions/store.ts';

/** Deletes expired sign-in sessions and sign-ins that were never completed. */
export function createCleanupJob(db: Db, reviews: () => Reviews): JobDefinition<void> {
  return defineHousekeeping({
    name: 'sign-in-cleanup',
    title: { en: 'Remove expired sign-ins', zh: '清理过期登录' },
    everyMinutes: 10,
    async run() {
      await clearExpiredSignIns(db);
      await clearExpiredInvitations(db);
      await clearDevices(db);
      await clearPending(db, reviews());
      await clearProviderMessages(db);
      await forgetRates(db);
    },
  });
}

/** Ends connections that were opened with expired access keys. */
export function createExpiredKeysJob(db: Db): JobDefinition<void> {
  return defineHousekeeping({
    name: 'expired-access-keys',
    title: { en: 'End sessions of expired access keys', zh: '结束过期访问密钥的会话' },
    everyMinutes: 1,
    timeoutSeconds: 60,
    run: () => endOpenedByExpired(db),
  });
}
