import { formatDatetime, say } from '@sallyport/contract';
import { systemCaller } from '../../platform/actor.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import { writeOperateLog } from '../audits/index.ts';
import {
  reviewersOf,
  type TicketDecision,
  type TicketDecisions,
  tellDecision,
} from './decisions.ts';
import type { TicketKind } from './kinds.ts';
import type { TicketMails } from './mails.ts';
import { makeTicket } from './store.ts';
import type { TicketWording } from './wording.ts';

const MAX_TITLE = 256;
const MAX_BODY = 10_000;
/** Longer commands are not reviewed: reviewers would approve what they do not see. */
const MAX_TEXT = 8_000;
const TITLE = { en: '{user} on {asset}: {text}', zh: '{user} 在 {asset}：{text}' };
const BODY = {
  en: 'User: {user}\nAsset: {asset}\nAccount: {account}\nSession: {session}\nWaits until: {until}\nRule: {message}\n\n{text}',
  zh: '用户：{user}\n资产：{asset}\n账号：{account}\n会话：{session}\n等待至：{until}\n规则：{message}\n\n{text}',
};

/** A command of a session that waits for a reviewer. */
interface HeldCommand {
  readonly session: {
    readonly id: string;
    readonly account: string;
    readonly person: {
      readonly userId: string;
      readonly display: string;
      readonly remoteAddr: string | null;
    };
    readonly grant: { readonly asset: { readonly orgId: string; readonly hostname: string } };
  };
  readonly text: string;
  /** The sentence of the rule. */
  readonly message: string;
  readonly seconds: number;
}

interface HeldCommands {
  /**
   * Waits for the first decision, the timeout, or the abort of `signal`, which withdraws. No one
   * decides on a command above 8,000 characters.
   */
  decide(held: HeldCommand, signal: AbortSignal): Promise<TicketDecision>;
}

interface HeldCommandOptions {
  readonly db: Db;
  readonly decisions: TicketDecisions;
  readonly wording: TicketWording;
  readonly mails: Pick<TicketMails, 'asked'>;
}

/** Asks the administrators of a session's organization about commands, by tickets. */
export function createHeldCommands({
  db,
  decisions,
  wording,
  mails,
}: HeldCommandOptions): HeldCommands {
  async function ask(held: HeldCommand, tx: Tx): Promise<string | undefined> {
    const { person, grant, account, id: session } = held.session;
    const reviewers = await reviewersOf(grant.asset.orgId, person.userId, tx);
    if (reviewers.length === 0) return undefined;
    const caller = systemCaller('System', person.remoteAddr ?? '');
    const { language, zone } = wording();
    const expires = new Date(Date.now() + held.seconds * 1000);
    const facts = {
      user: person.display,
      asset: grant.asset.hostname,
      account,
      session,
      message: held.message,
      until: formatDatetime(expires, zone),
      text: held.text,
    };
    const title = say(TITLE, language, { ...facts, text: held.text.replace(/\s+/g, ' ') });
    const id = await makeTicket(
      {
        userId: person.userId,
        display: person.display,
        title: title.slice(0, MAX_TITLE),
        body: say(BODY, language, facts).slice(0, MAX_BODY),
        type: 'held_command',
        assignees: reviewers,
      },
      tx,
    );
    await sql`insert into held_command (ticket_id, session_id, date_expires)
      values (${id}, ${session}, ${expires})`.execute(tx);
    await writeOperateLog(tx, caller, {
      action: 'create',
      resourceType: 'ticket',
      resource: title.slice(0, MAX_TITLE),
      resourceId: id,
    });
    const actor = { ...caller.actor, name: person.display };
    await mails.asked(id, [], { ...caller, language, zone, actor }, tx);
    return id;
  }

  return {
    async decide(held, signal) {
      if (held.text.length > MAX_TEXT) return { verdict: 'expired', by: '' };
      const id = await transact(db, (tx) => ask(held, tx));
      if (id === undefined) return { verdict: 'expired', by: '' };
      return decisions.wait(id, held.seconds, signal);
    },
  };
}

/** The kind of tickets about held commands. A command that no longer waits cannot be approved. */
export const heldCommandKind: TicketKind = {
  async ended(ticketId, answer, { tx }) {
    if (answer === 'approve' && !(await isWaiting(ticketId, tx)))
      throw new Conflict('ticket_command_over');
    await tellDecision(ticketId, tx);
  },
};

async function isWaiting(ticketId: string, tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select 1 from held_command h join session s on s.id = h.session_id
    where h.ticket_id = ${ticketId} and h.date_expires > now() and not s.is_finished`.execute(tx);
  return rows.length > 0;
}
