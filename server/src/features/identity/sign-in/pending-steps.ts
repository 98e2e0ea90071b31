import { hashPassword, verifyPassword } from '../../../platform/crypto/password.ts';
import type { Db } from '../../../platform/db/database.ts';
import { AppError, Invalid, invalid } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Proof, SecondFactors } from '../mfa/second-factors.ts';
import { isFormerPassword } from '../password/former.ts';
import { passwordProblem } from '../password/rules.ts';
import type { SignInKind } from '../sign-in-sessions/store.ts';
import { logAttempt, refuse } from './attempt-log.ts';
import { type AskedChallenge, keepChallenge, MOST_ROUNDS } from './challenges.ts';
import type { DemandReader } from './demands.ts';
import type { Asking } from './identification.ts';
import type { Lockout } from './lockout.ts';
import { stepOf } from './machine.ts';
import type { ChallengeAsked, PasswordChecker } from './password-checkers.ts';
import { accountById, holderOf, type SignInAccount, takePending } from './pending.ts';
import type { Reviews } from './reviews.ts';
import type { Beginning, Continuation, PendingStep, Renewal } from './types.ts';

export interface PendingServices {
  readonly db: Db;
  readonly factors: SecondFactors;
  readonly demands: DemandReader;
  readonly reviews: Reviews;
}

/** Returns the current step of a sign-in; undefined if it has ended. */
export function currentStep(
  ticket: string | undefined,
  kind: SignInKind,
  { db, demands, reviews }: PendingServices,
): Promise<(PendingStep & { readonly userId: string; readonly name: string }) | undefined> {
  return db.transaction(async (tx) => {
    const pending = await takePending(ticket, kind, tx);
    if (!ticket || !pending) return undefined;
    const { account, progress, confirmTicket, remoteAddress } = pending;
    const place = { kind, visitor: { remoteAddress } };
    const { demands: current, offered } = await demands.of(account, place, tx);
    const step = stepOf(progress, current);
    if (step === 'in' || step === 'password') return undefined;
    const review =
      step === 'login_confirm' && confirmTicket
        ? await reviews.reviewOf(confirmTicket, tx)
        : undefined;
    return {
      ...demands.describe({ step, account, kind, ticket, factors: offered, review }),
      name: account.name,
      userId: account.id,
    };
  });
}

/**
 * Checks the proof of a second factor outside the transaction of the step: a wrong one must be
 * counted although the step is rolled back.
 */
export async function checkProof(
  proof: Proof,
  { ticket, kind, visitor }: Continuation,
  services: PendingServices,
): Promise<void> {
  const current = await currentStep(ticket, kind, services);
  if (!ticket || current?.step !== 'mfa_required') throw refuse('session_empty');
  const { userId, username } = current;
  const { db, factors } = services;
  try {
    await factors.prove({ id: userId, username }, proof, holderOf(ticket), visitor.remoteAddress);
  } catch (error) {
    if (error instanceof AppError)
      await logAttempt(db, visitor, {
        username,
        userId,
        reason: error.code === 'mfa_blocked' ? 'block_login' : 'mfa_failed',
      });
    throw error;
  }
}

/** Checks and hashes the new password of a pending sign-in. @throws Invalid */
export async function hashRenewed(
  account: SignInAccount,
  { password, again, language }: Pick<Renewal, 'password' | 'again' | 'language'>,
  { settings, db }: Pick<PendingServices, 'db'> & { readonly settings: SettingsService },
): Promise<{ readonly newPassword: string }> {
  const aboutOwner = [account.username];
  const problem = await passwordProblem(password, { settings, language, aboutOwner });
  if (problem) throw new Invalid({ new_password: [problem] });
  if (password !== again) throw invalid('new_password_again', 'password_mismatch');
  if (await verifyPassword(account.password, password))
    throw invalid('new_password', 'password_same');
  const former = settings.get('SECURITY_PASSWORD_HISTORY');
  if (await isFormerPassword(account.id, password, former, db))
    throw invalid('new_password', 'password_former');
  return { newPassword: await hashPassword(password) };
}

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
