import type { Language, NotificationKind } from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { MailKind, Mails } from '../identity/index.ts';
import type { Mailer } from '../mail/index.ts';
import { notifyUsers } from '../notifications/index.ts';

/** News about an object with a page in the console. */
export interface UserNews {
  readonly kind: MailKind & NotificationKind;
  readonly to: readonly string[];
  readonly subject: string;
  /** The user who acted. */
  readonly by: string;
  readonly about: { readonly name: string; readonly path: string };
  readonly id: string;
  readonly organization?: string;
  readonly language: Language;
  /** True if a user waits for the reader: the mail is not held. Default: false. */
  readonly isUrgent?: boolean;
}

/** Notifies users in the transaction of the event: in the console, and by mail. */
export type TellUsers = (news: UserNews, tx: Tx) => Promise<void>;

/** Creates `TellUsers`. Sends no mail without a mail server. */
export function createTellUsers({
  mails,
  mailer,
}: {
  mails: Pick<Mails, 'enqueue'>;
  mailer: Pick<Mailer, 'isConfigured'>;
}): TellUsers {
  return async (news, tx) => {
    const { kind, to, subject, by, about, id, organization, language, isUrgent = false } = news;
    const object = { resource: about.name, resourceId: id };
    await notifyUsers(
      { kind, users: to, subject, by, ...object, ...(organization && { organization }) },
      tx,
    );
    if (!mailer.isConfigured()) return;
    const mailed = { about: subject, page: `/ui/${about.path}/${id}`, by };
    for (const userId of to)
      await mails.enqueue({ kind, userId, language, about: mailed, isUrgent }, tx);
  };
}
