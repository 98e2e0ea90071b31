import type { Actor } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { invalid, Rejected } from '../../../platform/errors.ts';
import { createSerial } from '../../../platform/gate.ts';
import { networkOf } from '../../../platform/network-of.ts';
import { signInByDevice } from '../devices/ssh-sign-in.ts';
import type { Proof } from '../mfa/second-factors.ts';
import type { SignInKind } from '../sign-in-sessions/store.ts';
import { Attempt, type AttemptServices, type StepOptions } from './attempt.ts';
import { logAttempt, refuse } from './attempt-log.ts';
import { challengeOf, dropChallenge, takeChallenge } from './challenges.ts';
import { createDemands } from './demands.ts';
import { Identification, type Identifying, LOCK_REASONS } from './identification.ts';
import { createLeave } from './leaving.ts';
import type { FirstFactor } from './machine.ts';
import { acceptNotice } from './notice.ts';
import { allCheckers, ChallengeAsked, checkPassword, unconfirmed } from './password-checkers.ts';
import {
  accountById,
  accountNamed,
  holderOf,
  kindOf,
  type Pending,
  type SignInAccount,
} from './pending.ts';
import {
  askChallenge,
  checkProof,
  currentStep,
  hashRenewed,
  identifyByAnswer,
  type PendingServices,
} from './pending-steps.ts';
import { accountKey } from './place.ts';
import { createReviewStep } from './review-step.ts';
import { NO_REVIEWS, type Review } from './reviews.ts';
import type {
  Beginning,
  Continuation,
  Outcome,
  Renewal,
  SignInOptions,
  SignInService,
  Visitor,
} from './types.ts';

/** Maximum characters of a password. */
const MAX_PASSWORD = 1_024;
const MAX_NAME = 128;
const queueKeyOf = (remoteAddress: string, username: string) =>
  `${networkOf(remoteAddress)} ${accountKey(username)}`;

/** Creates all sign-in sessions: identifies the account, and performs the steps of an attempt. */
export class SignIns implements SignInService {
  readonly leave: SignInService['leave'];
  private readonly options: SignInOptions;
  private readonly services: AttemptServices;
  private readonly identification: Identification;
  /** Parallel guesses would all be checked before the first failure counts. */
  private readonly serially = createSerial();

  constructor(options: SignInOptions) {
    const { db, settings, lockout, factors } = options;
    const reviews = () => this.reviews();
    const demands = createDemands({ settings, factors, reviews });
    const reviewStep = createReviewStep(db, reviews);
    this.options = options;
    this.services = { db, settings, lockout, demands, reviewStep };
    const checkers = () => this.checkers();
    this.identification = new Identification({ db, settings, lockout, checkers });
    this.leave = createLeave(db, reviewStep.drop);
  }

  withPassword(username: string, password: string, beginning: Beginning): Promise<Outcome> {
    const asking = this.identification.byPassword(username, password, beginning);
    return this.serially(queueKeyOf(beginning.visitor.remoteAddress, username), () =>
      this.identifyAndBegin({ username, asking, beginning }),
    );
  }

  async answerChallenge(answer: string, { ticket, kind, visitor }: Continuation): Promise<Outcome> {
    const { db } = this.options;
    const { remoteAddress } = visitor;
    const challenge = await takeChallenge(ticket, kind, remoteAddress, db);
    const checker = this.checkers().find(({ source }) => source === challenge?.source);
    if (!challenge || !checker?.answer) throw refuse('session_empty');
    const { username, rounds, next } = challenge;
    const asking = identifyByAnswer({
      challenge,
      answer: answer.slice(0, MAX_PASSWORD),
      checker,
      remoteAddress,
      db,
    });
    const beginning = { kind, visitor, next };
    return this.serially(queueKeyOf(remoteAddress, username), () =>
      this.identifyAndBegin({ username, asking, beginning, rounds: rounds + 1 }),
    );
  }

  challengeOf(ticket: string | undefined, kind: SignInKind) {
    return challengeOf(ticket, kind, this.options.db);
  }

  async withProof(
    userId: string,
    first: Exclude<FirstFactor, 'password' | 'publickey'>,
    beginning: Beginning,
  ): Promise<Outcome> {
    const account = await accountById(userId, this.options.db);
    if (!account) throw refuse('session_empty');
    return new Attempt(this.services, beginning).begin(account, first, beginning);
  }

  async withPublicKey(username: string, publicKey: Buffer, beginning: Beginning) {
    const name = username.slice(0, MAX_NAME);
    if (!this.identification.hasUsed(name, publicKey)) {
      const device = await signInByDevice({ username: name, publicKey, beginning }, this.options);
      if (device) return device;
    }
    const account = await this.identification.holderOfKey(name, publicKey, beginning.visitor);
    return this.beginWithoutPages(account, 'publickey', beginning);
  }

  mayUsePublicKey(username: string, publicKey: Buffer): Promise<boolean> {
    return this.identification.isKeyOf(username.slice(0, MAX_NAME), publicKey);
  }

  currentStep(ticket: string | undefined, kind: SignInKind) {
    return currentStep(ticket, kind, this.pendingServices());
  }

  renew({ password, again, language, ...continuation }: Renewal): Promise<Outcome> {
    return this.completing(continuation, {
      event: 'renewed',
      prepare: ({ account }) => hashRenewed(account, { password, again, language }, this.options),
    });
  }

  async prove(proof: Proof, continuation: Continuation): Promise<Outcome> {
    await checkProof(proof, continuation, this.pendingServices());
    return this.completing(continuation, { event: 'second' });
  }

