import { type NotificationKind, ticket } from '@sallyport/contract';
import { type Caller, displayName } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { MailKind, Mails } from '../identity/index.ts';
import type { Mailer } from '../mail/index.ts';
import { notifyUsers } from '../notifications/index.ts';
import type { TicketAnswer } from './kinds.ts';
import { assigneesOf } from './store.ts';

const ANSWERED = {
  approve: 'ticket_approved',
  reject: 'ticket_rejected',
  close: 'ticket_closed',
} as const satisfies Record<TicketAnswer, MailKind & NotificationKind>;

/** Notifies users about tickets, in the transaction of the change: in the console, and by mail. */
export interface TicketMails {
  /** To the new assignees of a ticket, except the caller. `before` are the former ones. */
  asked(ticketId: string, before: readonly string[], caller: Caller, tx: Tx): Promise<void>;
  /** To the assignees of a ticket about emergency access that was just opened. */
  alarmed(ticketId: string, caller: Caller, tx: Tx): Promise<void>;
  /** To the requester of a ticket that another user closed. */
  answered(ticketId: string, answer: TicketAnswer, caller: Caller, tx: Tx): Promise<void>;
}

interface TicketNews {
  readonly kind: MailKind & NotificationKind;
  readonly ticketId: string;
  readonly to: readonly string[];
}

/** Creates the news about tickets. Sends no mail without a mail server. */
export function createTicketMails({
  mails,
  mailer,
}: {
  mails: Pick<Mails, 'enqueue'>;
  mailer: Pick<Mailer, 'isConfigured'>;
}): TicketMails {
  const send = async (
    { kind, ticketId, to }: TicketNews,
    { actor, language }: Caller,
    tx: Tx,
  ): Promise<void> => {
    const { rows } = await sql<{
      title: string;
    }>`select title from ticket where id = ${ticketId}`.execute(tx);
    await notifyUsers(
      {
        kind,
        users: to,
        subject: rows[0]?.title ?? '',
        by: displayName(actor),
        resource: ticket.name,
        resourceId: ticketId,
      },
      tx,
    );
    if (!mailer.isConfigured()) return;
    const about = {
      about: rows[0]?.title ?? '',
      page: `/ui/${ticket.path}/${ticketId}`,
      by: displayName(actor),
    };
    for (const userId of to) await mails.enqueue({ kind, userId, language, about }, tx);
  };
  return {
    async asked(ticketId, before, caller, tx) {
      const now = await assigneesOf(ticketId, tx);
      const fresh = now.filter((id) => !before.includes(id) && id !== caller.actor.userId);
      await send({ kind: 'ticket_asked', ticketId, to: fresh }, caller, tx);
    },
    async alarmed(ticketId, caller, tx) {
      const to = await assigneesOf(ticketId, tx);
      await send({ kind: 'emergency_opened', ticketId, to }, caller, tx);
    },
    async answered(ticketId, answer, caller, tx) {
      const { rows } = await sql<{
        user_id: string | null;
      }>`select user_id from ticket where id = ${ticketId}`.execute(tx);
      const requester = rows[0]?.user_id;
      if (requester && requester !== caller.actor.userId)
        await send({ kind: ANSWERED[answer], ticketId, to: [requester] }, caller, tx);
    },
  };
}
