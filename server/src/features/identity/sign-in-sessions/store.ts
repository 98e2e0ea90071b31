import { sql } from 'kysely';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { executePrepared } from '../../../platform/db/prepared.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { joinPlace, type PlaceColumns } from '../../orgs/service.ts';
import { DEAD_AFTER_SECONDS } from '../../servers/store.ts';
import { revokeAccessKeys } from '../access-keys/store.ts';
import type { Origin } from './origin.ts';

/** How a sign-in is carried: a browser's cookie, a script's bearer token, or an SSH connection. */
export type SignInKind = 'browser' | 'bearer' | 'ssh';

export interface SignIn {
  readonly id: string;
  readonly token: string;
  readonly dateExpired: Date;
}

/** The account behind a sign-in, as every request needs it. */
export interface SignedIn {
  readonly session_id: string;
  /** An access key is no sign-in, but answers for its owner like one. */
  readonly kind: SignInKind | 'access-key';
  readonly user_id: string;
  readonly username: string;
  readonly name: string;
  readonly role: 'Admin' | 'User' | 'Auditor';
  readonly is_active: boolean;
  readonly is_expired: boolean;
}

/** Creates a sign-in session for an account. The token is returned once; only its digest is stored. */
export async function beginSignIn(
  db: Db | Tx,
  userId: string,
  kind: SignInKind,
  from: { remoteAddress: string; userAgent: string },
  seconds: number,
  secondPassed = false,
  origin: Origin | null = null,
): Promise<SignIn> {
  const token = randomToken();
  const dateExpired = new Date(Date.now() + seconds * 1_000);
  const { rows } = await sql<{ id: string }>`
    insert into web_session (token_digest, user_id, kind, remote_addr, user_agent, date_expired, mfa_verified, origin)
    values (${tokenDigest(token)}, ${userId}, ${kind}, ${from.remoteAddress}, ${from.userAgent.slice(0, 254)}, ${dateExpired},
      case when ${secondPassed} then now() end, ${origin && JSON.stringify(origin)}::jsonb) returning id`.execute(
    db,
  );
  return { id: rows[0]?.id ?? '', token, dateExpired };
}

/** How long a sign-in may be used before its use is written down again: not every request should write. */
const TOUCH_SECONDS = 60;

/** How long a browser's sign-in lives. */
export interface BrowserLife {
  /** Without being used. */
  readonly idleSeconds: number;
  /** However much it is used: a stolen cookie does not live for ever. */
  readonly maxSeconds: number;
  /** Only sign-ins from before the cookie had its present name. */
  readonly isOldName?: boolean;
}

/**
 * Finds the sign-in of a token and what its user is in the organization that the request names; undefined when it ended, expired, or never was. A browser's one lives on while it is used, up
 * to its end.
 */
export async function findSignIn(
  db: Db,
  token: string,
  kind: Exclude<SignInKind, 'ssh'>,
  organization: string | undefined,
  browser?: BrowserLife,
): Promise<(SignedIn & PlaceColumns) | undefined> {
  if (token.length < 20 || token.length > 100) return undefined;
  const digest = tokenDigest(token);
  const query = sql<SignedIn & PlaceColumns & { date_used: Date }>`
    select s.id as session_id, s.kind, s.date_used, a.id as user_id, a.username, a.name, a.role, a.is_active,
      coalesce(a.date_expired <= now(), false) as is_expired, here.place
    from web_session s join account a on a.id = s.user_id ${joinPlace(organization)}
    where s.token_digest = ${digest} and s.kind = ${kind} and s.date_expired > now() and (s.plain_cookie or not ${browser?.isOldName ?? false})
      and (s.kind <> 'browser' or s.date_created > now() - make_interval(secs => ${browser?.maxSeconds ?? 0}))`;
  const [found] = await executePrepared(query, db);
  if (found && Date.now() - found.date_used.getTime() > TOUCH_SECONDS * 1_000) {
    await sql`
      update web_session set date_used = now(),
        date_expired = case when kind = 'browser' then
          least(now() + make_interval(secs => ${browser?.idleSeconds ?? 0}), date_created + make_interval(secs => ${browser?.maxSeconds ?? 0})) else date_expired end
      where token_digest = ${digest}`.execute(db);
  }
  return found;
}

