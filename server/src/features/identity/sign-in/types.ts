import type { Language, PasswordReason, SecondFactor } from '@sallyport/contract';
import type { Actor } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { LoginAttempt } from '../../audits/login-log.ts';
import type { SettingsService } from '../../settings/service.ts';
import type { Proof, SecondFactors } from '../mfa/second-factors.ts';
import type { Origin } from '../sign-in-sessions/origin.ts';
import type { SignIn, SignInKind } from '../sign-in-sessions/store.ts';
import type { Lockout } from './lockout.ts';
import type { FirstFactor, Step } from './machine.ts';
import type { PasswordChecker } from './password-checkers.ts';
import type { SignInAccount } from './pending.ts';
import type { Review, Reviews } from './reviews.ts';

/** Where an attempt to sign in comes from. */
export interface Visitor {
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly type: LoginAttempt['type'];
}

/** The result of a step. */
export type Outcome = Completed | PendingStep;

export interface Completed extends SignIn {
  readonly step: 'in';
  readonly userId: string;
  readonly next: string;
  readonly recoveryCodes?: readonly string[];
}

export interface PendingStep {
  /** `challenge`: the source of the password asks a question. */
  readonly step: Exclude<Step, 'in' | 'password'> | 'challenge';
  /** Identifies the sign-in in its next step; only its digest is stored. */
  readonly ticket: string;
  readonly username: string;
  readonly factors: readonly SecondFactor[];
  /** In step challenge: the question. */
  readonly message?: string;
  /** In step password_expired: why a new password is needed. */
  readonly reason?: PasswordReason;
  /** In step login_confirm: what the reviewers said. When it is over, so is the sign-in. */
  readonly review?: Review;
}

export interface SignInOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  readonly factors: SecondFactors;
  /** Check the passwords of accounts that are not local. */
  readonly checkers?: readonly PasswordChecker[];
  /** Asks reviewers; a feature above this one provides it. */
  readonly reviews?: () => Reviews;
}

/** The client and the kind of session of a new sign-in. */
export interface Beginning {
  readonly kind: SignInKind;
  readonly visitor: Visitor;
  readonly next?: string;
  /** The sign-in at a provider that this one follows from. */
  readonly origin?: Origin;
  /** Ticket of an earlier attempt: a user who passed the second factor then and now repeats the password is not asked for it again. */
  readonly ticket?: string | undefined;
}

/** The only way to a sign-in session, for browsers, scripts and the gateway. Each method throws an AppError when the sign-in cannot go on. */
export interface SignInService {
  withPassword(username: string, password: string, beginning: Beginning): Promise<Outcome>;
  /** The answer to the question that the source of a password asked; each question takes one. @throws Rejected */
  answerChallenge(
    ticket: string | undefined,
    answer: string,
    kind: SignInKind,
    visitor: Visitor,
  ): Promise<Outcome>;
  /** The question that a sign-in waits with. */
  challengeOf(
    ticket: string | undefined,
    kind: SignInKind,
  ): Promise<{ readonly username: string; readonly message: string } | undefined>;
  /** After a passkey or an identity provider identified the account. */
  withProof(
    userId: string,
    first: Exclude<FirstFactor, 'password' | 'publickey'>,
    beginning: Beginning,
  ): Promise<Outcome>;
  /** After a connection proved that it holds the private key: the key must be the one of the account's profile. @throws Rejected */
  withPublicKey(username: string, publicKey: Buffer, beginning: Beginning): Promise<Outcome>;
  /** Whether a key that a client offers is that of the account's profile. Nothing is proved, counted or logged by it. */
  mayUsePublicKey(username: string, publicKey: Buffer): Promise<boolean>;
  /** The step a sign-in is at; undefined when there is none. */
  currentStep(
    ticket: string | undefined,
    kind: SignInKind,
  ): Promise<(PendingStep & { readonly userId: string; readonly name: string }) | undefined>;
  renew(
    ticket: string | undefined,
    password: string,
    again: string,
    language: Language,
    kind: SignInKind,
    visitor: Visitor,
  ): Promise<Outcome>;
  prove(
    ticket: string | undefined,
    proof: Proof,
    kind: SignInKind,
    visitor: Visitor,
  ): Promise<Outcome>;
  /** Passes the second factor without completing: scripts fetch their token by another request. */
  proveOnly(
    ticket: string | undefined,
    proof: Proof,
    kind: SignInKind,
    visitor: Visitor,
  ): Promise<void>;
  /** Adds a second factor during a sign-in. */
  enroll(
    ticket: string | undefined,
    add: (holder: string, account: SignInAccount, tx: Tx) => Promise<void>,
    kind: SignInKind,
    visitor: Visitor,
  ): Promise<Outcome>;
  /** What the reviewers of a sign-in said so far. An approval is kept, and the next step goes on with it. Undefined: there is nothing to review. */
  review(ticket: string | undefined, visitor: Visitor): Promise<Review | 'approved' | undefined>;
  /** Continues without a new event: completes a sign-in whose requirements are met. */
  resume(ticket: string | undefined, kind: SignInKind, visitor: Visitor): Promise<Outcome>;
  cancel(ticket: string): Promise<void>;
  /** The page of a sign-in went away: it is canceled unless the page asks again within {@link RETURN_SECONDS}. */
  leave(ticket: string): Promise<void>;
  /** Checks the password of a signed-in user, wherever it is stored; failures count like those of a sign-in. @throws AppError block_login, Invalid on the field */
  confirmPassword(
    person: Pick<Actor, 'userId' | 'username' | 'remoteAddress'>,
    password: string,
    field: string,
  ): Promise<void>;
}
