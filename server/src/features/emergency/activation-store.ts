import { MOST_OPEN_EMERGENCIES, PROTOCOLS } from '@sallyport/contract';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { IS_VALID_USER, mayWatch } from '../perms/index.ts';
import { isAssigned, mayRead } from '../tickets/index.ts';
import { organizationName } from './store.ts';

const WATCHABLE = PROTOCOLS.filter(({ canWatch }) => canWatch).map(({ name }) => name as string);

/** The emergency access that a ticket opened. */
export interface StoredActivation {
  readonly id: string;
  readonly user: string | null;
  readonly rule_name: string;
  readonly asset: string | null;
  readonly asset_display: string;
  readonly org_id: string;
  readonly org_name: string;
  readonly minutes: number;
  readonly date_start: Date;
  readonly date_expired: Date;
  /** True while the permission is in force. */
  readonly is_active: boolean;
  readonly permission: string | null;
  /** True if the requesting user is one of its reviewers. */
  readonly is_reviewer: boolean;
  /** True until it is reviewed. */
  readonly is_open: boolean;
}

/** Returns the activation of a ticket if the user may read it. */
export async function activationOf(
  ticketId: string,
  actor: Actor,
  on: Db | Tx,
): Promise<StoredActivation | undefined> {
  const { rows } = await sql<StoredActivation>`
    select act.ticket_id as id, act.user_id as "user", act.rule_name, act.asset_id as asset,
      act.asset_display, act.org_id,
      ${organizationName(sql.ref('act.org_id'))} as org_name, act.minutes, act.date_start,
        least(act.date_expired, p.date_expired) as date_expired,
      coalesce(p.is_active and p.date_expired > now(), false) as is_active, act.permission_id
        as permission, ${isAssigned(actor.userId)} as is_reviewer,
      t.status = 'open' as is_open
    from emergency_activation act join ticket t on t.id = act.ticket_id
      left join asset_permission p on p.id = act.permission_id
    where act.ticket_id = ${ticketId} and ${mayRead(actor)}`.execute(on);
  return rows[0];
}

/** A row of the list of open emergency access. */
export interface StoredOpen {
  readonly ticket: string;
  readonly user_display: string;
  readonly asset_display: string;
  readonly date_expired: Date;
  readonly session: string | null;
}

/** Open emergency access in the organization of the caller, earliest end first. */
export async function openNow({ organization }: Actor, on: Db): Promise<readonly StoredOpen[]> {
  const { rows } = await sql<StoredOpen>`
    select act.ticket_id as ticket, t.user_display, act.asset_display,
      least(act.date_expired, p.date_expired) as date_expired,
      (select s.id from session_request used join session s on s.id = used.session_id
        where used.ticket_id = act.ticket_id and not s.is_finished
          and s.protocol = any (${WATCHABLE}) order by s.date_start desc limit 1) as session
    from emergency_activation act join ticket t on t.id = act.ticket_id
      join asset_permission p on p.id = act.permission_id
    where act.org_id = ${organization.id} and p.is_active and p.date_expired > now()
      and act.date_expired > now()
    order by date_expired, act.ticket_id limit ${MOST_OPEN_EMERGENCIES}`.execute(on);
  return rows;
}

/** The columns of the caller's own open emergency access. */
export interface StoredOwn {
  readonly ticket: string;
  readonly asset_display: string;
  readonly date_expired: Date;
  readonly seconds_left: number;
  /** Asset, and running sessions with their system users. */
  readonly asset: string | null;
  readonly sessions: readonly { readonly id: string; readonly account: string }[];
}

/** Emergency access that a user has open now, in all organizations, the first to end first. */
export async function ownOpen(userId: string, on: Db): Promise<readonly StoredOwn[]> {
  const { rows } = await sql<StoredOwn>`
    select act.ticket_id as ticket, act.asset_display, act.asset_id as asset, p.date_expired,
      ceil(extract(epoch from p.date_expired - now()))::int as seconds_left,
      coalesce((
        select json_agg(json_build_object('id', s.id, 'account', s.system_user_id)
          order by s.date_start, s.id)
        from session_request used join session s on s.id = used.session_id
        where used.ticket_id = act.ticket_id and not s.is_finished), '[]') as sessions
    from emergency_activation act join asset_permission p on p.id = act.permission_id
    where act.user_id = ${userId} and p.is_active and p.date_expired > now()
    order by p.date_expired, act.ticket_id limit ${MOST_OPEN_EMERGENCIES}`.execute(on);
  return rows;
}

