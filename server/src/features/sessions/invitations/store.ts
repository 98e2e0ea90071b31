import { isUuid, type SessionInvitation } from '@sallyport/contract';
import type { Actor } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { NotFound } from '../../../platform/errors.ts';
import type { TargetKind } from '../../connections/index.ts';

/** A live session that its owner can share. */
export interface OwnSession {
  readonly id: string;
  readonly organization: string;
  readonly user: string;
  readonly asset: string;
  readonly systemUser: string;
}

/** An invitation with the facts of its session that a guest needs. */
export interface InvitationRow extends OwnSession {
  readonly assetId: string;
  readonly targetKind: TargetKind;
  readonly systemUserId: string;
  readonly invitation: string;
  readonly ownerId: string;
  readonly mayType: boolean;
  readonly forUsername: string | null;
  readonly guestId: string | null;
  readonly validUntil: Date | null;
  readonly isExpired: boolean;
  readonly isEnded: boolean;
  readonly endReason: string | null;
}

/** An ended invitation, for the operate log. */
export interface EndedInvitation {
  readonly invitation: string;
  readonly organization: string;
  readonly user: string;
  readonly asset: string;
  readonly guest: string | null;
  readonly reason: string;
}

export interface NewInvitation {
  readonly session: string;
  readonly digest: Buffer;
  readonly mayType: boolean;
  readonly forUsername: string | null;
  /** 0: valid until the session ends. */
  readonly minutes: number;
}

/** Maximum number of listed terminals of a user. */
const MOST_TERMINALS = 99;
const SESSION = sql`s.id, s.org_id as organization, s."user", s.asset,
  s."system_user" as "systemUser"`;
const ROW = sql`
  select ${SESSION}, s.asset_id as "assetId",
    s.target_kind as "targetKind", s.system_user_id as "systemUserId",
    i.id as invitation, s.user_id as "ownerId", i.may_type as "mayType",
    i.for_username as "forUsername", i.guest_id as "guestId",
    i.date_expired as "validUntil", coalesce(i.date_expired <= now(), false) as "isExpired",
    (i.date_ended is not null or s.is_finished) as "isEnded", i.end_reason as "endReason"
  from session_invitation i join session s on s.id = i.session`;

/**
 * Returns the running terminal of a user, in any client, or undefined. `lock` serializes
 * transactions that count its invitations.
 */
async function ownSession(
  db: Db | Tx,
  id: string,
  userId: string,
  lock = false,
): Promise<OwnSession | undefined> {
  const { rows } = await sql<OwnSession>`
    select ${SESSION} from session s
    where s.id = ${id} and s.user_id = ${userId} and not s.is_finished
      and s.takes_guests ${lock ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

/** A running terminal of a user, with the invitations into it. */
export interface OwnTerminalRow {
  readonly id: string;
  readonly asset: string;
  readonly account: string;
  readonly minutes: number;
  readonly open: number;
  readonly guests: readonly string[];
}

/** The running terminals of a user, latest first, limited in number. */
export async function ownTerminals(db: Db, userId: string): Promise<readonly OwnTerminalRow[]> {
  const { rows } = await sql<OwnTerminalRow>`
    select s.id, s.asset, s."system_user" as account,
      floor(extract(epoch from now() - s.date_start) / 60)::int as minutes,
      count(i.id) filter (where i.date_joined is null or i.date_left is not null)::int as open,
      coalesce(array_agg(i.guest order by i.date_joined) filter (where i.date_joined is not null
        and i.date_left is null), '{}') as guests
    from session s left join session_invitation i on i.session = s.id and i.date_ended is null
      and (i.date_expired is null or i.date_expired > now())
    where s.user_id = ${userId} and not s.is_finished and s.takes_guests group by s.id
      order by s.date_start desc, s.id limit ${MOST_TERMINALS}`.execute(db);
  return rows;
}

/**
 * The organization of an unfinished session, and whether the session has a terminal. Undefined for
 * all other ids.
 */
export async function liveSession(
  db: Db,
  id: string,
): Promise<{ readonly organizationId: string; readonly hasTerminal: boolean } | undefined> {
  const { rows } = await sql<{ organizationId: string; hasTerminal: boolean }>`
    select org_id as "organizationId", takes_guests as "hasTerminal" from session
      where id = ${id} and not is_finished`.execute(db);
  return rows[0];
}

/** Counts all invitations of a session, and those that are still open. */
export async function countInvitations(
  tx: Tx,
  session: string,
): Promise<{ readonly all: number; readonly open: number }> {
  const { rows } = await sql<{ all: number; open: number }>`
    select count(*)::int as all, count(*) filter (where date_ended is null
      and (date_expired is null or date_expired > now()))::int as open
    from session_invitation where session = ${session}`.execute(tx);
  return rows[0] ?? { all: 0, open: 0 };
}

/** Inserts an invitation and returns its id. */
export async function insertInvitation(
  tx: Tx,
  { session, digest, mayType, forUsername, minutes }: NewInvitation,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into session_invitation (session, secret_digest, may_type, for_username, date_expired)
    values (${session}, ${digest}, ${mayType}, ${forUsername},
      ${minutes === 0 ? null : sql`now() + make_interval(mins => ${minutes})`})
    returning id`.execute(tx);
  return String(rows[0]?.id);
}

