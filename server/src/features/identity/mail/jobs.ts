import { type Language, parseLanguage } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/log.ts';
import type { SettingsService } from '../../settings/service.ts';
import { makeResetToken } from '../password/reset-links.ts';
import type { Mailer } from './mailer.ts';
import { type MailKind, mailText } from './texts.ts';

/** Mail that waits in the database: it is sent after the change it tells of is certain, again when the mail server is away, and once. */
export interface MailJobs {
  /** Sends what is due, one after the other. */
  run(): Promise<void>;
}

/** Minutes until the next try, by the number of tries; after the last one the mail is given up. */
const RETRY_MINUTES = [1, 5, 15, 60, 240];
/** A mail that is being sent belongs to its server for this long. */
const LEASE_MINUTES = 5;
const DAY = 86_400_000;

/** Asks for a mail in the transaction of the change it is about; whoever is free sends it once the change is certain. */
export async function enqueueMail(kind: MailKind, userId: string, language: Language, tx: Db | Tx): Promise<void> {
  await sql`insert into mail_job (kind, user_id, language) values (${kind}, ${userId}, ${language})`.execute(tx);
  await sql`select pg_notify('mail', '')`.execute(tx);
}

interface Job {
  id: string;
  kind: MailKind;
  language: string;
  attempts: number;
  user_id: string;
  username: string;
  name: string;
  email: string;
  preferred: string | null;
  date_expired: Date | null;
  date_password_last_updated: Date | null;
}

/** Sends waiting mail. `site` is where links lead. */
export function createMailJobs(options: { db: Db; mailer: Mailer; settings: SettingsService; site: () => string; log: Logger }): MailJobs {
  const { db, mailer, settings, log } = options;

  const take = async (): Promise<Job | undefined> => {
    const { rows } = await sql<Job>`
      with mine as (
        select id from mail_job where date_next <= now() order by date_next limit 1 for update skip locked
      ), leased as (
        update mail_job j set date_next = now() + make_interval(mins => ${LEASE_MINUTES}), attempts = attempts + 1 from mine where j.id = mine.id returning j.*
      )
      select j.id, j.kind, j.language, j.attempts, a.id as user_id, a.username, a.name, a.email, a.preferences ->> 'language' as preferred,
        a.date_expired, a.date_password_last_updated
      from leased j join account a on a.id = j.user_id`.execute(db);
    return rows[0];
  };

  const daysUntil = (date: Date | null): number => Math.max(0, Math.ceil(((date?.getTime() ?? Date.now()) - Date.now()) / DAY));
  const passwordEnd = (changed: Date | null) => changed && new Date(changed.getTime() + settings.get('SECURITY_PASSWORD_EXPIRATION_TIME') * DAY);

  const linkOf = async (job: Job): Promise<string | undefined> => {
    const site = options.site();
    if (job.kind !== 'welcome' && job.kind !== 'password_reset') return `${site}/ui/users/profile`;
    const token = await makeResetToken(job.user_id, db);
    // After the `#`: browsers keep it to themselves, so it stands in no log and no referrer.
    return token && `${site}/core/auth/password/reset/#token=${token}`;
  };

  const send = async (job: Job): Promise<void> => {
    const link = await linkOf(job);
    if (!link) return;
    const days = daysUntil(job.kind === 'password_expiry' ? passwordEnd(job.date_password_last_updated) : job.date_expired);
    const language = parseLanguage(job.preferred ?? '') ?? parseLanguage(job.language) ?? 'zh';
    const facts = { name: job.name, username: job.username, link, site: options.site(), days };
    await mailer.send({ to: job.email, ...mailText(job.kind, facts, language, settings) });
  };

  const drop = (id: string) => sql`delete from mail_job where id = ${id}`.execute(db);

  const runAll = async (): Promise<void> => {
    if (!mailer.isConfigured()) return;
    for (let job = await take(); job; job = await take()) {
      try {
        await send(job);
        await drop(job.id);
      } catch (error) {
        const minutes = RETRY_MINUTES[job.attempts - 1];
        log.warn({ kind: job.kind, attempts: job.attempts, error: error instanceof Error ? error.message : String(error) }, 'a mail could not be sent');
        if (minutes === undefined) await drop(job.id);
        else await sql`update mail_job set date_next = now() + make_interval(mins => ${minutes}) where id = ${job.id}`.execute(db);
      }
    }
  };

  let running: Promise<void> | undefined;
  let again = false;
  const run = (): Promise<void> => {
    if (running) {
      // What was asked for in the meantime may have come too late for the present round.
      again = true;
      return running;
    }
    running = runAll().finally(() => {
      running = undefined;
      if (!again) return;
      again = false;
      void run().catch(() => undefined);
    });
    return running;
  };
  return { run };
}
