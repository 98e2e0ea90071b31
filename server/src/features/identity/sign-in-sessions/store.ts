import type { DutyOrNone } from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { executePrepared, type Sql, sql, writePrepared } from '../../../platform/db/sql.ts';
import { joinPlace, type PlaceColumns } from '../../orgs/index.ts';
import { DEAD_AFTER_SECONDS } from '../../servers/index.ts';
import { revokeAccessKeys } from '../access-keys/store.ts';
import { RULES_OF_ACCOUNT, type RuleColumn } from '../sign-in-rules/store.ts';
import { AT_SOURCE, type AtSource } from '../source-state/proof.ts';
import type { Origin } from './origin.ts';

/** Carrier of a sign-in: a browser's cookie, a script's bearer token, or an SSH connection. */
export type SignInKind = 'browser' | 'bearer' | 'ssh';
/** The token of an agent, which an owner makes for a program. It opens `/mcp` only. */
export type HeldKind = SignInKind | 'agent';

export interface SignIn {
  readonly id: string;
  readonly token: string;
  readonly dateExpired: Date;
}

/** The account of a sign-in, loaded with every request. */
export interface SignedIn extends RuleColumn, AtSource {
  readonly session_id: string;
  /** An access key is not a sign-in, but authenticates its owner like one. */
  readonly kind: HeldKind | 'access-key';
  readonly user_id: string;
  readonly username: string;
  readonly name: string;
  readonly role: 'Admin' | 'User' | 'Auditor';
  readonly duty: DutyOrNone;
  readonly is_active: boolean;
  readonly is_expired: boolean;
  /** True if the sign-in has proved a second factor. */
  readonly has_factor: boolean;
}

/** Data of a new sign-in session. */
interface NewSignIn {
  readonly userId: string;
  readonly kind: HeldKind;
  readonly from: { readonly remoteAddress: string; readonly userAgent: string };
  /** Lifetime. */
  readonly seconds: number;
  /** True if the sign-in has proved a second factor. */
  readonly secondPassed?: boolean;
  /** True if the sign-in has proved the password. */
  readonly passwordPassed?: boolean;
  /** When an earlier sign-in, from which this one starts, proved a second factor. */
  readonly dateProved?: Date | null;
  readonly origin?: Origin | null;
  /** The server that holds the connection of the sign-in, if it has one. */
  readonly holder?: string | undefined;
}

/**
 * Creates a sign-in session in one statement with `others`, data-modifying `with` queries. The
 * token is returned once; only its digest is stored.
 */
export async function beginSignIn(
  db: Db | Tx,
  wish: NewSignIn,
  others: Sql = sql``,
): Promise<SignIn> {
  const { userId, kind, from, seconds, secondPassed = false, origin = null, holder } = wish;
  const token = randomToken();
  const dateExpired = new Date(databaseClock.now() + seconds * 1_000);
  const query = sql<{ id: string }>`
    ${others}
    insert into web_session
      (token_digest, user_id, kind, remote_addr, user_agent, date_expired, mfa_verified, origin,
        holder, password_verified)
    values (${tokenDigest(token)}, ${userId}, ${kind}, ${from.remoteAddress},
      ${from.userAgent.slice(0, 254)}, ${dateExpired},
      coalesce(${wish.dateProved ?? null}::timestamptz,
        case when ${secondPassed}::boolean then now() end),
      ${origin && JSON.stringify(origin)}::jsonb, ${holder ?? null},
      case when ${wish.passwordPassed === true}::boolean then now() end)
    returning id`;
  const [row] = await executePrepared(query, db);
  return { id: row?.id ?? '', token, dateExpired };
}

/** Interval between updates of a sign-in's last use, so that not every request writes. */
const TOUCH_SECONDS = 60;

/** Lifetime of a browser's sign-in. */
export interface BrowserLife {
  /** Seconds without use. */
  readonly idleSeconds: number;
  /** Seconds since the sign-in, even if active: a stolen cookie must expire. */
  readonly maxSeconds: number;
  /** Finds only sign-ins from before the cookie got its current name. */
  readonly isOldName?: boolean;
}

type SignInQuery = ({ readonly token: string } | { readonly id: string }) & {
  readonly kind: Exclude<HeldKind, 'ssh'>;
  readonly organization: string | undefined;
  readonly browser?: BrowserLife;
};

/**
 * Finds the sign-in of a token or an id, with the membership in the requested organization. Returns
 * undefined if it has ended or is unknown. Use extends a browser's sign-in, up to its maximum
 * lifetime.
 */
export async function findSignIn(
  db: Db,
  { kind, organization, browser, ...by }: SignInQuery,
): Promise<(SignedIn & PlaceColumns) | undefined> {
  if ('token' in by && (by.token.length < 20 || by.token.length > 100)) return undefined;
  const which =
    'token' in by ? sql`s.token_digest = ${tokenDigest(by.token)}` : sql`s.id = ${by.id}::uuid`;
  const query = sql<SignedIn & PlaceColumns & { date_used: Date }>`
    select s.id as session_id, s.kind, s.date_used, a.id as user_id, a.username, a.name, a.role,
      a.duty, a.is_active, coalesce(a.date_expired <= now(), false) as is_expired, ${AT_SOURCE},
      s.mfa_verified is not null as has_factor, ${RULES_OF_ACCOUNT} as sign_in_rules, here.place
    from web_session s join account a on a.id = s.user_id ${joinPlace(organization)}
    where ${which} and s.kind = ${kind} and s.date_expired > now()
      and (s.plain_cookie or not ${browser?.isOldName ?? false})
      and (s.kind <> 'browser'
        or s.date_created > now() - make_interval(secs => ${browser?.maxSeconds ?? 0}))`;
  const [signIn] = await executePrepared(query, db);
  if (signIn && databaseClock.now() - signIn.date_used.getTime() > TOUCH_SECONDS * 1_000) {
    await sql`
      update web_session set date_used = now(),
        date_expired = case when kind = 'browser' then least(
            now() + make_interval(secs => ${browser?.idleSeconds ?? 0}),
            date_created + make_interval(secs => ${browser?.maxSeconds ?? 0})
          ) else date_expired end
      where id = ${signIn.session_id}`.execute(db);
  }
  return signIn;
}