  async proveOnly(proof: Proof, { ticket, ...client }: Continuation): Promise<void> {
    await checkProof(proof, { ticket, ...client }, this.pendingServices());
    const attempt = new Attempt(this.services, client);
    await attempt.step(ticket, { event: 'second', mayComplete: false });
  }

  enroll(
    add: (holder: string, account: SignInAccount, tx: Tx) => Promise<void>,
    continuation: Continuation,
  ): Promise<Outcome> {
    const { factors } = this.options;
    const prepare = async ({ account }: Pending, tx: Tx) => {
      await add(holderOf(continuation.ticket ?? ''), account, tx);
      return { recoveryCodes: (await factors.added(account.id, tx)).recovery_codes };
    };
    return this.completing(continuation, { event: 'enrolled', prepare });
  }

  accept(version: string, continuation: Continuation): Promise<Outcome> {
    const { remoteAddress } = continuation.visitor;
    const prepare = async ({ account }: Pending, tx: Tx) => {
      await acceptNotice({ account, version, remoteAddress }, this.options, tx);
      return {};
    };
    return this.completing(continuation, { event: 'accepted', prepare });
  }

  resume(continuation: Continuation): Promise<Outcome> {
    return this.completing(continuation, {});
  }

  async review(
    ticket: string | undefined,
    visitor: Visitor,
  ): Promise<Review | 'approved' | undefined> {
    const kind = ticket && (await kindOf(ticket, this.options.db));
    if (!kind) return undefined;
    const attempt = new Attempt(this.services, { kind, visitor });
    const outcome = await attempt.step(ticket, { mayComplete: false });
    if (!outcome) return 'approved';
    return outcome.step === 'in' ? undefined : outcome.review;
  }

  async cancel(ticket: string): Promise<void> {
    const { db } = this.options;
    await dropChallenge(ticket, db);
    await db.transaction((tx) => this.services.reviewStep.drop(ticket, tx));
  }

  confirmPassword(
    { userId, username, remoteAddress }: Pick<Actor, 'userId' | 'username' | 'remoteAddress'>,
    password: string,
    field: string,
  ): Promise<void> {
    const { db, lockout } = this.options;
    return this.serially(queueKeyOf(remoteAddress, username), async () => {
      if (await lockout.isNameLocked(username, remoteAddress))
        throw this.identification.refuseLocked('name');
      const matches = await checkPassword(
        await accountById(userId, db),
        password.slice(0, MAX_PASSWORD),
        remoteAddress,
        this.checkers(),
      ).catch((error: unknown) => {
        if (error instanceof ChallengeAsked) throw invalid(field, 'challenge_elsewhere');
        // The source refuses the account, whatever the password.
        if (error instanceof Rejected) throw invalid(field, error.code, error.params);
        return unconfirmed(error);
      });
      if (matches === true) return;
      await lockout.failed(username, remoteAddress);
      throw invalid(field, 'password_wrong');
    });
  }

  /** Read at each sign-in: other features add their checkers after this service is created. */
  private checkers() {
    return allCheckers(this.options.checkers ?? []);
  }

  private reviews() {
    return this.options.reviews?.() ?? NO_REVIEWS;
  }

  private pendingServices(): PendingServices {
    const { db, factors } = this.options;
    return { db, factors, demands: this.services.demands, reviews: this.reviews() };
  }

  /** Identifies the account of a username and begins its sign-in, or asks a further question. */
  private async identifyAndBegin({
    username,
    asking,
    beginning,
    rounds = 0,
  }: Identifying): Promise<Outcome> {
    const { db, lockout } = this.options;
    const { visitor } = beginning;
    const naming = accountNamed(username, db);
    // The lockout may fail first; then no code below waits for the account.
    naming.catch(() => undefined);
    const leave = await lockout.enter(username, visitor.remoteAddress);
    if (typeof leave === 'string') {
      await lockout.failed(username, visitor.remoteAddress);
      const userId = (await naming)?.id;
      await logAttempt(db, visitor, { username, userId, reason: LOCK_REASONS[leave] });
      throw this.identification.refuseLocked(leave);
    }
    try {
      const account = await naming
        .then((known) => this.identification.identify(known, username, asking, visitor))
        .finally(leave);
      return await this.beginWithoutPages(account, 'password', beginning);
    } catch (error) {
      if (error instanceof ChallengeAsked)
        return askChallenge({ question: error, username, beginning, rounds }, { db, lockout });
      throw error;
    }
  }

  /**
   * Scripts have no page to choose a password, and neither scripts nor SSH connections have one to
   * enroll a second factor.
   */
  private async beginWithoutPages(
    account: SignInAccount,
    first: FirstFactor,
    beginning: Beginning,
  ): Promise<Outcome> {
    const outcome = await new Attempt(this.services, beginning).begin(account, first, beginning);
    const { kind, visitor } = beginning;
    if (kind === 'browser') return outcome;
    const isUnset = outcome.step === 'mfa_unset';
    if (!isUnset && !(outcome.step === 'password_expired' && kind === 'bearer')) return outcome;
    await this.cancel(outcome.ticket);
    if (isUnset)
      await logAttempt(this.options.db, visitor, {
        username: account.username,
        userId: account.id,
        reason: 'mfa_unset',
      });
    throw refuse(outcome.step);
  }

  private async completing(
    { ticket, ...client }: Continuation,
    step: StepOptions,
  ): Promise<Outcome> {
    const outcome = await new Attempt(this.services, client).step(ticket, step);
    if (!outcome) throw refuse('session_empty');
    return outcome;
  }
}
