import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { SignInKind } from '../sign-in-sessions/store.ts';
import type { FirstFactor, Progress } from './machine.ts';

/** The longest time from the first step to the last. */
export const PENDING_SECONDS = 600;

/** The account of a sign-in, as its demands need it. */
export interface SignInAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly source: string;
  readonly password: string | null;
  readonly is_active: boolean;
  readonly is_expired: boolean;
  readonly mfa_level: number;
  readonly password_age_days: number;
  /** Somebody else chose the password. */
  readonly password_assigned: boolean;
}

/** The columns of an account `a` that make a {@link SignInAccount}. */
export const ACCOUNT_COLUMNS = sql`a.id, a.username, a.name, a.source, a.password, a.is_active, a.password_assigned, coalesce(a.date_expired <= now(), false) as is_expired, a.mfa_level,
  coalesce(extract(day from now() - a.date_password_last_updated), 0)::integer as password_age_days`;

/** A sign-in that is not complete. */
export interface Pending {
  readonly progress: Progress;
  readonly account: SignInAccount;
  readonly next: string;
  readonly newPassword: string | null;
}

/** Digest of the account's present password: a pending sign-in becomes invalid when the password changes. */
export function passwordDigest(hashed: string | null): Buffer {
  return createHash('sha256')
    .update(hashed ?? '')
    .digest();
}

/** What a pending sign-in is called where challenges and offers name their holder; not the token itself. */
export const holderOf = (ticket: string) => `pending ${tokenDigest(ticket).toString('hex')}`;

/** Stores a pending sign-in and returns its ticket. The ticket is not stored. */
export async function keepPending(
  account: SignInAccount,
  kind: SignInKind,
  progress: Progress & { first: FirstFactor },
  next: string,
  db: Db | Tx,
): Promise<string> {
  const ticket = randomToken();
  await sql`
    insert into pending_sign_in (token_digest, user_id, kind, first_factor, second_passed, confirmed, password_digest, next, date_expired)
    values (${tokenDigest(ticket)}, ${account.id}, ${kind}, ${progress.first}, ${progress.second}, ${progress.confirmed}, ${passwordDigest(account.password)},
      ${next}, now() + make_interval(secs => ${PENDING_SECONDS}))`.execute(db);
  return ticket;
}

interface PendingRow extends SignInAccount {
  first_factor: FirstFactor;
  second_passed: boolean;
  confirmed: boolean;
  password_digest: Buffer;
  new_password: string | null;
  next: string;
}

/** Finds a pending sign-in of a kind and locks it until the transaction ends; undefined when it is over, or its account's password was changed since. */
export async function takePending(ticket: string | undefined, kind: SignInKind, tx: Tx): Promise<Pending | undefined> {
  if (!ticket || ticket.length < 20 || ticket.length > 100) return undefined;
  const { rows } = await sql<PendingRow>`
    select p.first_factor, p.second_passed, p.confirmed, p.password_digest, p.new_password, p.next, ${ACCOUNT_COLUMNS}
    from pending_sign_in p join account a on a.id = p.user_id
    where p.token_digest = ${tokenDigest(ticket)} and p.kind = ${kind} and p.date_expired > now() for update of p`.execute(tx);
  const [row] = rows;
  if (!row?.password_digest.equals(passwordDigest(row.password))) return undefined;
  const { first_factor, second_passed, confirmed, password_digest: _, new_password, next, ...account } = row;
  return {
    account,
    next,
    newPassword: new_password,
    progress: { first: first_factor, renewed: new_password !== null, second: second_passed, confirmed },
  };
}

/** Writes down what was proved. */
export async function keepProgress(ticket: string, progress: Progress, newPassword: string | null, tx: Tx): Promise<void> {
  await sql`
    update pending_sign_in set second_passed = ${progress.second}, confirmed = ${progress.confirmed}, new_password = ${newPassword}
    where token_digest = ${tokenDigest(ticket)}`.execute(tx);
}

/** Ends a pending sign-in, complete or not. */
export async function dropPending(ticket: string, db: Db | Tx): Promise<void> {
  await sql`delete from pending_sign_in where token_digest = ${tokenDigest(ticket)}`.execute(db);
}

/** Removes sign-ins that were not completed in time. */
export async function clearPending(db: Db): Promise<void> {
  await sql`delete from pending_sign_in where date_expired < now()`.execute(db);
  await sql`delete from totp_offer where date_expired < now()`.execute(db);
  await sql`delete from passkey_challenge where date_expired < now()`.execute(db);
  await sql`delete from password_reset where date_expired < now()`.execute(db);
}
