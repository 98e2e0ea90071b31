import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { SignInKind } from '../sign-in-sessions/store.ts';
import type { Challenge } from './password-checkers.ts';

/** Lifetime of a challenge. */
const CHALLENGE_SECONDS = 300;
/** Maximum consecutive challenges of a sign-in. */
export const MOST_ROUNDS = 5;

/** A challenge that waits for its answer, with its sign-in. */
export interface AskedChallenge extends Challenge {
  readonly source: string;
  readonly username: string;
  /** Only a sign-in of the same kind may answer. */
  readonly kind: SignInKind;
  /** Number of earlier challenges of this sign-in. */
  readonly rounds: number;
  readonly next: string;
  readonly remoteAddress: string;
}

const KINDS: readonly SignInKind[] = ['browser', 'bearer', 'ssh'];
/** Binds a challenge to the ticket and the kind of its sign-in. */
const digestOf = (ticket: string, kind: SignInKind): Buffer => tokenDigest(`${kind} ${ticket}`);

/**
 * Stores a challenge and returns its ticket. Invalidates an earlier challenge of the same name and
 * address.
 */
export async function keepChallenge(asked: AskedChallenge, db: Db): Promise<string> {
  const ticket = randomToken();
  const { source, username, kind, server, state, message, rounds, next, remoteAddress } = asked;
  await db.transaction(async (tx) => {
    await sql`
      delete from password_challenge
      where username = ${username} and remote_addr = ${remoteAddress}`.execute(tx);
    await sql`
      insert into password_challenge (token_digest, source, username, server, state, message,
        rounds, next, remote_addr, date_expired)
      values (${digestOf(ticket, kind)}, ${source}, ${username}, ${server}, ${state ?? null},
        ${message}, ${rounds}, ${next}, ${remoteAddress},
        now() + make_interval(secs => ${CHALLENGE_SECONDS}))`.execute(tx);
  });
  return ticket;
}

const isTicket = (ticket: string | undefined): ticket is string =>
  ticket !== undefined && ticket.length >= 20 && ticket.length <= 100;

/**
 * Takes a challenge for its only answer. Returns undefined if it has expired, or belongs to a
 * sign-in of another kind or address.
 */
export async function takeChallenge(
  ticket: string | undefined,
  kind: SignInKind,
  remoteAddress: string,
  db: Db,
): Promise<AskedChallenge | undefined> {
  if (!isTicket(ticket)) return undefined;
  const { rows } = await sql<Omit<AskedChallenge, 'kind' | 'state'> & { state: Buffer | null }>`
    delete from password_challenge
    where token_digest = ${digestOf(ticket, kind)} and remote_addr = ${remoteAddress}
      and date_expired > now()
    returning source, username, server, state, message, rounds, next,
      remote_addr as "remoteAddress"`.execute(db);
  const [row] = rows;
  return row && { ...row, kind, state: row.state ?? undefined };
}

/** Returns the challenge that a sign-in waits for. */
export async function challengeOf(
  ticket: string | undefined,
  kind: SignInKind,
  db: Db,
): Promise<Pick<AskedChallenge, 'username' | 'message'> | undefined> {
  if (!isTicket(ticket)) return undefined;
  const { rows } = await sql<Pick<AskedChallenge, 'username' | 'message'>>`
    select username, message from password_challenge
    where token_digest = ${digestOf(ticket, kind)} and date_expired > now()`.execute(db);
  return rows[0];
}

/** Deletes the challenge of a canceled sign-in. */
export async function dropChallenge(ticket: string, db: Db): Promise<void> {
  const digests = KINDS.map((kind) => digestOf(ticket, kind));
  await sql`
    delete from password_challenge where token_digest = any (${digests}::bytea[])`.execute(db);
}
