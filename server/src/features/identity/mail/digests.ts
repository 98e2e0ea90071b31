import { type Language, pageLink, parseLanguage, say } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/definition.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Mailer } from '../../mail/index.ts';
import {
  dropHeldMails,
  dropMailsOfLeavers,
  giveUpHeldMails,
  type HeldMail,
  heldMailsOf,
  usersWithDueMails,
} from './held-mails.ts';
import { mailProblem } from './mail-problem.ts';
import { digestText } from './texts.ts';

interface DigestOptions {
  readonly db: Db;
  readonly mailer: Mailer;
  readonly settings: SettingsService;
  readonly site: () => string;
}

const SUBJECT = {
  en: '{count, plural, one {# message} other {# messages}} while mails waited',
  zh: '{count, number} 条待发邮件',
};
const HELLO = {
  en: 'Hello {name}, your quiet hours or your daily digest held these messages:',
  zh: '{name}，您好：以下邮件按您的免打扰或每日汇总设置合并发送：',
};

/** Failures after which a run ends: the mail server may be away. */
const MOST_FAILURES = 5;

interface Reader {
  readonly name: string;
  readonly username: string;
  readonly email: string;
  readonly preferred: string | null;
}

/** Creates the job that sends held mails, as one mail for each user. */
export function createDigestJob({
  db,
  mailer,
  settings,
  site,
}: DigestOptions): JobDefinition<void> {
  const lineOf = ({ kind, about }: HeldMail, { name, username }: Reader, language: Language) => {
    const link = pageLink(site(), about.page ?? '/ui/users/profile');
    const facts = { name, username, link, site: site(), days: 0, about: about.about };
    return digestText(kind, { ...facts, by: about.by ?? '' }, language);
  };

  async function send(userId: string): Promise<void> {
    const { rows } = await sql<Reader>`
      select name, username, email, preferences ->> 'language' as preferred
      from account where id = ${userId}`.execute(db);
    const [to] = rows;
    const mails = await heldMailsOf(userId, db);
    if (!to || mails.length === 0) return;
    const queuedIn = mails.at(-1)?.about.language ?? settings.get('SERVER_LANGUAGE');
    const language = parseLanguage(to.preferred ?? '') ?? parseLanguage(queuedIn) ?? 'zh';
    const lines = mails.map((mail) => lineOf(mail, to, language));
    const subject = say(SUBJECT, language, { count: mails.length });
    const text = `${[say(HELLO, language, { name: to.name }), ...lines, 'Sallyport'].join('\n\n')}\n`;
    await mailer.send({ to: to.email, subject, text });
    await dropHeldMails(
      mails.map(({ id }) => id),
      db,
    );
  }

  return defineJob<void, { readonly mails: number }>({
    name: 'mail-digests',
    title: { en: 'Send mails that waited', zh: '发送暂缓的邮件' },
    input: () => undefined,
    schedule: () => ({ everyMinutes: 10 }),
    overlap: 'dropped',
    // The next run tries again.
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 600,
    access: 'server',
    history: 'failures',
    async run({ signal }) {
      if (!mailer.isConfigured()) return { mails: 0 };
      await dropMailsOfLeavers(db);
      let mails = 0;
      const failures: unknown[] = [];
      for (const user of await usersWithDueMails(new Date(), db)) {
        if (signal.aborted || failures.length >= MOST_FAILURES) break;
        try {
          await send(user);
          mails += 1;
        } catch (error) {
          failures.push(error);
          await giveUpHeldMails(user, db);
        }
      }
      if (failures.length > 0) throw mailProblem(failures[0]);
      return { mails };
    },
  });
}
