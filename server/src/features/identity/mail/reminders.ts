import { PASSWORD_REMINDER_DAYS } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/definition.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Mailer } from '../../mail/index.ts';
import type { Mails } from './jobs.ts';
import type { MailKind } from './texts.ts';

/** Creates the daily job that mails users whose password or account is about to expire. */
export function createReminderJob(options: {
  db: Db;
  settings: SettingsService;
  mailer: Pick<Mailer, 'isConfigured'>;
  mails: Mails;
}): JobDefinition<void> {
  const { db, settings, mailer, mails } = options;
  return defineJob<void, { readonly mails: number }>({
    name: 'expiry-reminders',
    title: { en: 'Send expiry reminders for passwords and accounts', zh: '发送密码与账号到期提醒' },
    input: () => undefined,
    schedule: () => ({ dailyAt: '08:00' }),
    overlap: 'dropped',
    retries: { limit: 5, delaySeconds: 60 },
    repeatable: true,
    timeoutSeconds: 600,
    access: 'server',
    history: 'all',
    async run(job) {
      if (!mailer.isConfigured()) return { mails: 0 };
      const passwordDays = settings.get('SECURITY_PASSWORD_EXPIRATION_TIME');
      return db.transaction(async (tx) => {
        // A retry after a lost server must not remind a user twice.
        if (!(await job.once(tx))) return { mails: 0 };
        const { rows } = await sql<{ kind: MailKind; id: string }>`
          select 'password_expiry' as kind, id from account
          where source = 'local' and is_active and coalesce(date_expired > now(), true)
            and date_password_last_updated + make_interval(days => ${passwordDays})
              between now() and now() + make_interval(days => ${PASSWORD_REMINDER_DAYS})
          union all
          select 'source_password_expiry', a.id from account a
          join source_proof p on p.user_id = a.id
          where a.source <> 'local' and a.is_active and coalesce(a.date_expired > now(), true)
            and p.date_password_expired
              between now() and now() + make_interval(days => ${PASSWORD_REMINDER_DAYS})
          union all
          select 'account_expiry', id from account
          where is_active and date_expired
            between now() and now() + make_interval(days => ${PASSWORD_REMINDER_DAYS})`.execute(tx);
        const language = settings.get('SERVER_LANGUAGE');
        for (const { kind, id } of rows) await mails.enqueue({ kind, userId: id, language }, tx);
        return { mails: rows.length };
      });
    },
  });
}