/** Returns the invitation with a secret. `lock` locks its row. */
export async function invitationOf(
  db: Db | Tx,
  digest: Buffer,
  lock = false,
): Promise<InvitationRow | undefined> {
  const { rows } = await sql<InvitationRow>`
    ${ROW} where i.secret_digest = ${digest} ${lock ? sql`for update of i` : sql``}`.execute(db);
  return rows[0];
}

export async function invitationById(db: Db | Tx, id: string): Promise<InvitationRow | undefined> {
  const { rows } = await sql<InvitationRow>`${ROW} where i.id = ${id}`.execute(db);
  return rows[0];
}

/** Binds an invitation to its guest. */
export async function bindGuest(
  tx: Tx,
  id: string,
  guest: { readonly id: string; readonly name: string; readonly remoteAddr: string | null },
): Promise<void> {
  await sql`update session_invitation set guest_id = ${guest.id}, guest = ${guest.name},
    remote_addr = ${guest.remoteAddr}, date_accepted = now() where id = ${id}`.execute(tx);
}

/** Allows or forbids the guest to type. Returns false if nothing changed. */
export async function setTyping(tx: Tx, id: string, mayType: boolean): Promise<boolean> {
  const { rowCount } = await sql`
    update session_invitation
      set may_type = ${mayType} where id = ${id} and may_type <> ${mayType} and date_ended
      is null`.execute(tx);
  return rowCount === 1;
}

/** Stores that the guest joined or left. */
export async function noteVisit(
  tx: Tx,
  id: string,
  date: Date,
  visit:
    | { readonly what: 'joined'; readonly remoteAddr: string | null }
    | { readonly what: 'left' },
): Promise<void> {
  if (visit.what === 'left')
    await sql`update session_invitation set date_left = ${date} where id = ${id}`.execute(tx);
  else
    await sql`
      update session_invitation set date_joined = coalesce(date_joined, ${date}), date_left = null,
        remote_addr = coalesce(${visit.remoteAddr}, remote_addr)
      where id = ${id}`.execute(tx);
}

const ENDED = sql`i.id as invitation, s.org_id as organization, s."user", s.asset, i.guest,
  i.end_reason as reason`;

/** Ends open invitations. Each ends once, even if several servers try. */
async function endWhere(
  tx: Tx,
  condition: Sql,
  reason: Sql,
  date?: Date,
): Promise<readonly EndedInvitation[]> {
  const at = sql`coalesce(${date ?? null}::timestamptz, now())`;
  const { rows } = await sql<EndedInvitation>`
    update session_invitation i set date_ended = ${at}, end_reason = ${reason}, date_left = case
      when i.date_joined is null then null else coalesce(i.date_left, ${at}) end
    from session s where s.id = i.session and i.date_ended is null
      and ${condition} returning ${ENDED}`.execute(tx);
  return rows;
}

/**
 * Ends one invitation. The reason is the end of the session if the session has ended, even if a
 * concurrent check reports another.
 */
export const endInvitation = (tx: Tx, id: string, reason: string, date?: Date) =>
  endWhere(
    tx,
    sql`i.id = ${id}`,
    sql`case when s.is_finished then 'session_finished' else ${reason}::text end`,
    date,
  );
/** Ends all invitations of a session. */
export const endOfSession = (tx: Tx, session: string, reason = 'session_finished', date?: Date) =>
  endWhere(tx, sql`i.session = ${session}`, sql`${reason}::text`, date);
/** Ends expired invitations, and those that a crashed server left open. */
export const endOverdue = (tx: Tx) =>
  endWhere(
    tx,
    sql`(s.is_finished or i.date_expired <= now())`,
    sql`case when s.is_finished then 'session_finished' else 'invitation_expired' end`,
  );

/** The invitations of a session, latest first. Times are `Date` objects. */
export async function invitationsOf(
  db: Db | Tx,
  session: string,
  only?: string,
): Promise<readonly (Omit<SessionInvitation, DateFields> & Record<DateFields, Date | null>)[]> {
  const { rows } = await sql<Omit<SessionInvitation, DateFields> & Record<DateFields, Date | null>>`
    select i.id, i.may_type, i.for_username, i.guest, i.remote_addr, i.date_created, i.date_expired,
      i.date_accepted, i.date_joined, i.date_left,
      coalesce(i.date_ended, case when s.is_finished then s.date_end
        when i.date_expired <= now() then i.date_expired end) as date_ended,
      coalesce(i.end_reason, case when s.is_finished then 'session_finished'
        when i.date_expired <= now() then 'invitation_expired' end) as end_reason,
      case when i.date_ended is not null or s.is_finished or i.date_expired <= now() then 'ended'
        when i.date_joined is null then 'open' when i.date_left is null then 'joined'
          else 'left' end as state
    from session_invitation i join session s on s.id = i.session
    where i.session = ${session} ${only === undefined ? sql`` : sql`and i.id = ${only}`} order by
      i.date_created desc, i.id`.execute(db);
  return rows;
}

type DateFields =
  | 'date_created'
  | 'date_expired'
  | 'date_accepted'
  | 'date_joined'
  | 'date_left'
  | 'date_ended';

/** Returns a live session of the caller. @throws NotFound */
export async function ownedBy(
  executor: Db | Tx,
  session: string,
  { userId }: Pick<Actor, 'userId'>,
  lock = false,
): Promise<OwnSession> {
  const row = isUuid(session) ? await ownSession(executor, session, userId, lock) : undefined;
  if (!row) throw new NotFound('session_gone');
  return row;
}
