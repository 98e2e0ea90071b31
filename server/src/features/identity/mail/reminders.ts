import { PASSWORD_REMINDER_DAYS } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { SettingsService } from '../../settings/service.ts';
import type { Mailer } from './mailer.ts';

/** Reminds people of passwords and accounts that are about to expire; on whichever server asks first, once a day. @returns how many mails were asked for */
export async function remindOfExpiry(db: Db, settings: SettingsService, mailer: Mailer): Promise<number> {
  if (!mailer.isConfigured()) return 0;
  const passwordDays = settings.get('SECURITY_PASSWORD_EXPIRATION_TIME');
  return db.transaction().execute(async (tx) => {
    const { rows: claimed } = await sql`
      insert into daily_job as known (name, day) values ('expiry reminders', current_date)
      on conflict (name) do update set day = excluded.day where known.day < excluded.day returning 1`.execute(tx);
    if (claimed.length === 0) return 0;
    const { rows } = await sql`
      insert into mail_job (kind, user_id)
      select 'password_expiry', id from account
      where source = 'local' and is_active and coalesce(date_expired > now(), true)
        and date_password_last_updated + make_interval(days => ${passwordDays}) between now() and now() + make_interval(days => ${PASSWORD_REMINDER_DAYS})
      union all
      select 'account_expiry', id from account
      where is_active and date_expired between now() and now() + make_interval(days => ${PASSWORD_REMINDER_DAYS})
      returning 1`.execute(tx);
    if (rows.length > 0) await sql`select pg_notify('mail', '')`.execute(tx);
    return rows.length;
  });
}
