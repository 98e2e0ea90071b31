import {
  holdsMail,
  type Language,
  pageLink,
  parseLanguage,
  parseMailTimes,
  secretLink,
} from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Rejected } from '../../../platform/errors.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/definition.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Mailer } from '../../mail/index.ts';
import { makeResetToken } from '../password/reset-links.ts';
import { createDigestJob } from './digests.ts';
import { canWait, holdMail } from './held-mails.ts';
import { mailProblem } from './mail-problem.ts';
import { type MailAbout, type MailKind, mailText } from './texts.ts';

export { dropRestoredMails } from './held-mails.ts';
export type { MailKind } from './texts.ts';

/**
 * Queued data of a mail. Links with tokens are created when the mail is sent, so the queue holds no
 * secret.
 */
interface MailInput {
  readonly kind: MailKind;
  readonly userId: string;
  readonly language: string;
  readonly about?: MailAbout;
  /** True if a user waits for the reader: the mail is not held. */
  readonly isUrgent?: boolean;
}

/** Mail to accounts. */
export interface Mails {
  /** Sends queued mails, and held ones when they are due. */
  readonly jobs: readonly [JobDefinition<MailInput>, JobDefinition<void>];
  /**
   * Queues a mail in the transaction of the change that it reports. It is sent after the commit,
   * and retried while the mail server is down.
   */
  enqueue(mail: MailInput, tx: Db | Tx): Promise<void>;
}

interface Recipient {
  username: string;
  name: string;
  email: string;
  preferred: string | null;
  mail_times: unknown;
  date_expired: Date | null;
  date_password_last_updated: Date | null;
  source_password_expired: Date | null;
}

const DAY = 86_400_000;

/** Creates the mail queue. `site` is the base URL of links. */
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
  const endOf = (kind: MailKind, to: Recipient) => {
    if (kind === 'password_expiry') return passwordEnd(to.date_password_last_updated);
    return kind === 'source_password_expiry' ? to.source_password_expired : to.date_expired;
  };

  const linkOf = async (
    { kind, userId, about }: MailInput,
    language: Language,
  ): Promise<string | undefined> => {
    const site = options.site();
    if (kind !== 'welcome' && kind !== 'password_reset')
      return pageLink(site, about?.page ?? '/ui/users/profile');
    const token = await makeResetToken(userId, db);
    const page = kind === 'welcome' ? 'welcome' : 'reset';
    return token && secretLink(page, { site, secret: token, language });
  };

  const send = async (input: MailInput): Promise<void> => {
    const { rows } = await sql<Recipient>`
      select username, name, email, preferences ->> 'language' as preferred,
        preferences -> 'mail_times' as mail_times,
        date_expired, date_password_last_updated,
        p.date_password_expired as source_password_expired
      from account left join source_proof p on p.user_id = id
      where id = ${input.userId}`.execute(db);
    const [to] = rows;
    if (!to) return;
    const { kind, userId, about, language: queuedIn, isUrgent } = input;
    const times = about && !isUrgent && canWait(kind) ? parseMailTimes(to.mail_times) : undefined;
    if (
      about &&
      times &&
      holdsMail(times, new Date()) &&
      (await holdMail({ userId, kind, about: { ...about, language: queuedIn } }, db))
    )
      return;
    const language = parseLanguage(to.preferred ?? '') ?? parseLanguage(queuedIn) ?? 'zh';
    const link = await linkOf(input, language);
    if (!link) return;
    const days = daysUntil(endOf(input.kind, to));
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
    // Retries span about four hours; later a link or a reminder is useless.
    retries: { limit: 8, delaySeconds: 60, maximumDelaySeconds: 3600 },
    timeoutSeconds: 120,
    access: 'server',
    history: 'failures',
    async run({ input }) {
      if (!mailer.isConfigured()) throw new Rejected('mail_not_configured');
      try {
        await send(input);
      } catch (error) {
        throw mailProblem(error);
      }
    },
  });

  return {
    jobs: [job, createDigestJob(options)],
    async enqueue(mail, tx) {
      await jobs.enqueue(job, mail, { subject: mail.kind, tx });
    },
  };
}