/** Ends sign-ins whose connections processes held that have ended; called at a start. */
export async function endSignInsHeldBy(db: Db, holders: readonly string[]): Promise<void> {
  await sql`delete from web_session where holder = any (${holders}::text[])`.execute(db);
}

/** Ends SSH sign-ins of other servers that are dead. */
export async function endSignInsOfDeadServers(
  db: Db,
  holder: string,
  seconds = DEAD_AFTER_SECONDS,
): Promise<void> {
  await sql`
    delete from web_session held where held.holder <> ${holder} and not exists (
      select from server s
      where s.id = held.holder
        and s.date_seen > now() - make_interval(secs => ${seconds}))`.execute(db);
}

/** Ends the sign-ins of connections that have closed. */
export async function endSignIns(db: Db, ids: readonly string[]): Promise<void> {
  await writePrepared(sql`delete from web_session where id = any (${ids}::uuid[])`, db);
}

export async function endSignIn(db: Db, sessionId: string): Promise<void> {
  await executePrepared(sql`delete from web_session where id = ${sessionId}`, db);
}

/** Ends a sign-in of an account; returns false if the account has no such sign-in. */
export async function endSignInOf(
  db: Db | Tx,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  const { rows } = await sql`
    delete from web_session
    where user_id = ${userId} and id = ${sessionId}::uuid returning 1`.execute(db);
  return rows.length > 0;
}

/** Ends sign-ins of agents. The gateway is notified on commit and ends their calls. */
export async function endAgentSignIns(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`
    with ended as (
      delete from web_session where id = any (${ids}::uuid[]) and kind = 'agent' returning id)
    select pg_notify('signed_out', id::text) from ended`.execute(tx);
}

/**
 * Ends all complete and pending sign-ins of an account except the given one; returns their ids. The
 * gateway is notified on commit.
 */
export async function endOtherSignIns(
  db: Db | Tx,
  userId: string,
  exceptSessionId?: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ended as (
        delete from web_session
        where user_id = ${userId} and id is distinct from ${exceptSessionId ?? null}::uuid
        returning id),
      pending as (delete from pending_sign_in where user_id = ${userId})
    select id, pg_notify('signed_out', id::text) from ended`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Ends all access to an account: sign-ins except the given one, pending sign-ins, and access keys.
 * Call after a password was set, second factors were removed or the account was disabled.
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
  readonly kind: HeldKind;
  readonly remote_addr: string;
  readonly user_agent: string;
  readonly date_created: Date;
  readonly date_used: Date;
  readonly date_expired: Date;
}

/** Returns the sign-ins of a user, most recently used first. */
export async function signInsOf(userId: string, db: Db): Promise<readonly SignInSession[]> {
  const { rows } = await sql<SignInSession>`
    select id, kind, remote_addr, user_agent, date_created, date_used, date_expired
    from web_session
    where user_id = ${userId} and date_expired > now()
    order by date_used desc, id limit 1000`.execute(db);
  return rows;
}

/** Condition: the sign-in attempt is one of the user. */
export const attemptsOf = (userId: string): Sql => sql`t.user_id = ${userId}`;

/** Returns the operate log entry of revoked access keys. */
export const endedKeys = ({ keys }: { readonly keys: number }) =>
  keys > 0 ? { access_keys: [keys, 0] as const } : {};

/**
 * Returns when a sign-in last proved a second factor, and how many seconds ago; undefined if it
 * never did.
 */
export async function lastProofOf(
  db: Db,
  sessionId: string,
): Promise<{ readonly date: Date; readonly seconds: number } | undefined> {
  const { rows } = await sql<{ date: Date; seconds: number }>`
    select mfa_verified as date, extract(epoch from now() - mfa_verified)::float as seconds
    from web_session where id = ${sessionId}::uuid and mfa_verified is not null`.execute(db);
  return rows[0];
}

/**
 * Returns the parts of a sign-in that its user passes on to sign-ins of programs: its proof of a
 * second factor, and its origin, by which a provider ends both.
 */
export async function inheritanceOf(
  db: Db,
  sessionId: string,
): Promise<Required<Pick<NewSignIn, 'dateProved' | 'origin'>>> {
  const { rows } = await sql<{ mfa_verified: Date | null; origin: Origin | null }>`
    select mfa_verified, origin from web_session where id = ${sessionId}::uuid`.execute(db);
  return { dateProved: rows[0]?.mfa_verified ?? null, origin: rows[0]?.origin ?? null };
}

/** Deletes expired rows; called periodically. */
export async function clearExpiredSignIns(db: Db): Promise<void> {
  await sql`delete from web_session where date_expired < now()`.execute(db);
  await sql`delete from login_attempt where date_last < now() - interval '2 days'`.execute(db);
  await sql`delete from seen_signature where date_expired < now()`.execute(db);
  await sql`delete from known_place where date_used < now() - interval '30 days'`.execute(db);
}
