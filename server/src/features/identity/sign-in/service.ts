import { sql } from 'kysely';
import { hashPassword, verifyPassword } from '../../../platform/crypto/password.ts';
import { AppError, Invalid, invalid } from '../../../platform/errors.ts';
import { createSerial } from '../../../platform/serial.ts';
import type { Proof } from '../mfa/second-factors.ts';
import { passwordProblem } from '../password/rules.ts';
import { Attempt, type StepOptions } from './attempt.ts';
import { logAttempt, refuse } from './attempt-log.ts';
import { askChallenge, identifyByAnswer } from './challenge-step.ts';
import { challengeOf, dropChallenge, takeChallenge } from './challenges.ts';
import { createDemands } from './demands.ts';
import { type Asking, createIdentification } from './identification.ts';
import { createLeave } from './leaving.ts';
import { type FirstFactor, stepOf } from './machine.ts';
import { allCheckers, ChallengeAsked, isPasswordOf } from './password-checkers.ts';
import { ACCOUNT_COLUMNS, holderOf, kindOf, type SignInAccount, takePending } from './pending.ts';
import { accountKey, placeOf } from './place.ts';
import { createReviewStep } from './review-step.ts';
import { NO_REVIEWS } from './reviews.ts';
import type { Beginning, Continuation, Outcome, SignInOptions, SignInService } from './types.ts';

/** Maximum characters of a password. */
const MAX_PASSWORD = 1_024;
const MAX_NAME = 128;
const queueKeyOf = (remoteAddress: string, username: string) =>
  `${placeOf(remoteAddress)} ${accountKey(username)}`;

