import { formatDatetime, say } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import { type AskingParts, askReviewers, type WaitingPerson } from './ask-reviewers.ts';
import { type TicketDecision, type TicketDecisions, tellDecision } from './decisions.ts';
import type { TicketKind } from './kinds.ts';

/** Characters of a screen for reviewers, from its end: 100 rows of 200 columns. */
const MAX_SCREEN = 20_000;
/** Longer commands are not reviewed: reviewers would approve what they do not see. */
const MAX_TEXT = 8_000;
const TITLE = { en: '{user} on {asset}: {text}', zh: '{user} 在 {asset}：{text}' };
const BODY = {
  en: 'User: {user}\nAsset: {asset}\nAccount: {account}\nSession: {session}\nWaits until: {until}\nRule: {rule}\n\n{text}',
  zh: '用户：{user}\n资产：{asset}\n账号：{account}\n会话：{session}\n等待至：{until}\n规则：{rule}\n\n{text}',
};

/** A command of a session that waits for a reviewer. */
interface HeldCommand {
  readonly session: {
    readonly id: string;
    readonly account: string;
    readonly person: WaitingPerson;
    readonly grant: { readonly asset: { readonly orgId: string; readonly hostname: string } };
  };
  readonly text: string;
  /** The screen of the terminal in which the line was typed. */
  readonly screen?: string;
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

interface HeldCommandOptions extends AskingParts {
  readonly db: Db;
  readonly decisions: TicketDecisions;
}

/** Asks the administrators of a session's organization about commands, by tickets. */
export function createHeldCommands({ db, decisions, ...asking }: HeldCommandOptions): HeldCommands {
  async function ask(held: HeldCommand, tx: Tx): Promise<string | undefined> {
    const { person, grant, account, id: session } = held.session;
    const expires = new Date(databaseClock.now() + held.seconds * 1000);
    const facts = {
      kind: 'held_command',
      asset: grant.asset.hostname,
      account,
      session,
      until: expires.toISOString(),
      rule: held.message,
      text: held.text,
    } as const;
    const id = await askReviewers(
      asking,
      {
        person,
        organizationId: grant.asset.orgId,
        type: 'held_command',
        facts,
        write: (language, zone) => {
          const values = {
            ...facts,
            user: person.display,
            until: formatDatetime(expires, zone),
          };
          const text = held.text.replace(/\s+/g, ' ');
          return {
            title: say(TITLE, language, { ...values, text }),
            body: say(BODY, language, values),
          };
        },
      },
      tx,
    );
    if (id !== undefined)
      await sql`insert into held_command (ticket_id, session_id, date_expires, screen)
        values (${id}, ${session}, ${expires},
          ${(held.screen ?? '').slice(-MAX_SCREEN).toWellFormed()})`.execute(tx);
    return id;
  }

  return {
    async decide(held, signal) {
      if (held.text.length > MAX_TEXT) return { verdict: 'expired', by: '' };
      const id = await transact(db, (tx) => ask(held, tx));
      if (id === undefined) return { verdict: 'expired', by: '' };
      try {
        return await decisions.wait(
          { id, organizationId: held.session.grant.asset.orgId },
          held.seconds,
          signal,
        );
      } finally {
        await forget(id, db);
      }
    },
  };
}

/** The kind of tickets about held commands. A command that no longer waits cannot be approved. */
export const heldCommandKind: TicketKind = {
  async ended(ticketId, answer, { tx }) {
    if (answer === 'approve' && !(await isWaiting(ticketId, tx)))
      throw new Conflict('ticket_command_over');
    await forget(ticketId, tx);
    await tellDecision(ticketId, tx);
  },
};

async function isWaiting(ticketId: string, tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select 1 from held_command h join session s on s.id = h.session_id
    where h.ticket_id = ${ticketId} and h.date_expires > now() and not s.is_finished`.execute(tx);
  return rows.length > 0;
}

/** Deletes the facts of an ended wait, and with them the screen. */
async function forget(ticketId: string, db: Db | Tx): Promise<void> {
  await sql`delete from held_command where ticket_id = ${ticketId}`.execute(db);
}
