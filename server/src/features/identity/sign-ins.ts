import { sql } from 'kysely';
import { randomToken, tokenDigest } from '../../platform/crypto/token.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

/** How a sign-in is carried: a browser's cookie, or a script's bearer token. */
export type SignInKind = 'browser' | 'bearer';

export interface SignIn {
  readonly token: string;
  readonly dateExpired: Date;
}

/** The account behind a sign-in, as every request needs it. */
export interface SignedIn {
  readonly session_id: string;
  readonly kind: SignInKind;
  readonly date_used: Date;
  readonly user_id: string;
  readonly username: string;
  readonly name: string;
  readonly role: 'Admin' | 'User' | 'Auditor';
  readonly is_active: boolean;
  readonly is_expired: boolean;
}

/** Begins a sign-in for an account; the token is told once, only its digest stays. */
export async function beginSignIn(
  db: Db | Tx,
  userId: string,
  kind: SignInKind,
  from: { remoteAddress: string; userAgent: string },
  seconds: number,
): Promise<SignIn> {
  const token = randomToken();
  const dateExpired = new Date(Date.now() + seconds * 1_000);
  await sql`
    insert into web_session (token_digest, user_id, kind, remote_addr, user_agent, date_expired)
    values (${tokenDigest(token)}, ${userId}, ${kind}, ${from.remoteAddress}, ${from.userAgent.slice(0, 254)}, ${dateExpired})`.execute(db);
  return { token, dateExpired };
}

/** How long a sign-in may be used before its use is written down again: not every request should write. */
const TOUCH_SECONDS = 60;

/** Finds the sign-in of a token; undefined when it ended, expired, or never was. A browser's one lives on while it is used. */
export async function findSignIn(db: Db, token: string, kind: SignInKind, browserSeconds: number): Promise<SignedIn | undefined> {
  if (token.length < 20 || token.length > 100) return undefined;
  const digest = tokenDigest(token);
  const { rows } = await sql<SignedIn>`
    select s.id as session_id, s.kind, s.date_used, a.id as user_id, a.username, a.name, a.role, a.is_active,
      coalesce(a.date_expired <= now(), false) as is_expired
    from web_session s join account a on a.id = s.user_id
    where s.token_digest = ${digest} and s.kind = ${kind} and s.date_expired > now()`.execute(db);
  const [found] = rows;
  if (found && Date.now() - found.date_used.getTime() > TOUCH_SECONDS * 1_000) {
    await sql`
      update web_session set date_used = now(),
        date_expired = case when kind = 'browser' then now() + make_interval(secs => ${browserSeconds}) else date_expired end
      where token_digest = ${digest}`.execute(db);
  }
  return found;
}

/** Ends one sign-in. */
export async function endSignIn(db: Db, sessionId: string): Promise<void> {
  await sql`delete from web_session where id = ${sessionId}`.execute(db);
}

/** Ends all sign-ins of an account, but for the one given. */
export async function endOtherSignIns(db: Db | Tx, userId: string, exceptSessionId?: string): Promise<void> {
  await sql`delete from web_session where user_id = ${userId} and id is distinct from ${exceptSessionId ?? null}::uuid`.execute(db);
}

/** Removes what has expired; called now and then. */
export async function clearExpiredSignIns(db: Db): Promise<void> {
  await sql`delete from web_session where date_expired < now()`.execute(db);
  await sql`delete from login_attempt where date_last < now() - interval '2 days'`.execute(db);
}
