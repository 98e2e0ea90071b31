import { type ApprovalProgress, formatDatetime, type LocalText, say } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import { ASSETS, approvalStages, CLUSTERS, DATABASE_APPS, REMOTE_APPS } from '../perms/index.ts';
import { type AskingParts, askReviewers, type WaitingPerson } from './ask-reviewers.ts';
import { type TicketDecision, type TicketDecisions, tellDecision } from './decisions.ts';
import type { TicketKind } from './kinds.ts';

const TITLE = { en: '{user} connects to {target}', zh: '{user} 连接 {target}' };
const BODY = {
  en: 'User: {user}\nTarget: {target}\nAccount: {account}\nFrom: {address}\nWaits until: {until}\nValid: {valid}\n\nReason: {reason}',
  zh: '用户：{user}\n目标：{target}\n账号：{account}\n来源：{address}\n等待至：{until}\n有效期：{valid}\n\n原因：{reason}',
};
const ONCE: LocalText = { en: 'for this connection', zh: '仅限本次连接' };
const MINUTES: LocalText = {
  en: '{minutes, plural, one {# minute} other {# minutes}}',
  zh: '{minutes} 分钟',
};
const NO_REASON: LocalText = {
  en: 'none; this client cannot ask for it',
  zh: '无（该客户端无法询问原因）',
};

/** A connection by permissions that require an approval. */
interface ApprovedConnection {
  readonly person: WaitingPerson;
  readonly grant: {
    readonly asset: { readonly id: string; readonly hostname: string; readonly orgId: string };
    readonly remoteApp?: { readonly id: string; readonly name: string };
    readonly database?: object;
    readonly cluster?: object;
    readonly systemUser: { readonly id: string; readonly name: string };
    readonly approval?: { readonly minutes: number; readonly ruleIds: readonly string[] };
  };
}

interface WaitingConnection extends ApprovedConnection {
  readonly reason: string;
  readonly seconds: number;
}

interface ApprovalDecision extends Pick<TicketDecision, 'by'> {
  readonly verdict: TicketDecision['verdict'] | 'nobody';
  readonly ticketId?: string;
}

interface ConnectionApprovals {
  /** Returns the ticket of an approval of some minutes that is still valid. */
  find(connection: ApprovedConnection): Promise<string | undefined>;
  /**
   * Waits for the decision on the last stage, a rejection, the timeout, or the abort of `signal`,
   * which withdraws. Calls `onStage` at the beginning of each of several stages.
   */
  decide(
    connection: WaitingConnection,
    signal: AbortSignal,
    onStage: (progress: ApprovalProgress) => void,
  ): Promise<ApprovalDecision>;
  /** Names the ticket on the page of the session. */
  used(ticketId: string, sessionId: string): Promise<void>;
}

interface ApprovalOptions extends AskingParts {
  readonly db: Db;
  readonly decisions: TicketDecisions;
}

const targetOf = ({ asset, remoteApp }: ApprovedConnection['grant']) => ({
  id: remoteApp?.id ?? asset.id,
  name: remoteApp?.name ?? asset.hostname,
});

const kindOf = ({ cluster, database, remoteApp }: ApprovedConnection['grant']) =>
  remoteApp ? REMOTE_APPS : cluster ? CLUSTERS : database ? DATABASE_APPS : ASSETS;

/** Asks reviewers about connections, by tickets. */
export function createConnectionApprovals({
  db,
  decisions,
  ...asking
}: ApprovalOptions): ConnectionApprovals {
  async function ask(waiting: WaitingConnection, tx: Tx): Promise<string | undefined> {
    const { person, grant, reason, seconds } = waiting;
    const minutes = grant.approval?.minutes ?? 0;
    const expires = new Date(databaseClock.now() + seconds * 1000);
    const target = targetOf(grant);
    const facts = {
      kind: 'connection',
      target: target.name,
      account: grant.systemUser.name,
      address: person.remoteAddr ?? '',
      until: expires.toISOString(),
      minutes,
      reason,
    } as const;
    const id = await askReviewers(
      asking,
      {
        person,
        organizationId: grant.asset.orgId,
        stages: await approvalStages(kindOf(grant), grant.approval?.ruleIds ?? [], tx),
        type: 'connection',
        facts,
        write: (language, zone) => {
          const values = {
            ...facts,
            user: person.display,
            until: formatDatetime(expires, zone),
            valid: say(minutes === 0 ? ONCE : MINUTES, language, { minutes }),
            reason: reason || say(NO_REASON, language),
          };
          return { title: say(TITLE, language, values), body: say(BODY, language, values) };
        },
      },
      tx,
    );
    if (id !== undefined)
      await sql`insert into connection_approval
        (ticket_id, user_id, target_id, system_user_id, minutes, date_expires)
        values (${id}, ${person.userId}, ${target.id}, ${grant.systemUser.id}, ${minutes},
          ${expires})`.execute(tx);
    return id;
  }

  return {
    async find({ person, grant }) {
      const minutes = grant.approval?.minutes ?? 0;
      const { rows } = await sql<{ ticket_id: string }>`
        select ticket_id from connection_approval
        where user_id = ${person.userId} and target_id = ${targetOf(grant).id}
          and system_user_id = ${grant.systemUser.id}
          and date_approved + make_interval(mins => least(minutes, ${minutes}::integer)) > now()
        order by date_approved desc limit 1`.execute(db);
      return rows[0]?.ticket_id;
    },
    async decide(waiting, signal, onStage) {
      const id = await transact(db, (tx) => ask(waiting, tx));
      if (id === undefined) return { verdict: 'nobody', by: '' };
      const decision = await decisions.wait(
        { id, organizationId: waiting.grant.asset.orgId, onStage },
        waiting.seconds,
        signal,
      );
      return decision.verdict === 'approved' ? { ...decision, ticketId: id } : decision;
    },
    async used(ticketId, sessionId) {
      await sql`insert into session_request (session_id, ticket_id)
        values (${sessionId}, ${ticketId}) on conflict do nothing`.execute(db);
    },
  };
}

/** The kind of tickets about connections. A connection that no longer waits cannot be approved. */
export const connectionKind: TicketKind = {
  async passed(ticketId, { tx }) {
    const { rows } = await sql`select 1 from connection_approval
      where ticket_id = ${ticketId} and date_expires > now()`.execute(tx);
    if (rows.length === 0) throw new Conflict('ticket_connection_over');
    await tellDecision(ticketId, tx);
  },
  async ended(ticketId, answer, { tx }) {
    if (answer === 'approve') {
      const { rows } = await sql`update connection_approval set date_approved = now()
        where ticket_id = ${ticketId} and date_expires > now() returning 1`.execute(tx);
      if (rows.length === 0) throw new Conflict('ticket_connection_over');
    }
    await tellDecision(ticketId, tx);
  },
};
