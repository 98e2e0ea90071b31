import { type NotificationKind, type TicketType, ticket } from '@sallyport/contract';
import { type Caller, displayName } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { MailKind } from '../identity/index.ts';
import type { TicketAnswer } from './kinds.ts';
import { assigneesOf } from './store.ts';
import type { TellUsers, UserNews } from './tell-users.ts';

const ANSWERED = {
  approve: 'ticket_approved',
  reject: 'ticket_rejected',
  close: 'ticket_closed',
} as const satisfies Record<TicketAnswer, MailKind & NotificationKind>;

/** Tickets whose requester waits at a prompt or a page: their mails are sent at once. */
const AWAITED: ReadonlySet<TicketType> = new Set<TicketType>([
  'login_confirm',
  'held_command',
  'connection',
]);

/** Notifies users about tickets, in the transaction of the change: in the console, and by mail. */
export interface TicketMails {
  /** To the new assignees of a ticket, except the caller. `before` are the former ones. */
  asked(ticketId: string, before: readonly string[], caller: Caller, tx: Tx): Promise<void>;
  /** To the assignees of a ticket about emergency access that was just opened. */
  alarmed(ticketId: string, caller: Caller, tx: Tx): Promise<void>;
  /** To the requester of a ticket that another user closed. */
  answered(ticketId: string, answer: TicketAnswer, caller: Caller, tx: Tx): Promise<void>;
}

/** Creates the news about tickets. */
export function createTicketMails(tell: TellUsers): TicketMails {
  const send = async (
    { ticketId, ...news }: Pick<UserNews, 'kind' | 'to'> & { readonly ticketId: string },
    { actor, language }: Caller,
    tx: Tx,
  ): Promise<void> => {
    const { rows } = await sql<{
      title: string;
      type: TicketType;
    }>`select title, type from ticket where id = ${ticketId}`.execute(tx);
    const [row] = rows;
    const mailFields = {
      subject: row?.title ?? '',
      by: displayName(actor),
      about: ticket,
      id: ticketId,
    };
    const isUrgent = row !== undefined && AWAITED.has(row.type);
    await tell({ ...news, ...mailFields, language, isUrgent }, tx);
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
