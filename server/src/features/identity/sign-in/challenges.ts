import { sql } from 'kysely';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { SignInKind } from '../sign-in-sessions/store.ts';
import type { Challenge } from './password-checkers.ts';

/** How long a person has for an answer. */
const CHALLENGE_SECONDS = 300;
/** So many questions of one sign-in in a row. */
export const MOST_ROUNDS = 5;

/** A question that waits for its answer, and the sign-in it belongs to. */
export interface AskedChallenge extends Challenge {
  readonly source: string;
  readonly username: string;
  /** Only a sign-in of the same kind may answer. */
  readonly kind: SignInKind;
  /** How many questions of this sign-in there were before. */
  readonly rounds: number;
  readonly next: string;
  readonly remoteAddress: string;
}

const KINDS: readonly SignInKind[] = ['browser', 'bearer', 'ssh'];
/** A question is found only by the ticket and the kind of its sign-in. */
const digestOf = (ticket: string, kind: SignInKind): Buffer => tokenDigest(`${kind} ${ticket}`);

/** Keeps a question and returns the ticket of its sign-in. An earlier question for the same name from the same address is void. */
export async function keepChallenge(asked: AskedChallenge, db: Db): Promise<string> {
  const ticket = randomToken();
  const { source, username, kind, server, state, message, rounds, next, remoteAddress } = asked;
  await db.transaction().execute(async (tx) => {
    await sql`delete from password_challenge where username = ${username} and remote_addr = ${remoteAddress}`.execute(
      tx,
    );
    await sql`
      insert into password_challenge (token_digest, source, username, server, state, message, rounds, next, remote_addr, date_expired)
      values (${digestOf(ticket, kind)}, ${source}, ${username}, ${server}, ${state ?? null}, ${message}, ${rounds}, ${next}, ${remoteAddress},
        now() + make_interval(secs => ${CHALLENGE_SECONDS}))`.execute(tx);
  });
  return ticket;
}

const isTicket = (ticket: string | undefined): ticket is string =>
  ticket !== undefined && ticket.length >= 20 && ticket.length <= 100;

/** Takes a question for its one answer; undefined when it is over, or was asked in a sign-in of another kind or of another address. */
export async function takeChallenge(
  ticket: string | undefined,
  kind: SignInKind,
  remoteAddress: string,
  db: Db,
): Promise<AskedChallenge | undefined> {
  if (!isTicket(ticket)) return undefined;
  const { rows } = await sql<AskedChallenge & { state: Buffer | null }>`
    delete from password_challenge where token_digest = ${digestOf(ticket, kind)} and remote_addr = ${remoteAddress} and date_expired > now()
    returning source, username, server, state, message, rounds, next, remote_addr as "remoteAddress"`.execute(
    db,
  );
  const [row] = rows;
  return row && { ...row, kind, state: row.state ?? undefined };
}

/** The question that a sign-in waits with. */
export async function challengeOf(
  ticket: string | undefined,
  kind: SignInKind,
  db: Db,
): Promise<Pick<AskedChallenge, 'username' | 'message'> | undefined> {
  if (!isTicket(ticket)) return undefined;
  const { rows } = await sql<Pick<AskedChallenge, 'username' | 'message'>>`
    select username, message from password_challenge where token_digest = ${digestOf(ticket, kind)} and date_expired > now()`.execute(
    db,
  );
  return rows[0];
}

/** Forgets the question of a sign-in that was given up. */
export async function dropChallenge(ticket: string, db: Db): Promise<void> {
  await sql`delete from password_challenge where token_digest = any (${KINDS.map((kind) => digestOf(ticket, kind))}::bytea[])`.execute(
    db,
  );
}
