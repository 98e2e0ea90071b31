import type { Db } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/definition.ts';
import { endOpenedByExpired } from './access-keys/store.ts';
import { clearExpiredInvitations } from './invitations/store.ts';
import { clearPending } from './sign-in/pending.ts';
import { clearExpiredSignIns } from './sign-in-sessions/store.ts';

/** Removes expired sign-in sessions and sign-ins that were never completed. */
export function createCleanupJob(db: Db): JobDefinition<void> {
  return defineJob<void>({
    name: 'sign-in-cleanup',
    title: { en: 'Remove expired sign-ins', zh: '清理过期登录' },
    input: () => undefined,
    schedule: () => ({ everyMinutes: 10 }),
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 300,
    access: 'server',
    history: 'failures',
    async run() {
      await clearExpiredSignIns(db);
      await clearExpiredInvitations(db);
      await clearPending(db);
    },
  });
}

/** Ends what access keys had opened whose time is over. */
export function createExpiredKeysJob(db: Db): JobDefinition<void> {
  return defineJob<void>({
    name: 'expired-access-keys',
    title: { en: 'End what expired access keys opened', zh: '终止过期访问密钥打开的会话' },
    input: () => undefined,
    schedule: () => ({ everyMinutes: 1 }),
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 60,
    access: 'server',
    history: 'failures',
    run: () => endOpenedByExpired(db),
  });
}
