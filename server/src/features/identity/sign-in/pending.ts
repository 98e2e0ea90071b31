import { createHash } from 'node:crypto';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { FactorSummary } from '../mfa/second-factors.ts';
import { RULES_OF_ACCOUNT, type RuleColumn } from '../sign-in-rules/store.ts';
import type { Origin } from '../sign-in-sessions/origin.ts';
import type { SignInKind } from '../sign-in-sessions/store.ts';
import { AT_SOURCE, type AtSource } from '../source-state/proof.ts';
import type { FirstFactor, Progress } from './machine.ts';
import type { Reviews } from './reviews.ts';

/** Maximum seconds from the first step to the last. */
export const PENDING_SECONDS = 600;
/** Maximum seconds that a sign-in waits for its reviewers. */
export const REVIEW_SECONDS = 3_600;

/** Seconds that the page of a sign-in may be closed, as during a reload. */
export const RETURN_SECONDS = 10;

/** Condition: the page of the pending sign-in (alias `p`) was closed and not reopened. */
export const HAS_LEFT = sql`coalesce(p.date_left < now() - make_interval(secs => ${RETURN_SECONDS}), false)`;

/** Account of a sign-in with the data that its demands depend on. */
export interface SignInAccount extends RuleColumn, AtSource {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly password: string | null;
  readonly is_active: boolean;
  readonly is_expired: boolean;
  readonly mfa_level: number;
  readonly password_age_days: number;
  /** True if an administrator set the password. */
  readonly password_assigned: boolean;
  /** Version of the text before sign-in that the user accepted last; blank: none. */
  readonly accepted_notice: string;
  /** Its second factors, if they were read with the account. */
  readonly factors?: FactorSummary;
}

/** Columns of a {@link SignInAccount} from account `a`. */
export const ACCOUNT_COLUMNS = sql`
  a.id, a.username, a.name, ${AT_SOURCE}, a.password, a.is_active, a.password_assigned,
  a.accepted_notice,
  coalesce(a.date_expired <= now(), false) as is_expired, a.mfa_level,
  coalesce(extract(day from now() - a.date_password_last_updated), 0)::integer
    as password_age_days, ${RULES_OF_ACCOUNT} as sign_in_rules`;

/** Returns the account of a sign-in. */
export async function accountById(id: string, db: Db | Tx): Promise<SignInAccount | undefined> {
  const { rows } = await sql<SignInAccount>`
    select ${ACCOUNT_COLUMNS} from account a where a.id = ${id}`.execute(db);
  return rows[0];
}

/** Returns the account with a username, in any letter case. */
export async function accountNamed(
  username: string,
  db: Db | Tx,
): Promise<SignInAccount | undefined> {
  const { rows } = await sql<SignInAccount>`
    select ${ACCOUNT_COLUMNS} from account a where a.id = account_named(${username})`.execute(db);
  return rows[0];
}

/** An incomplete sign-in. */
export interface Pending {
  readonly progress: Progress;
  readonly account: SignInAccount;
  readonly next: string;
  readonly newPassword: string | null;
  /** Address where the sign-in started. */
  readonly remoteAddress: string;
  /** Ticket of the request to reviewers; null without one. */
  readonly confirmTicket: string | null;
  /** The sign-in at a provider from which this one started. */
  readonly origin: Origin | null;
}

/**
 * Returns the digest of the account's password hash: a pending sign-in becomes invalid when the
 * password changes.
 */
export function passwordDigest(hashed: string | null): Buffer {
  return createHash('sha256')
    .update(hashed ?? '')
    .digest();
}

/**
 * Returns the holder of challenges and offers of a pending sign-in, which does not reveal its
 * ticket.
 */
export const holderOf = (ticket: string) => `pending ${tokenDigest(ticket).toString('hex')}`;

/** Stores a pending sign-in and returns its ticket, of which only a digest is stored. */
export async function keepPending(
  pending: Omit<Pending, 'newPassword' | 'progress'> & {
    readonly kind: SignInKind;
    readonly progress: Progress & { first: FirstFactor };
  },
  db: Db | Tx,
): Promise<string> {
  const ticket = randomToken();
  const { account, kind, progress, next, remoteAddress, confirmTicket, origin } = pending;
  const seconds = confirmTicket ? REVIEW_SECONDS : PENDING_SECONDS;
  await sql`
    insert into pending_sign_in (token_digest, user_id, kind, first_factor, second_passed,
      confirmed, password_digest, next, remote_addr, confirm_ticket, origin, date_expired)
    values (${tokenDigest(ticket)}, ${account.id}, ${kind}, ${progress.first},
      ${progress.second}, ${progress.confirmed}, ${passwordDigest(account.password)},
      ${next}, ${remoteAddress}, ${confirmTicket}, ${origin && JSON.stringify(origin)}::jsonb,
      now() + make_interval(secs => ${seconds}))`.execute(db);
  return ticket;
}

