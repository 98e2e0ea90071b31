import type { PasswordReason, SecondFactor } from '@sallyport/contract';
import { sql } from 'kysely';
import { hashPassword, verifyPassword } from '../../../platform/crypto/password.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { AppError, Invalid, invalid, Rejected } from '../../../platform/errors.ts';
import { createSerial } from '../../../platform/serial.ts';
import { type LoginAttempt, writeLoginLog } from '../../audits/login-log.ts';
import { writePasswordChange } from '../../audits/password-change-log.ts';
import { factorsOf, hasFactor, type Proof } from '../mfa/second-factors.ts';
import { passwordProblem } from '../password/rules.ts';
import { beginSignIn, endOtherSignIns, type SignInKind } from '../sign-in-sessions/store.ts';
import {
  challengeOf,
  dropChallenge,
  keepChallenge,
  MOST_ROUNDS,
  takeChallenge,
} from './challenges.ts';
import { type Asking, createIdentification } from './identification.ts';
import { createLeave } from './leaving.ts';
import {
  advance,
  type Demands,
  type FirstFactor,
  NOTHING,
  type Progress,
  type SignInEvent,
  stepOf,
} from './machine.ts';
import { allCheckers, ChallengeAsked, isPasswordOf } from './password-checkers.ts';
import {
  ACCOUNT_COLUMNS,
  dropPending,
  holderOf,
  keepPending,
  keepProgress,
  keepReview,
  kindOf,
  type Pending,
  type SignInAccount,
  takePending,
} from './pending.ts';
import { accountKey, placeOf } from './place.ts';
import { NO_REVIEWS, type Review } from './reviews.ts';
import type {
  Beginning,
  Outcome,
  PendingStep,
  SignInOptions,
  SignInService,
  Visitor,
} from './types.ts';

/** Longer texts are never a password. */
const MAX_PASSWORD = 1_024;
const MAX_NAME = 128;
const queueKeyOf = (remoteAddress: string, username: string) =>
  `${placeOf(remoteAddress)} ${accountKey(username)}`;
const refuse = (
  code:
    | 'session_empty'
    | 'user_inactive'
    | 'password_expired'
    | 'mfa_unset'
    | 'login_confirm_nobody'
    | 'challenge_too_often',
) => new Rejected(code, {}, { error: code });

