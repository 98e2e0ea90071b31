import type {
  Language,
  PasswordEnd,
  PasswordReason,
  SecondFactor,
  SignInNotice,
} from '@sallyport/contract';
import type { Actor } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { LoginAttempt } from '../../audits/index.ts';
import type { Proof, SecondFactors } from '../mfa/second-factors.ts';
import type { Origin } from '../sign-in-sessions/origin.ts';
import type { SignIn, SignInKind } from '../sign-in-sessions/store.ts';
import type { Lockout } from './lockout.ts';
import type { FirstFactor, Step } from './machine.ts';
import type { PasswordChecker } from './password-checkers.ts';
import type { SignInAccount } from './pending.ts';
import type { Review, Reviews } from './reviews.ts';

/** Origin of a sign-in attempt. */
export interface Visitor {
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly type: LoginAttempt['type'];
}

/** Result of a step. */
export type Outcome = Completed | PendingStep;

export interface Completed extends SignIn {
  readonly step: 'in';
  readonly userId: string;
  readonly username: string;
  readonly name: string;
  readonly next: string;
  readonly recoveryCodes?: readonly string[];
  /** End of the external password of this sign-in, or of a local password in its last days. */
  readonly passwordEnd?: PasswordEnd | undefined;
}

export interface PendingStep {
  /** `challenge`: the source of the password asks a further question. */
  readonly step: Exclude<Step, 'in' | 'password'> | 'challenge';
  /** Identifies the sign-in in its next step; only its digest is stored. */
  readonly ticket: string;
  readonly username: string;
  readonly factors: readonly SecondFactor[];
  /** In step challenge: the question. */
  readonly message?: string;
  /** In step password_expired: why a new password is required. */
  readonly reason?: PasswordReason;
  /** In step notice: the text to accept. */
  readonly notice?: SignInNotice;
  /** In step login_confirm: the state of the review. When it ends, so does the sign-in. */
  readonly review?: Review;
}

export interface SignInOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  readonly factors: SecondFactors;
  readonly audit: AuditWriter;
  /** Checkers of passwords of external accounts. */
  readonly checkers?: readonly PasswordChecker[];
  /** Reviews of sign-ins; another feature provides them. */
  readonly reviews?: () => Reviews;
}

/** Client and session kind of a new sign-in. */
export interface Beginning {
  readonly kind: SignInKind;
  readonly visitor: Visitor;
  /** The server that holds the connection of the sign-in, if it has one. */
  readonly holder?: string;
  readonly next?: string;
  /** The sign-in at a provider from which this one starts. */
  readonly origin?: Origin;
  /**
   * Ticket of an earlier attempt: a user who proved the second factor there and repeats the
   * password does not need to prove it again.
   */
  readonly ticket?: string | undefined;
}

/** A pending sign-in and the client that continues it. */
export interface Continuation {
  readonly ticket: string | undefined;
  readonly kind: SignInKind;
  readonly visitor: Visitor;
  /** As in {@link Beginning}. */
  readonly holder?: string;
}

/** A new password, entered twice, for a sign-in whose password expired. */
export interface Renewal extends Continuation {
  readonly password: string;
  readonly again: string;
  readonly language: Language;
}

/**
 * Creates all sign-in sessions: for browsers, scripts and the gateway. Each method throws an
 * AppError if the sign-in cannot continue.
 */
export interface SignInService {
  withPassword(username: string, password: string, beginning: Beginning): Promise<Outcome>;
  /**
   * Answers the challenge of a password's source; each challenge accepts one answer.
   * @throws Rejected
   */
  answerChallenge(answer: string, continuation: Continuation): Promise<Outcome>;
  /** Returns the challenge that a sign-in waits for. */
  challengeOf(
    ticket: string | undefined,
    kind: SignInKind,
  ): Promise<{ readonly username: string; readonly message: string } | undefined>;
  /** Continues after a passkey or an identity provider identified the account. */
  withProof(
    userId: string,
    first: Exclude<FirstFactor, 'password' | 'publickey'>,
    beginning: Beginning,
  ): Promise<Outcome>;
  /**
   * Continues after a connection proved possession of a private key. The key must be in the
   * account's profile.
   * @throws Rejected
   */
  withPublicKey(username: string, publicKey: Buffer, beginning: Beginning): Promise<Outcome>;
  /**
   * Returns true if the offered key is in the account's profile. Proves, counts and logs nothing.
   */
  mayUsePublicKey(username: string, publicKey: Buffer): Promise<boolean>;
  /** Returns the current step of a sign-in; undefined if it has ended. */
  currentStep(
    ticket: string | undefined,
    kind: SignInKind,
  ): Promise<(PendingStep & { readonly userId: string; readonly name: string }) | undefined>;
  renew(renewal: Renewal): Promise<Outcome>;
  prove(proof: Proof, continuation: Continuation): Promise<Outcome>;
  /**
   * Proves the second factor without completing the sign-in: scripts request their token
   * separately.
   */
  proveOnly(proof: Proof, continuation: Continuation): Promise<void>;
  /** Adds a second factor during a sign-in. */
  enroll(
    add: (holder: string, account: SignInAccount, tx: Tx) => Promise<void>,
    continuation: Continuation,
  ): Promise<Outcome>;
  /**
   * Accepts the text before sign-in, by the version that the user has read.
   * @throws Rejected `notice_changed`
   */
  accept(version: string, continuation: Continuation): Promise<Outcome>;
  /**
   * Returns the state of a sign-in's review. Stores an approval for the next step. Undefined
   * without a review.
   */
  review(ticket: string | undefined, visitor: Visitor): Promise<Review | 'approved' | undefined>;
  /** Continues without a new event: completes a sign-in whose requirements are met. */
  resume(continuation: Continuation): Promise<Outcome>;
  cancel(ticket: string): Promise<void>;
  /**
   * Records that the page of a sign-in was closed. The sign-in is canceled unless the page returns
   * within {@link RETURN_SECONDS}.
   */
  leave(ticket: string): Promise<void>;
  /**
   * Checks the password of a signed-in user at its source; failures count like those of a sign-in.
   * @throws AppError block_login, Invalid on the field
   */
  confirmPassword(
    person: Pick<Actor, 'userId' | 'username' | 'remoteAddress'>,
    password: string,
    field: string,
  ): Promise<void>;
}