interface PendingRow extends SignInAccount {
  first_factor: FirstFactor;
  second_passed: boolean;
  confirmed: boolean;
  password_digest: Buffer;
  new_password: string | null;
  next: string;
  remote_addr: string;
  confirm_ticket: string | null;
  origin: Origin | null;
  is_back: boolean;
}

/**
 * Returns a pending sign-in of a kind and locks its row. Undefined if it has ended or the account's
 * password changed.
 */
export async function takePending(
  ticket: string | undefined,
  kind: SignInKind,
  tx: Tx,
): Promise<Pending | undefined> {
  if (!ticket || ticket.length < 20 || ticket.length > 100) return undefined;
  const { rows } = await sql<PendingRow>`
    select p.first_factor, p.second_passed, p.confirmed, p.password_digest, p.new_password,
      p.next, p.remote_addr, p.confirm_ticket, p.origin, p.date_left is not null as is_back,
      ${ACCOUNT_COLUMNS}
    from pending_sign_in p join account a on a.id = p.user_id
    where p.token_digest = ${tokenDigest(ticket)} and p.kind = ${kind}
      and p.date_expired > now() and not ${HAS_LEFT}
    for update of p`.execute(tx);
  const [row] = rows;
  if (!row?.password_digest.equals(passwordDigest(row.password))) return undefined;
  const {
    first_factor,
    second_passed,
    confirmed,
    password_digest: _,
    new_password,
    next,
    remote_addr,
    confirm_ticket,
    origin,
    is_back,
    ...account
  } = row;
  // The page requested this step, so it is open again.
  if (is_back)
    await sql`
      update pending_sign_in set date_left = null
      where token_digest = ${tokenDigest(ticket)}`.execute(tx);
  return {
    account,
    next,
    newPassword: new_password,
    remoteAddress: remote_addr,
    confirmTicket: confirm_ticket,
    origin,
    progress: {
      first: first_factor,
      renewed: new_password !== null,
      second: second_passed,
      accepted: false,
      confirmed,
    },
  };
}

/** Stores the progress of a pending sign-in. */
export async function keepProgress(
  ticket: string,
  progress: Progress,
  newPassword: string | null,
  tx: Tx,
): Promise<void> {
  await sql`
    update pending_sign_in
    set second_passed = ${progress.second}, confirmed = ${progress.confirmed},
      new_password = ${newPassword}
    where token_digest = ${tokenDigest(ticket)}`.execute(tx);
}

/** Stores the ticket of the request to reviewers and extends the lifetime. */
export async function keepReview(ticket: string, asked: string, tx: Tx): Promise<void> {
  await sql`
    update pending_sign_in
    set confirm_ticket = ${asked},
      date_expired = now() + make_interval(secs => ${REVIEW_SECONDS})
    where token_digest = ${tokenDigest(ticket)}`.execute(tx);
}

/** Returns the session kind of a pending sign-in; undefined if it has ended. */
export async function kindOf(ticket: string, db: Db): Promise<SignInKind | undefined> {
  const { rows } = await sql<{
    kind: SignInKind;
  }>`
    select kind from pending_sign_in
    where token_digest = ${tokenDigest(ticket)} and date_expired > now()`.execute(db);
  return rows[0]?.kind;
}

/**
 * Deletes a pending sign-in, complete or not.
 * @returns the ticket of the request to its reviewers
 */
export async function dropPending(ticket: string, tx: Tx): Promise<string | undefined> {
  const { rows } = await sql<{ confirm_ticket: string | null }>`
    delete from pending_sign_in where token_digest = ${tokenDigest(ticket)}
    returning confirm_ticket`.execute(tx);
  return rows[0]?.confirm_ticket ?? undefined;
}

/** Deletes expired sign-ins and withdraws the requests to their reviewers. */
export async function clearPending(db: Db, reviews: Reviews): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await sql<{ confirm_ticket: string | null }>`
      delete from pending_sign_in p where p.date_expired < now() or ${HAS_LEFT}
      returning p.confirm_ticket`.execute(tx);
    await reviews.withdraw(
      rows.flatMap(({ confirm_ticket: asked }) => asked ?? []),
      tx,
    );
  });
  await sql`delete from totp_offer where date_expired < now()`.execute(db);
  await sql`delete from password_challenge where date_expired < now()`.execute(db);
  await sql`delete from passkey_challenge where date_expired < now()`.execute(db);
  await sql`delete from password_reset where date_expired < now()`.execute(db);
}