/**
 * Returns true if a reviewer of the ticket can still review it. The reviewer must be able to sign
 * in, and to watch and replay sessions of its organization.
 */
export async function hasReviewer(ticketId: string, on: Db | Tx): Promise<boolean> {
  const { rows } = await sql`
    select 1 from emergency_activation act
      join ticket_assignees link on link.ticket_id = act.ticket_id
      join account u on u.id = link.user_id and u.id is distinct from act.user_id
        and ${IS_VALID_USER} and ${mayWatch(sql.ref('act.org_id'))}
    where act.ticket_id = ${ticketId} limit 1`.execute(on);
  return rows.length > 0;
}

/** A session that used an activation. */
export interface UsedSession {
  readonly id: string;
  readonly system_user: string;
  readonly date_start: Date;
  readonly is_finished: boolean;
  readonly can_join: boolean;
  readonly can_replay: boolean;
  /** True if the requesting user has opened its recording. */
  readonly opened: boolean;
}

/** Maximum sessions returned by default. A review counts all of them. */
const MOST_SESSIONS = 200;

/** The sessions that used an activation, oldest first. */
export async function sessionsOf(
  ticketId: string,
  userId: string,
  on: Db | Tx,
  most = MOST_SESSIONS,
): Promise<readonly UsedSession[]> {
  const { rows } = await sql<UsedSession>`
    select s.id, s."system_user", s.date_start, s.is_finished,
      (not s.is_finished and s.protocol = any (${WATCHABLE})) as can_join,
      (s.is_finished and s.has_replay) as can_replay,
      exists (select 1 from emergency_replay seen where seen.session_id = s.id
        and seen.user_id = ${userId}) as opened
    from session_request used join session s on s.id = used.session_id
      where used.ticket_id = ${ticketId} order by s.date_start, s.id limit ${most}`.execute(on);
  return rows;
}

/** The conditions that block a user from reviewing an activation. */
export interface Unreviewed {
  /** True while the access or one of its sessions is open. */
  readonly isOpen: boolean;
  /** Number of recordings that the user has not opened. */
  readonly unopened: number;
}

/**
 * Returns the conditions that block a user from reviewing an activation. Undefined for other
 * tickets.
 */
export async function unreviewed(
  ticketId: string,
  userId: string,
  on: Db | Tx,
): Promise<Unreviewed | undefined> {
  const { rows } = await sql<Unreviewed>`
    select coalesce(p.is_active and p.date_expired > now(), false)
      or coalesce(bool_or(not s.is_finished), false) as "isOpen",
      count(*) filter (where s.is_finished and s.has_replay
        and not exists (select 1 from emergency_replay seen where seen.session_id = s.id
          and seen.user_id = ${userId}))::int as unopened
    from emergency_activation act left join asset_permission p on p.id = act.permission_id
      left join session_request used on used.ticket_id = act.ticket_id
        left join session s on s.id = used.session_id
    where act.ticket_id = ${ticketId} group by act.ticket_id, p.id`.execute(on);
  return rows[0];
}

/** Records that a user opened the recording of a session, if the session used emergency access. */
export async function keepOpening(sessionId: string, userId: string, db: Db): Promise<void> {
  await sql`
    insert into emergency_replay (session_id, user_id) select s.id, u.id from session s, account u
    where s.id = ${sessionId} and s.is_emergency and u.id = ${userId}::uuid
      on conflict do nothing`.execute(db);
}

/** Emergency access that has ended, with its reviewers. */
export interface EndedActivation {
  readonly ticketId: string;
  readonly title: string;
  readonly reviewers: readonly string[];
}

/** Marks unreviewed emergency access that has ended as told, and returns it. */
export async function takeEnded(tx: Tx): Promise<readonly EndedActivation[]> {
  const { rows } = await sql<EndedActivation>`
    update emergency_activation act set date_told = now() from ticket t
    where t.id = act.ticket_id and t.status = 'open' and act.date_told is null
      and not exists (select 1 from asset_permission p where p.id = act.permission_id
        and p.is_active and p.date_expired > now())
    returning t.id as "ticketId", t.title, array(select l.user_id from ticket_assignees l
      where l.ticket_id = t.id) as reviewers`.execute(tx);
  return rows;
}