export function createSignInService(options: SignInOptions): SignInService {
  const { db, settings, lockout, factors, reviews = () => NO_REVIEWS } = options;
  // Read at each sign-in: other features add their checkers after this service is created.
  const checkers = () => allCheckers(options.checkers ?? []);
  // Parallel guesses would all be checked before the first failure counts.
  const serially = createSerial();
  const demands = createDemands({ settings, factors, reviews });
  const reviewStep = createReviewStep(db, reviews);
  const services = { db, settings, lockout, demands, reviewStep };

  const accountWhere = async (
    condition: ReturnType<typeof sql>,
  ): Promise<SignInAccount | undefined> => {
    const { rows } = await sql<SignInAccount>`
      select ${ACCOUNT_COLUMNS} from account a where ${condition}`.execute(db);
    return rows[0];
  };
  const accountOf = (id: string) => accountWhere(sql`a.id = ${id}`);

  const { refuseBlocked, identify, passwordOf, isKeyOf, holderOfKey } = createIdentification({
    db,
    settings,
    lockout,
    checkers,
    accountWhere,
  });

  const cancel = async (ticket: string) => {
    await dropChallenge(ticket, db);
    await db.transaction().execute((tx) => reviewStep.drop(ticket, tx));
  };

  /**
   * Scripts have no page to choose a password, and neither scripts nor SSH connections have one to
   * enroll a second factor.
   */
  const beginWithoutPages = async (
    account: SignInAccount,
    first: FirstFactor,
    beginning: Beginning,
  ): Promise<Outcome> => {
    const outcome = await new Attempt(services, beginning).begin(account, first, beginning);
    const { kind, visitor } = beginning;
    if (kind === 'browser') return outcome;
    if (
      outcome.step === 'mfa_unset' ||
      (outcome.step === 'password_expired' && kind === 'bearer')
    ) {
      await cancel(outcome.ticket);
      if (outcome.step === 'mfa_unset')
        await logAttempt(db, visitor, {
          username: account.username,
          userId: account.id,
          reason: 'mfa_unset',
        });
      throw refuse(outcome.step);
    }
    return outcome;
  };

  /** Identifies the account of a username and begins its sign-in, or asks a further question. */
  const identifyAndBegin = async (
    username: string,
    asking: Asking,
    beginning: Beginning,
    rounds = 0,
  ): Promise<Outcome> => {
    const { visitor } = beginning;
    const known = await accountWhere(sql`a.username = ${username}`);
    const leave = await lockout.enter(username, visitor.remoteAddress);
    if (!leave) {
      await lockout.failed(username, visitor.remoteAddress);
      await logAttempt(db, visitor, { username, userId: known?.id, reason: 'block_login' });
      throw refuseBlocked();
    }
    try {
      const account = await identify(known, username, asking, visitor).finally(leave);
      return await beginWithoutPages(account, 'password', beginning);
    } catch (error) {
      if (error instanceof ChallengeAsked)
        return askChallenge({ question: error, username, beginning, rounds }, { db, lockout });
      throw error;
    }
  };

  const completing = async (
    { ticket, ...client }: Continuation,
    step: StepOptions,
  ): Promise<Outcome> => {
    const outcome = await new Attempt(services, client).step(ticket, step);
    if (!outcome) throw refuse('session_empty');
    return outcome;
  };

  const currentStep: SignInService['currentStep'] = (ticket, kind) =>
    db.transaction().execute(async (tx) => {
      const pending = await takePending(ticket, kind, tx);
      if (!ticket || !pending) return undefined;
      const { account, progress } = pending;
      const { demands: current, offered } = await demands.of(account, kind, tx);
      const step = stepOf(progress, current);
      if (step === 'in' || step === 'password') return undefined;
      const review =
        step === 'login_confirm' && pending.confirmTicket
          ? await reviews().reviewOf(pending.confirmTicket, tx)
          : undefined;
      return {
        ...demands.describe({ step, account, kind, ticket, factors: offered, review }),
        name: account.name,
        userId: account.id,
      };
    });

  /**
   * Checks the proof outside the transaction of the step: a wrong one must be counted although the
   * step is rolled back.
   */
  const check = async ({ ticket, kind, visitor }: Continuation, proof: Proof): Promise<void> => {
    const current = await currentStep(ticket, kind);
    if (!ticket || current?.step !== 'mfa_required') throw refuse('session_empty');
    const { userId, username } = current;
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
  };

  return {
    withPassword: (username, password, beginning) =>
      serially(queueKeyOf(beginning.visitor.remoteAddress, username), () =>
        identifyAndBegin(username, passwordOf(username, password, beginning), beginning),
      ),
    async answerChallenge(ticket, answer, kind, visitor) {
      const { remoteAddress } = visitor;
      const challenge = await takeChallenge(ticket, kind, remoteAddress, db);
      const checker = challenge && checkers().find(({ source }) => source === challenge.source);
      if (!challenge || !checker?.answer) throw refuse('session_empty');
      const { username, rounds, next } = challenge;
      const asking = identifyByAnswer({
        challenge,
        answer: answer.slice(0, MAX_PASSWORD),
        checker,
        remoteAddress,
        accountOf,
      });
      return serially(queueKeyOf(remoteAddress, username), () =>
        identifyAndBegin(username, asking, { kind, visitor, next }, rounds + 1),
      );
    },
    challengeOf: (ticket, kind) => challengeOf(ticket, kind, db),
    async withProof(userId, first, beginning) {
      const account = await accountOf(userId);
      if (!account) throw refuse('session_empty');
      return new Attempt(services, beginning).begin(account, first, beginning);
    },
    withPublicKey: async (username, publicKey, beginning) =>
      beginWithoutPages(
        await holderOfKey(username.slice(0, MAX_NAME), publicKey, beginning.visitor),
        'publickey',
        beginning,
      ),
    mayUsePublicKey: (username, publicKey) => isKeyOf(username.slice(0, MAX_NAME), publicKey),
    currentStep,
    renew: ({ password, again, language, ...continuation }) =>
      completing(continuation, {
        event: 'renewed',
        async prepare({ account }) {
          const problem = passwordProblem(password, settings, language);
          if (problem) throw new Invalid({ new_password: [problem] });
          if (password !== again) throw invalid('new_password_again', 'password_mismatch');
          if (await verifyPassword(account.password, password))
            throw invalid('new_password', 'password_same');
          return { newPassword: await hashPassword(password) };
        },
      }),
    async prove(ticket, proof, kind, visitor) {
      await check({ ticket, kind, visitor }, proof);
      return completing({ ticket, kind, visitor }, { event: 'second' });
    },
    async proveOnly(ticket, proof, kind, visitor) {
      await check({ ticket, kind, visitor }, proof);
      const attempt = new Attempt(services, { kind, visitor });
      await attempt.step(ticket, { event: 'second', mayComplete: false });
    },
    enroll: (ticket, add, kind, visitor) =>
      completing(
        { ticket, kind, visitor },
        {
          event: 'enrolled',
          async prepare({ account }, tx) {
            await add(holderOf(ticket ?? ''), account, tx);
            return { recoveryCodes: (await factors.added(account.id, tx)).recovery_codes };
          },
        },
      ),
    resume: (ticket, kind, visitor) => completing({ ticket, kind, visitor }, {}),
    async review(ticket, visitor) {
      const kind = ticket && (await kindOf(ticket, db));
      if (!kind) return undefined;
      const outcome = await new Attempt(services, { kind, visitor }).step(ticket, {
        mayComplete: false,
      });
      if (!outcome) return 'approved';
      return outcome.step === 'in' ? undefined : outcome.review;
    },
    cancel,
    leave: createLeave(db, reviewStep.drop),
    confirmPassword: ({ userId, username, remoteAddress }, password, field) =>
      serially(queueKeyOf(remoteAddress, username), async () => {
        if (await lockout.isBlocked(username, remoteAddress)) throw refuseBlocked();
        const matches = await isPasswordOf(
          await accountOf(userId),
          password.slice(0, MAX_PASSWORD),
          remoteAddress,
          checkers(),
        ).catch((error: unknown) => {
          throw error instanceof ChallengeAsked ? invalid(field, 'challenge_elsewhere') : error;
        });
        if (matches) return;
        await lockout.failed(username, remoteAddress);
        throw invalid(field, 'password_wrong');
      }),
  };
}
