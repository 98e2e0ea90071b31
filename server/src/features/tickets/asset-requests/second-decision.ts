import {
  allows,
  formatDatetime,
  Permission,
  type ProposedChange,
  type RequestTarget,
  type SecondDecision,
  say,
} from '@sallyport/contract';
import { type Caller, displayName } from '../../../platform/actor.ts';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Conflict, Rejected } from '../../../platform/errors.ts';
import { writeOperateLog } from '../../audits/index.ts';
import { actionInWords, authorOf, recordAnswer } from '../hooks.ts';
import type { TicketMails } from '../mails.ts';
import { addComment, closeTickets, lockTicket } from '../store.ts';
import { keepPermission, lockRequest, type StoredRequest } from './store.ts';

/** The permission that a request would create. */
export interface ProposedGrant {
  readonly ticketId: string;
  readonly requesterId: string;
  readonly title: string;
  readonly change: ProposedChange;
}

/** Change control, as access requests use it. */
export interface RequestControl {
  /**
   * Proposes a permission. `prepare` runs first in the transaction that stores the proposal.
   * @returns the id of the change set
   * @throws Invalid, Conflict
   */
  propose(
    grant: ProposedGrant,
    caller: Caller,
    prepare: (tx: Tx) => Promise<void>,
  ): Promise<string>;
  /** Withdraws the change set of a request that ended without it. */
  withdraw(ticketId: string, caller: Caller, tx: Tx): Promise<void>;
}

/** Returns true if a second administrator decides on the permissions of an organization. */
export async function isControlled(organization: string, on: Db | Tx): Promise<boolean> {
  const { rows } = await sql`
    select 1 from change_control where org_id = ${organization}`.execute(on);
  return rows.length > 0;
}

interface Waiting {
  readonly id: string;
  readonly org_id: string;
  readonly by: string;
  readonly date_created: Date;
  readonly date_expires: Date;
}

/** Returns the change set that decides a request; undefined if none waits. */
async function waitingSet(ticketId: string, on: Db | Tx): Promise<Waiting | undefined> {
  const { rows } = await sql<Waiting>`
    select id, org_id, proposer_name as by, date_created, date_expires from change_set
    where ticket_id = ${ticketId} and state = 'proposed' and date_expires > now()`.execute(on);
  return rows[0];
}

export async function secondDecisionOf(
  { id, status }: StoredRequest,
  { actor, zone }: Caller,
  db: Db,
): Promise<SecondDecision | null> {
  const waiting = status === 'open' ? await waitingSet(id, db) : undefined;
  if (!waiting) return null;
  const reads = allows(actor.permissions, Permission.ADMIN);
  return {
    by: waiting.by,
    date_created: formatDatetime(waiting.date_created, zone),
    date_expires: formatDatetime(waiting.date_expires, zone),
    change_set: reads && actor.organization.id === waiting.org_id ? waiting.id : null,
  };
}

const APPROVED = {
  en: '{who} approved this request. Another administrator decides on it.',
  zh: '{who} 已批准此申请，等待另一名管理员审批。',
};

/** Keeps the first approval of a request. @throws Conflict if it was approved before */
export async function keepFirstApproval(
  ticketId: string,
  { actor, language }: Caller,
  tx: Tx,
): Promise<void> {
  const waiting = await waitingSet(ticketId, tx);
  if (waiting) throw new Conflict('request_waits', { who: waiting.by });
  const text = say(APPROVED, language, { who: displayName(actor) });
  await addComment(ticketId, authorOf(actor), text, tx);
}

/** The decision of the second administrator. */
export interface FinalAnswer {
  readonly ticketId: string;
  readonly comment: string;
  /** The permission that the change set created; undefined if it was rejected. */
  readonly permission: string | undefined;
}

/** Access requests, as change control uses them. */
export interface ControlledRequests {
  /** Locks a request, always before its change set, so that two decisions cannot deadlock. */
  lock(ticketId: string, tx: Tx): Promise<void>;
  /** Closes a request with the decision on its change set. @throws Rejected if it has ended */
  answer(answer: FinalAnswer, caller: Caller, tx: Tx): Promise<void>;
}

export function createControlledRequests(mails: TicketMails): ControlledRequests {
  return {
    lock: lockTicket,
    async answer({ ticketId, comment, permission }, caller, tx) {
      const request = await lockRequest(ticketId, tx);
      if (request?.status !== 'open') throw new Rejected('request_ended');
      if (permission && request.date_expired <= databaseClock.date())
        throw new Rejected('request_over');
      const decision = permission ? 'approve' : 'reject';
      const by = authorOf(caller.actor);
      await closeTickets([ticketId], by.name, tx, decision);
      if (permission) await keepPermission(ticketId, request.target, permission, tx);
      if (comment) await addComment(ticketId, by, comment, tx);
      await recordAnswer(ticketId, decision, authorOf(caller.actor), { caller, tx });
      await mails.answered(ticketId, decision, caller, tx);
      await writeOperateLog(tx, caller, {
        action: 'update',
        resourceType: 'ticket',
        resource: request.title,
        resourceId: ticketId,
        changes: {
          status: ['open', 'closed'],
          action: ['', actionInWords(decision, caller.language)],
        },
      });
    },
  };
}

/** The permission of each kind of target, as a proposal names it. */
export const PROPOSED_RESOURCE = {
  asset: 'asset_permission',
  database_app: 'database_app_permission',
  remote_app: 'remote_app_permission',
} as const satisfies Record<RequestTarget, ProposedChange['resource']>;