/** Writes down which server holds the connection of a sign-in. */
export async function holdSignIn(db: Db, sessionId: string, holder: string): Promise<void> {
  await sql`update web_session set holder = ${holder} where id = ${sessionId}`.execute(db);
}

/** Ends the sign-ins whose connections a server held; called when it starts, and has none. */
export async function endSignInsHeldBy(db: Db, holder: string): Promise<void> {
  await sql`delete from web_session where holder = ${holder}`.execute(db);
}

/** Ends the sign-ins over SSH of other servers that are dead. */
export async function endSignInsOfDeadServers(
  db: Db,
  holder: string,
  seconds = DEAD_AFTER_SECONDS,
): Promise<void> {
  await sql`
    delete from web_session held where held.holder <> ${holder} and not exists (
      select from server s where s.id = held.holder and s.date_seen > now() - make_interval(secs => ${seconds}))`.execute(
    db,
  );
}

/** Ends one sign-in. */
export async function endSignIn(db: Db, sessionId: string): Promise<void> {
  await sql`delete from web_session where id = ${sessionId}`.execute(db);
}

/** Ends one sign-in of an account; false when it has no such one. */
export async function endSignInOf(
  db: Db | Tx,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  const { rows } =
    await sql`delete from web_session where user_id = ${userId} and id = ${sessionId}::uuid returning 1`.execute(
      db,
    );
  return rows.length > 0;
}

/** Ends all sign-ins of an account, also those not complete yet, but for the one given; returns which. The gateway hears of it on commit. */
export async function endOtherSignIns(
  db: Db | Tx,
  userId: string,
  exceptSessionId?: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ended as (delete from web_session where user_id = ${userId} and id is distinct from ${exceptSessionId ?? null}::uuid returning id),
      pending as (delete from pending_sign_in where user_id = ${userId})
    select id, pg_notify('signed_out', id::text) from ended`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Ends everything by which an account is used: sign-ins but for the one given, sign-ins under way, and access keys. After a password was
 * set, second factors were taken away or the account was disabled, nothing of before may still answer.
 */
export async function endAllAccess(
  db: Db | Tx,
  userId: string,
  exceptSessionId?: string,
): Promise<{ readonly signIns: number; readonly keys: number }> {
  const signIns = (await endOtherSignIns(db, userId, exceptSessionId)).length;
  return { signIns, keys: await revokeAccessKeys(db, userId) };
}

interface SignInSession {
  readonly id: string;
  readonly kind: SignInKind;
  readonly remote_addr: string;
  readonly user_agent: string;
  readonly date_created: Date;
  readonly date_used: Date;
  readonly date_expired: Date;
}

/** Where a user is signed in, what was used last first. */
export async function signInsOf(userId: string, db: Db): Promise<readonly SignInSession[]> {
  const { rows } = await sql<SignInSession>`
    select id, kind, remote_addr, user_agent, date_created, date_used, date_expired from web_session
    where user_id = ${userId} and date_expired > now() order by date_used desc, id limit 1000`.execute(
    db,
  );
  return rows;
}

/** The condition that an attempt to sign in was that of a user. */
export const attemptsOf = (userId: string): Sql => sql`t.user_id = ${userId}`;

/** How the operate log keeps that access keys ended with something else. */
export const endedKeys = ({ keys }: { readonly keys: number }) =>
  keys > 0 ? { access_keys: [keys, 0] as const } : {};

/** When a second factor was proved in a sign-in, and how many seconds ago; undefined when it never was. */
export async function lastProofOf(
  db: Db,
  sessionId: string,
): Promise<{ readonly date: Date; readonly seconds: number } | undefined> {
  const { rows } = await sql<{ date: Date; seconds: number }>`
    select mfa_verified as date, extract(epoch from now() - mfa_verified)::float as seconds
    from web_session where id = ${sessionId}::uuid and mfa_verified is not null`.execute(db);
  return rows[0];
}

/** Removes what has expired; called now and then. */
export async function clearExpiredSignIns(db: Db): Promise<void> {
  await sql`delete from web_session where date_expired < now()`.execute(db);
  await sql`delete from login_attempt where date_last < now() - interval '2 days'`.execute(db);
  await sql`delete from seen_signature where date_expired < now()`.execute(db);
  await sql`delete from known_place where date_used < now() - interval '30 days'`.execute(db);
}