export function createSignInService(options: SignInOptions): SignInService {
  const { db, settings, lockout, factors, reviews = () => NO_REVIEWS } = options;
  // Read at each sign-in: features above this one add their checkers after it is created.
  const checkers = () => allCheckers(options.checkers ?? []);
  // Otherwise many guesses at once would all be checked before the first failure is counted.
  const serially = createSerial();

  const accountWhere = async (
    condition: ReturnType<typeof sql>,
  ): Promise<SignInAccount | undefined> =>
    (
      await sql<SignInAccount>`select ${ACCOUNT_COLUMNS} from account a where ${condition}`.execute(
        db,
      )
    ).rows[0];

  /** Why the password has to be changed before the sign-in goes on. One that somebody else chose only matters where a page can ask for another. */
  const passwordReason = (account: SignInAccount, kind: SignInKind): PasswordReason | undefined => {
    if (account.source !== 'local') return undefined;
    if (account.password_age_days > settings.get('SECURITY_PASSWORD_EXPIRATION_TIME'))
      return 'expired';
    return kind === 'browser' &&
      account.password_assigned &&
      settings.get('SECURITY_CHANGE_ASSIGNED_PASSWORD')
      ? 'assigned'
      : undefined;
  };

  const demandsOf = async (
    account: SignInAccount,
    kind: SignInKind,
    on: Db | Tx = db,
  ): Promise<{ demands: Demands; offered: SecondFactor[] }> => {
    const summary = await factors.summary(account.id, on);
    return {
      demands: {
        passwordExpired: passwordReason(account, kind) !== undefined,
        secondFactor: factors.isDemanded(account.mfa_level),
        hasFactor: hasFactor(summary),
        confirmation: await reviews().areDemanded(account.id, on),
      },
      offered: factorsOf(summary),
    };
  };

  const pendingAt = (
    step: PendingStep['step'],
    account: SignInAccount,
    kind: SignInKind,
    ticket: string,
    factors: readonly SecondFactor[],
    review?: Review,
  ): PendingStep => {
    const reason = step === 'password_expired' ? passwordReason(account, kind) : undefined;
    return {
      step,
      ticket,
      username: account.username,
      factors,
      ...(reason && { reason }),
      ...(review && { review }),
    };
  };

  /** Ends a pending sign-in; its reviewers need not answer any more. */
  const drop = async (ticket: string, tx: Tx): Promise<void> => {
    const asked = await dropPending(ticket, tx);
    if (asked) await reviews().withdraw([asked], tx);
  };

  /** What the reviewers say about this attempt; they are asked when it first comes to them. */
  const reviewOf = async (
    ticket: string,
    { account, confirmTicket, remoteAddress }: Pending,
    visitor: Visitor,
    tx: Tx,
  ): Promise<Review> => {
    if (!confirmTicket && !(await reviews().canBeAsked(account.id, tx))) {
      // Outside of the transaction, which is taken back.
      await log(db, visitor, account.username, account.id, 'login_confirm_nobody');
      throw refuse('login_confirm_nobody');
    }
    const asked = confirmTicket ?? (await reviews().ask(account, remoteAddress, tx));
    if (!confirmTicket) await keepReview(ticket, asked, tx);
    const review = await reviews().reviewOf(asked, tx);
    // What was approved is the attempt from that address.
    return review.state === 'approved' && remoteAddress !== visitor.remoteAddress
      ? { ...review, state: 'closed' }
      : review;
  };

  /** Goes on from the confirmation when a reviewer agreed; ends the sign-in when one refused. */
  const settle = async (
    ticket: string,
    pending: Pending,
    progress: Progress,
    visitor: Visitor,
    tx: Tx,
  ): Promise<{ progress: Progress; review: Review }> => {
    const review = await reviewOf(ticket, pending, visitor, tx);
    if (review.state === 'approved') return { progress: { ...progress, confirmed: true }, review };
    if (review.state === 'open') return { progress, review };
    await drop(ticket, tx);
    await log(
      tx,
      visitor,
      pending.account.username,
      pending.account.id,
      'login_confirm_refused',
      progress.second ? 1 : 0,
    );
    return { progress, review };
  };

  const log = (
    on: Db | Tx,
    visitor: Visitor,
    username: string,
    userId: string | undefined,
    reason: LoginAttempt['reason'],
    mfa: LoginAttempt['mfa'] = 2,
  ) =>
    writeLoginLog(on, {
      username,
      userId,
      type: visitor.type,
      remoteAddress: visitor.remoteAddress,
      userAgent: visitor.userAgent,
      mfa,
      reason,
    });

  const { refuseBlocked, identify, passwordOf, isKeyOf, holderOfKey } = createIdentification({
    db,
    settings,
    lockout,
    checkers,
    accountWhere,
    log,
  });

  const assertValid = async (account: SignInAccount, visitor: Visitor): Promise<void> => {
    if (account.is_active && !account.is_expired) return;
    await log(db, visitor, account.username, account.id, 'user_inactive');
    throw refuse('user_inactive');
  };

  /** How long a sign-in lasts. One over SSH ends with its connection, at the latest when a session would. */
  const secondsOf = (kind: SignInKind): number => {
    if (kind === 'browser') return settings.get('SESSION_COOKIE_AGE');
    return kind === 'bearer'
      ? settings.get('TOKEN_EXPIRATION')
      : settings.get('SECURITY_MAX_SESSION_TIME') * 3_600;
  };

  /** Creates the sign-in session, and stores a new password in the same transaction. */
  const complete = async (
    {
      account,
      newPassword,
      next,
      origin,
    }: Pick<Pending, 'account' | 'newPassword' | 'next' | 'origin'>,
    progress: Progress,
    kind: SignInKind,
    visitor: Visitor,
    tx: Tx,
  ) => {
    if (newPassword !== null) {
      await sql`update account set password = ${newPassword}, date_password_last_updated = now() where id = ${account.id} and source = 'local'`.execute(
        tx,
      );
      await endOtherSignIns(tx, account.id);
      await writePasswordChange(
        tx,
        { actor: { ...account, remoteAddress: visitor.remoteAddress } },
        account.id,
      );
    }
    await sql`update account set last_login = now() where id = ${account.id}`.execute(tx);
    await log(tx, visitor, account.username, account.id, '', progress.second ? 1 : 0);
    const seconds = secondsOf(kind);
    const signIn = await beginSignIn(
      tx,
      account.id,
      kind,
      visitor,
      seconds,
      progress.second,
      origin,
    );
    return { step: 'in' as const, ...signIn, userId: account.id, next };
  };

  const cancel = async (ticket: string) => {
    await dropChallenge(ticket, db);
    await db.transaction().execute((tx) => drop(ticket, tx));
  };

  const leave = createLeave(db, drop);

  const begin = async (
    account: SignInAccount,
    first: FirstFactor,
    { kind, visitor, next = '/ui/', ticket, origin }: Beginning,
  ): Promise<Outcome> => {
    await assertValid(account, visitor);
    const { demands, offered } = await demandsOf(account, kind);
    const outcome = await db.transaction().execute(async (tx): Promise<Outcome> => {
      const earlier = ticket ? await takePending(ticket, kind, tx) : undefined;
      let progress: Progress & { first: FirstFactor } = {
        ...(advance(NOTHING, first, demands) ?? NOTHING),
        first,
      };
      let confirmTicket: string | null = null;
      if (
        ticket &&
        earlier?.account.id === account.id &&
        (earlier.progress.second || earlier.confirmTicket)
      ) {
        const isHere = earlier.remoteAddress === visitor.remoteAddress;
        progress = {
          ...progress,
          second: progress.second || earlier.progress.second,
          confirmed: isHere && earlier.progress.confirmed,
        };
        if (isHere) confirmTicket = earlier.confirmTicket;
        await (isHere ? dropPending : drop)(ticket, tx);
      }
      let step = stepOf(progress, demands);
      const { remoteAddress } = visitor;
      const made =
        step === 'in'
          ? ''
          : await keepPending(
              {
                account,
                kind,
                progress,
                next,
                remoteAddress,
                confirmTicket,
                origin: origin ?? null,
              },
              tx,
            );
      let review: Review | undefined;
      if (step === 'login_confirm') {
        const settled = await settle(
          made,
          {
            account,
            progress,
            next,
            newPassword: null,
            remoteAddress,
            confirmTicket,
            origin: origin ?? null,
          },
          progress,
          visitor,
          tx,
        );
        review = settled.review;
        step = stepOf(settled.progress, demands);
        if (step === 'in') await drop(made, tx);
      }
      if (step === 'in')
        return complete(
          { account, newPassword: null, next, origin: origin ?? null },
          progress,
          kind,
          visitor,
          tx,
        );
      if (step === 'password') throw refuse('session_empty');
      if (step === 'password_expired' && passwordReason(account, kind) === 'expired')
        await log(tx, visitor, account.username, account.id, 'password_expired');
      return pendingAt(step, account, kind, made, offered, review);
    });
    if (outcome.step === 'in') await lockout.succeeded(account.username, visitor.remoteAddress);
    return outcome;
  };

  /** A source asks a question: the person reads it and answers, a few times at the most. */
  const challenged = async (
    { source, challenge }: ChallengeAsked,
    username: string,
    { kind, visitor, next = '/ui/' }: Beginning,
    rounds: number,
  ) => {
    if (rounds >= MOST_ROUNDS) {
      await lockout.failed(username, visitor.remoteAddress);
      await log(db, visitor, username, undefined, 'challenge_too_often');
      throw refuse('challenge_too_often');
    }
    const ticket = await keepChallenge(
      { ...challenge, source, username, kind, rounds, next, remoteAddress: visitor.remoteAddress },
      db,
    );
    return {
      step: 'challenge',
      ticket,
      username,
      factors: [],
      message: challenge.message,
    } as const;
  };

  const attempt = async (
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
      await log(db, visitor, username, known?.id, 'block_login');
      throw refuseBlocked();
    }
    try {
      const account = await identify(known, username, asking, visitor).finally(leave);
      return await beginWithoutPages(account, 'password', beginning);
    } catch (error) {
      if (error instanceof ChallengeAsked) return challenged(error, username, beginning, rounds);
      throw error;
    }
  };

  /** The answer to the question of a sign-in; it counts and is logged as a password. */
  const answerChallenge: SignInService['answerChallenge'] = async (
    ticket,
    answer,
    kind,
    visitor,
  ) => {
    const asked = await takeChallenge(ticket, kind, visitor.remoteAddress, db);
    const checker = asked && checkers().find(({ source }) => source === asked.source);
    if (!asked || !checker?.answer) throw refuse('session_empty');
    const { username, rounds, next } = asked;
    const isRight = async () =>
      (await checker.answer?.(username, answer.slice(0, MAX_PASSWORD), asked)) === true;
    const asking: Asking = {
      refusal: 'challenge_failed',
      matches: async (known) => known?.source === asked.source && (await isRight()),
      async provided() {
        const made =
          (await isRight()) && (await checker.confirmed?.(username, visitor.remoteAddress));
        return made ? accountWhere(sql`a.id = ${made}`) : undefined;
      },
    };
    return serially(queueKeyOf(visitor.remoteAddress, username), () =>
      attempt(username, asking, { kind, visitor, next }, rounds + 1),
    );
  };

  /** Scripts have no page to choose a password, and neither they nor SSH connections have one to set up a second factor. */
  const beginWithoutPages = async (
    account: SignInAccount,
    first: FirstFactor,
    beginning: Beginning,
  ): Promise<Outcome> => {
    const outcome = await begin(account, first, beginning);
    const { kind, visitor } = beginning;
    if (kind === 'browser') return outcome;
    if (
      outcome.step === 'mfa_unset' ||
      (outcome.step === 'password_expired' && kind === 'bearer')
    ) {
      await cancel(outcome.ticket);
      if (outcome.step === 'mfa_unset')
        await log(db, visitor, account.username, account.id, 'mfa_unset');
      throw refuse(outcome.step);
    }
    return outcome;
  };

  /** One step of a pending sign-in, under its lock. */
  const step = async (
    ticket: string | undefined,
    kind: SignInKind,
    visitor: Visitor,
    event: SignInEvent | undefined,
    prepare: (
      pending: Pending,
      tx: Tx,
    ) => Promise<{ newPassword?: string; recoveryCodes?: readonly string[] | undefined }>,
    mayComplete = true,
  ): Promise<Outcome | undefined> => {
    const done = await db.transaction().execute(async (tx) => {
      const pending = await takePending(ticket, kind, tx);
      if (!ticket || !pending) throw refuse('session_empty');
      // The account may have been disabled since the first step.
      await assertValid(pending.account, visitor);
      const { demands } = await demandsOf(pending.account, kind, tx);
      let progress = event ? advance(pending.progress, event, demands) : pending.progress;
      if (!progress) throw refuse('session_empty');
      const { newPassword = pending.newPassword, recoveryCodes } = await prepare(pending, tx);
      const after = await demandsOf(pending.account, kind, tx);
      let now = stepOf(progress, after.demands);
      let review: Review | undefined;
      if (now === 'login_confirm') {
        ({ progress, review } = await settle(ticket, pending, progress, visitor, tx));
        now = stepOf(progress, after.demands);
      }
      const { account } = pending;
      if (now === 'in' && mayComplete) {
        await drop(ticket, tx);
        const outcome: Outcome = {
          ...(await complete({ ...pending, newPassword }, progress, kind, visitor, tx)),
          ...(recoveryCodes && { recoveryCodes }),
        };
        return { outcome, account };
      }
      await keepProgress(ticket, progress, newPassword, tx);
      if (now === 'in' || now === 'password') return { outcome: undefined, account };
      return { outcome: pendingAt(now, account, kind, ticket, after.offered, review), account };
    });
    if (done.outcome?.step === 'in')
      await lockout.succeeded(done.account.username, visitor.remoteAddress);
    return done.outcome;
  };

  const completing = async (...args: Parameters<typeof step>): Promise<Outcome> => {
    const outcome = await step(...args);
    if (!outcome) throw refuse('session_empty');
    return outcome;
  };

  const currentStep: SignInService['currentStep'] = (ticket, kind) =>
    db.transaction().execute(async (tx) => {
      const pending = await takePending(ticket, kind, tx);
      if (!ticket || !pending) return undefined;
      const { account, progress } = pending;
      const { demands, offered } = await demandsOf(account, kind, tx);
      const at = stepOf(progress, demands);
      if (at === 'in' || at === 'password') return undefined;
      const review =
        at === 'login_confirm' && pending.confirmTicket
          ? await reviews().reviewOf(pending.confirmTicket, tx)
          : undefined;
      return {
        ...pendingAt(at, account, kind, ticket, offered, review),
        name: account.name,
        userId: account.id,
      };
    });

  /** Checks the proof outside the transaction of the step: a wrong one must be counted although the step is rolled back. */
  const check = async (
    ticket: string | undefined,
    proof: Proof,
    kind: SignInKind,
    visitor: Visitor,
  ): Promise<void> => {
    const at = await currentStep(ticket, kind);
    if (!ticket || at?.step !== 'mfa_required') throw refuse('session_empty');
    try {
      await factors.prove(
        { id: at.userId, username: at.username },
        proof,
        holderOf(ticket),
        visitor.remoteAddress,
      );
    } catch (error) {
      if (error instanceof AppError)
        await log(
          db,
          visitor,
          at.username,
          at.userId,
          error.code === 'mfa_blocked' ? 'block_login' : 'mfa_failed',
        );
      throw error;
    }
  };

  return {
    withPassword: (username, password, beginning) =>
      serially(queueKeyOf(beginning.visitor.remoteAddress, username), () =>
        attempt(username, passwordOf(username, password, beginning), beginning),
      ),
    answerChallenge,
    challengeOf: (ticket, kind) => challengeOf(ticket, kind, db),
    async withProof(userId, first, beginning) {
      const account = await accountWhere(sql`a.id = ${userId}`);
      if (!account) throw refuse('session_empty');
      return begin(account, first, beginning);
    },
    withPublicKey: async (username, publicKey, beginning) =>
      beginWithoutPages(
        await holderOfKey(username.slice(0, MAX_NAME), publicKey, beginning.visitor),
        'publickey',
        beginning,
      ),
    mayUsePublicKey: (username, publicKey) => isKeyOf(username.slice(0, MAX_NAME), publicKey),
    currentStep,
    renew: (ticket, password, again, language, kind, visitor) =>
      completing(ticket, kind, visitor, 'renewed', async ({ account }) => {
        const problem = passwordProblem(password, settings, language);
        if (problem) throw new Invalid({ new_password: [problem] });
        if (password !== again) throw invalid('new_password_again', 'password_mismatch');
        if (await verifyPassword(account.password, password))
          throw invalid('new_password', 'password_same');
        return { newPassword: await hashPassword(password) };
      }),
    async prove(ticket, proof, kind, visitor) {
      await check(ticket, proof, kind, visitor);
      return completing(ticket, kind, visitor, 'second', async () => ({}));
    },
    async proveOnly(ticket, proof, kind, visitor) {
      await check(ticket, proof, kind, visitor);
      await step(ticket, kind, visitor, 'second', async () => ({}), false);
    },
    enroll: (ticket, add, kind, visitor) =>
      completing(ticket, kind, visitor, 'enrolled', async ({ account }, tx) => {
        await add(holderOf(ticket ?? ''), account, tx);
        return { recoveryCodes: (await factors.added(account.id, tx)).recovery_codes };
      }),
    resume: (ticket, kind, visitor) =>
      completing(ticket, kind, visitor, undefined, async () => ({})),
    async review(ticket, visitor) {
      const kind = ticket && (await kindOf(ticket, db));
      if (!kind) return undefined;
      const outcome = await step(ticket, kind, visitor, undefined, async () => ({}), false);
      return outcome
        ? outcome.step !== 'in' && outcome.review
          ? outcome.review
          : undefined
        : 'approved';
    },
    cancel,
    leave,
    confirmPassword: ({ userId, username, remoteAddress }, password, field) =>
      serially(queueKeyOf(remoteAddress, username), async () => {
        if (await lockout.isBlocked(username, remoteAddress)) throw refuseBlocked();
        const account = await accountWhere(sql`a.id = ${userId}`);
        const matches = await isPasswordOf(
          account,
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
