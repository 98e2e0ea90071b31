import type { Db } from '../../../platform/db/database.ts';
import { logAttempt, refuse } from './attempt-log.ts';
import { type AskedChallenge, keepChallenge, MOST_ROUNDS } from './challenges.ts';
import type { Asking } from './identification.ts';
import type { Lockout } from './lockout.ts';
import type { ChallengeAsked, PasswordChecker } from './password-checkers.ts';
import { accountById } from './pending.ts';
import type { Beginning, PendingStep } from './types.ts';

interface ChallengeRequest {
  readonly question: ChallengeAsked;
  readonly username: string;
  readonly beginning: Beginning;
  /** Number of earlier challenges of this sign-in. */
  readonly rounds: number;
}

/**
 * Stores the question of a password's source, which the user answers in the next step.
 * @throws Rejected after too many questions
 */
export async function askChallenge(
  { question: { source, challenge }, username, beginning, rounds }: ChallengeRequest,
  { db, lockout }: { readonly db: Db; readonly lockout: Lockout },
): Promise<PendingStep> {
  const { kind, visitor, next = '/ui/' } = beginning;
  if (rounds >= MOST_ROUNDS) {
    await lockout.failed(username, visitor.remoteAddress);
    await logAttempt(db, visitor, { username, userId: undefined, reason: 'challenge_too_often' });
    throw refuse('challenge_too_often');
  }
  const ticket = await keepChallenge(
    { ...challenge, source, username, kind, rounds, next, remoteAddress: visitor.remoteAddress },
    db,
  );
  return { step: 'challenge', ticket, username, factors: [], message: challenge.message };
}

interface ChallengeAnswer {
  readonly challenge: AskedChallenge;
  readonly answer: string;
  readonly checker: PasswordChecker;
  readonly remoteAddress: string;
  readonly db: Db;
}

/** Identifies an account by the answer to a challenge, which counts and is logged as a password. */
export function identifyByAnswer({
  challenge,
  answer,
  checker,
  remoteAddress,
  db,
}: ChallengeAnswer): Asking {
  const { source, username } = challenge;
  const isRight = async () => (await checker.answer?.(username, answer, challenge)) === true;
  return {
    refusal: 'challenge_failed',
    matches: async (known) => known?.source === source && (await isRight()),
    async provided() {
      const id = (await isRight()) && (await checker.confirmed?.(username, remoteAddress));
      return id ? accountById(id, db) : undefined;
    },
  };
}
