import { type Language, parseLanguage } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { Rejected } from '../../../platform/errors.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/definition.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { SettingsService } from '../../settings/service.ts';
import { makeResetToken } from '../password/reset-links.ts';
import { type MailKind, mailText } from './texts.ts';

/** What lies in the queue. Links with tokens are made when a mail is sent, so no secret waits anywhere. */
interface MailInput {
  readonly kind: MailKind;
  readonly userId: string;
  readonly language: string;
  readonly about?: MailAbout;
}

/** What a mail is about: an organization or a ticket, its page, and who acted. */
export interface MailAbout {
  readonly about: string;
  /** The path of the page that the mail leads to; absent: the profile. */
  readonly page?: string;
  readonly by?: string;
}

/** Mail to accounts. */
export interface Mails {
  readonly job: JobDefinition<MailInput>;
  /** Asks for a mail in the transaction of the change that it is about: it is sent when the change is certain, and again when the mail server is away. */
  enqueue(
    kind: MailKind,
    userId: string,
    language: Language,
    tx: Db | Tx,
    about?: MailAbout,
  ): Promise<void>;
}

interface Recipient {
  username: string;
  name: string;
  email: string;
  preferred: string | null;
  date_expired: Date | null;
  date_password_last_updated: Date | null;
}

const DAY = 86_400_000;

/** Builds the mail queue. `site` is where links lead. */
export function createMails(options: {
  db: Db;
  jobs: Jobs;
  mailer: Mailer;
  settings: SettingsService;
  site: () => string;
}): Mails {
  const { db, jobs, mailer, settings } = options;

  const daysUntil = (date: Date | null): number =>
    Math.max(0, Math.ceil(((date?.getTime() ?? Date.now()) - Date.now()) / DAY));
  const passwordEnd = (changed: Date | null) =>
    changed &&
    new Date(changed.getTime() + settings.get('SECURITY_PASSWORD_EXPIRATION_TIME') * DAY);

  const linkOf = async ({ kind, userId, about }: MailInput): Promise<string | undefined> => {
    const site = options.site();
    if (kind !== 'welcome' && kind !== 'password_reset')
      return `${site}${about?.page ?? '/ui/users/profile'}`;
    const token = await makeResetToken(userId, db);
    // After the `#`: browsers do not send it, so it is in no log and no referrer.
    return token && `${site}/core/auth/password/reset/#token=${token}`;
  };

  const send = async (input: MailInput): Promise<void> => {
    const { rows } = await sql<Recipient>`
      select username, name, email, preferences ->> 'language' as preferred, date_expired, date_password_last_updated
      from account where id = ${input.userId}`.execute(db);
    const [to] = rows;
    const link = to && (await linkOf(input));
    if (!to || !link) return;
    const days = daysUntil(
      input.kind === 'password_expiry'
        ? passwordEnd(to.date_password_last_updated)
        : to.date_expired,
    );
    const language = parseLanguage(to.preferred ?? '') ?? parseLanguage(input.language) ?? 'zh';
    const facts = {
      name: to.name,
      username: to.username,
      link,
      site: options.site(),
      days,
      about: input.about?.about ?? '',
      by: input.about?.by ?? '',
    };
    await mailer.send({ to: to.email, ...mailText(input.kind, facts, language, settings) });
  };

  const job = defineJob<MailInput>({
    name: 'mail',
    title: { en: 'Send a mail', zh: '发送邮件' },
    input: (value) => value as MailInput,
    // In about four hours; after that a link or a reminder is of no use any more.
    retries: { limit: 8, delaySeconds: 60, maximumDelaySeconds: 3600 },
    timeoutSeconds: 120,
    access: 'server',
    history: 'failures',
    async run({ input }) {
      if (!mailer.isConfigured()) throw new Rejected('mail_not_configured');
      try {
        await send(input);
      } catch (error) {
        throw new Rejected('mail_failed', {
          reason: error instanceof Error ? error.message.slice(0, 200) : 'internal',
        });
      }
    },
  });

  return {
    job,
    async enqueue(kind, userId, language, tx, about) {
      await jobs.enqueue(
        job,
        { kind, userId, language, ...(about !== undefined && { about }) },
        { subject: kind, tx },
      );
    },
  };
}
