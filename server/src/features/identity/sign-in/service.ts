import { setTimeout } from 'node:timers/promises';
import type { Language, PasswordReason, SecondFactor } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Actor } from '../../../platform/actor.ts';
import { hashPassword, verifyPassword } from '../../../platform/crypto/password.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { AppError, Invalid, invalid, Rejected } from '../../../platform/errors.ts';
import { createSerial } from '../../../platform/serial.ts';
import { isSamePublicKey } from '../../../platform/ssh-keys.ts';
import { type LoginAttempt, writeLoginLog } from '../../audits/login-log.ts';
import { writePasswordChange } from '../../audits/password-change-log.ts';
import type { SettingsService } from '../../settings/service.ts';
import { factorsOf, hasFactor, type Proof, type SecondFactors } from '../mfa/second-factors.ts';
import { passwordProblem } from '../password/rules.ts';
import { beginSignIn, endOtherSignIns, type SignIn, type SignInKind } from '../sign-in-sessions/store.ts';
import type { Lockout } from './lockout.ts';
import { advance, type Demands, type FirstFactor, NOTHING, type Progress, type SignInEvent, type Step, stepOf } from './machine.ts';
import { allCheckers, isAnyAsked, isPasswordOf, type PasswordChecker, pretendToAsk } from './password-checkers.ts';
import { ACCOUNT_COLUMNS, dropPending, holderOf, keepPending, keepProgress, type Pending, type SignInAccount, takePending } from './pending.ts';
import { accountKey, placeOf } from './place.ts';

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
  readonly step: Exclude<Step, 'in' | 'password'>;
  /** Identifies the sign-in in its next step; only its digest is stored. */
  readonly ticket: string;
  readonly username: string;
  readonly factors: readonly SecondFactor[];
  /** In step password_expired: why a new password is needed. */
  readonly reason?: PasswordReason;
}

export interface SignInOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  readonly factors: SecondFactors;
  /** Check the passwords of accounts that are not local. */
  readonly checkers?: readonly PasswordChecker[];
}

/** The client and the kind of session of a new sign-in. */
export interface Beginning {
  readonly kind: SignInKind;
  readonly visitor: Visitor;
  readonly next?: string;
  /** Ticket of an earlier attempt: a user who passed the second factor then and now repeats the password is not asked for it again. */
  readonly ticket?: string | undefined;
}

/** The only way to a sign-in session, for browsers, scripts and the gateway. Each method throws an AppError when the sign-in cannot go on. */
export interface SignInService {
  withPassword(username: string, password: string, beginning: Beginning): Promise<Outcome>;
  /** After a passkey or an identity provider identified the account. */
  withProof(userId: string, first: Exclude<FirstFactor, 'password' | 'publickey'>, beginning: Beginning): Promise<Outcome>;
  /** After a connection proved that it holds the private key: the key must be the one of the account's profile. @throws Rejected */
  withPublicKey(username: string, publicKey: Buffer, beginning: Beginning): Promise<Outcome>;
  /** Whether a key that a client offers is that of the account's profile. Nothing is proved, counted or logged by it. */
  mayUsePublicKey(username: string, publicKey: Buffer): Promise<boolean>;
  /** The step a sign-in is at; undefined when there is none. */
  currentStep(ticket: string | undefined, kind: SignInKind): Promise<(PendingStep & { readonly userId: string; readonly name: string }) | undefined>;
  renew(ticket: string | undefined, password: string, again: string, language: Language, kind: SignInKind, visitor: Visitor): Promise<Outcome>;
  prove(ticket: string | undefined, proof: Proof, kind: SignInKind, visitor: Visitor): Promise<Outcome>;
  /** Passes the second factor without completing: scripts fetch their token by another request. */
  proveOnly(ticket: string | undefined, proof: Proof, kind: SignInKind, visitor: Visitor): Promise<void>;
  /** Adds a second factor during a sign-in. */
  enroll(
    ticket: string | undefined,
    add: (holder: string, account: SignInAccount, tx: Tx) => Promise<void>,
    kind: SignInKind,
    visitor: Visitor,
  ): Promise<Outcome>;
  /** Continues without a new event: completes a sign-in whose requirements are met. */
  resume(ticket: string | undefined, kind: SignInKind, visitor: Visitor): Promise<Outcome>;
  cancel(ticket: string): Promise<void>;
  /** Checks the password of a signed-in user, wherever it is stored; failures count like those of a sign-in. @throws AppError block_login, Invalid on the field */
  confirmPassword(person: Pick<Actor, 'userId' | 'username' | 'remoteAddress'>, password: string, field: string): Promise<void>;
}

/** With a directory, a failure takes at least this long, so that its duration does not reveal the kind of account. */
const FAILURE_MILLISECONDS = 250;
/** Longer texts are never a password. */
const MAX_PASSWORD = 1_024;
const MAX_NAME = 128;
const queueKeyOf = (remoteAddress: string, username: string) => `${placeOf(remoteAddress)} ${accountKey(username)}`;
const refuse = (code: 'session_empty' | 'user_inactive' | 'password_expired' | 'mfa_unset') => new Rejected(code, {}, { error: code });

export function createSignInService(options: SignInOptions): SignInService {
  const { db, settings, lockout, factors } = options;
  // Read at each sign-in: features above this one add their checkers after it is created.
  const checkers = () => allCheckers(options.checkers ?? []);
  // Otherwise many guesses at once would all be checked before the first failure is counted.
  const serially = createSerial();

  const accountWhere = async (condition: ReturnType<typeof sql>): Promise<SignInAccount | undefined> =>
    (await sql<SignInAccount>`select ${ACCOUNT_COLUMNS} from account a where ${condition}`.execute(db)).rows[0];

  /** Why the password has to be changed before the sign-in goes on. One that somebody else chose only matters where a page can ask for another. */
  const passwordReason = (account: SignInAccount, kind: SignInKind): PasswordReason | undefined => {
    if (account.source !== 'local') return undefined;
    if (account.password_age_days > settings.get('SECURITY_PASSWORD_EXPIRATION_TIME')) return 'expired';
    return kind === 'browser' && account.password_assigned && settings.get('SECURITY_CHANGE_ASSIGNED_PASSWORD') ? 'assigned' : undefined;
  };

  const demandsOf = async (account: SignInAccount, kind: SignInKind, on: Db | Tx = db): Promise<{ demands: Demands; offered: SecondFactor[] }> => {
    const summary = await factors.summary(account.id, on);
    return {
      demands: {
        passwordExpired: passwordReason(account, kind) !== undefined,
        secondFactor: factors.isDemanded(account.mfa_level),
        hasFactor: hasFactor(summary),
        confirmation: false,
      },
      offered: factorsOf(summary),
    };
  };

  const pendingAt = (step: PendingStep['step'], account: SignInAccount, kind: SignInKind, ticket: string, factors: readonly SecondFactor[]): PendingStep => {
    const reason = step === 'password_expired' ? passwordReason(account, kind) : undefined;
    return { step, ticket, username: account.username, factors, ...(reason && { reason }) };
  };

  const log = (on: Db | Tx, visitor: Visitor, username: string, userId: string | undefined, reason: LoginAttempt['reason'], mfa: LoginAttempt['mfa'] = 2) =>
    writeLoginLog(on, { username, userId, type: visitor.type, remoteAddress: visitor.remoteAddress, userAgent: visitor.userAgent, mfa, reason });

  const assertValid = async (account: SignInAccount, visitor: Visitor): Promise<void> => {
    if (account.is_active && !account.is_expired) return;
    await log(db, visitor, account.username, account.id, 'user_inactive');
    throw refuse('user_inactive');
  };

  /** How long a sign-in lasts. One over SSH ends with its connection, at the latest when a session would. */
  const secondsOf = (kind: SignInKind): number => {
    if (kind === 'browser') return settings.get('SESSION_COOKIE_AGE');
    return kind === 'bearer' ? settings.get('TOKEN_EXPIRATION') : settings.get('SECURITY_MAX_SESSION_TIME') * 3_600;
  };

  /** Creates the sign-in session, and stores a new password in the same transaction. */
  const complete = async (account: SignInAccount, progress: Progress, newPassword: string | null, next: string, kind: SignInKind, visitor: Visitor, tx: Tx) => {
    if (newPassword !== null) {
      await sql`update account set password = ${newPassword}, date_password_last_updated = now() where id = ${account.id} and source = 'local'`.execute(tx);
      await endOtherSignIns(tx, account.id);
      await writePasswordChange(tx, { actor: { ...account, remoteAddress: visitor.remoteAddress } }, account.id);
    }
    await sql`update account set last_login = now() where id = ${account.id}`.execute(tx);
    await log(tx, visitor, account.username, account.id, '', progress.second ? 1 : 0);
    const seconds = secondsOf(kind);
    const signIn = await beginSignIn(tx, account.id, kind, visitor, seconds, progress.second);
    return { step: 'in' as const, ...signIn, userId: account.id, next };
  };

  const begin = async (account: SignInAccount, first: FirstFactor, { kind, visitor, next = '/ui/', ticket }: Beginning): Promise<Outcome> => {
    await assertValid(account, visitor);
    const { demands, offered } = await demandsOf(account, kind);
    const outcome = await db.transaction().execute(async (tx): Promise<Outcome> => {
      const earlier = ticket ? await takePending(ticket, kind, tx) : undefined;
      let progress: Progress = { ...(advance(NOTHING, first, demands) ?? NOTHING), first };
      if (ticket && earlier?.account.id === account.id && earlier.progress.second) {
        progress = { ...progress, second: true };
        await dropPending(ticket, tx);
      }
      const step = stepOf(progress, demands);
      if (step === 'in') return complete(account, progress, null, next, kind, visitor, tx);
      if (step === 'password') throw refuse('session_empty');
      if (step === 'password_expired' && passwordReason(account, kind) === 'expired') await log(tx, visitor, account.username, account.id, 'password_expired');
      return pendingAt(step, account, kind, await keepPending(account, kind, { ...progress, first }, next, tx), offered);
    });
    if (outcome.step === 'in') await lockout.succeeded(account.username, visitor.remoteAddress);
    return outcome;
  };

  /** The new account for a username that has none here, created by a checker (such as a directory) that confirms the password. */
  const provided = async (username: string, password: string, remoteAddress: string): Promise<SignInAccount | undefined> => {
    for (const checker of checkers()) {
      const created = await checker.provision?.(username, password, remoteAddress);
      if (created) return accountWhere(sql`a.id = ${created}`);
    }
    return undefined;
  };

  const refuseBlocked = () => new Rejected('block_login', { minutes: lockout.minutes() }, { error: 'block_login' });

  /**
   * The account of a username and a password. With a directory, failures do the same work and get the same answer, whether the username belongs to
   * a local account, to the directory, or to none. @throws AppError
   */
  const identify = async (known: SignInAccount | undefined, username: string, password: string, visitor: Visitor): Promise<SignInAccount> => {
    const begun = performance.now();
    let account = known;
    let reason: LoginAttempt['reason'] = 'user_not_exist';
    let failure: AppError | undefined;
    try {
      let matches = await isPasswordOf(known, password, visitor.remoteAddress, checkers());
      if (!known) {
        account = await provided(username, password, visitor.remoteAddress);
        matches = account !== undefined;
      }
      if (account && matches) return account;
      if (known) {
        reason = 'password_failed';
        if (!checkers().some(({ source, pretend }) => pretend && source === known.source)) await pretendToAsk(checkers());
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'busy') throw error;
      // Other refusals of a directory are no wrong password. An unreachable directory counts as a wrong password for every username:
      // otherwise the counter would reveal which accounts are local, or passwords of local ones could be guessed without being counted.
      if (error.code !== 'directory_unavailable') {
        await log(db, visitor, username, account?.id, error.code);
        throw error;
      }
      failure = error;
      if (reason === 'user_not_exist') reason = error.code;
    }
    const times = await lockout.failed(username, visitor.remoteAddress);
    await log(db, visitor, username, known?.id, reason);
    if (isAnyAsked(checkers())) await setTimeout(Math.max(0, FAILURE_MILLISECONDS - (performance.now() - begun)));
    // The same answer for a wrong password and for a name that does not exist.
    throw failure ?? new Rejected('password_failed', { times, minutes: lockout.minutes() }, { error: 'password_failed' });
  };

  const attempt = async (username: string, password: string, beginning: Beginning): Promise<Outcome> => {
    const { visitor } = beginning;
    const known = await accountWhere(sql`a.username = ${username}`);
    const leave = await lockout.enter(username, visitor.remoteAddress);
    if (!leave) {
      await lockout.failed(username, visitor.remoteAddress);
      await log(db, visitor, username, known?.id, 'block_login');
      throw refuseBlocked();
    }
    const account = await identify(known, username, password, visitor).finally(leave);
    return beginWithoutPages(account, 'password', beginning);
  };

  /** Scripts have no page to choose a password, and neither they nor SSH connections have one to set up a second factor. */
  const beginWithoutPages = async (account: SignInAccount, first: FirstFactor, beginning: Beginning): Promise<Outcome> => {
    const outcome = await begin(account, first, beginning);
    const { kind, visitor } = beginning;
    if (kind === 'browser') return outcome;
    if (outcome.step === 'mfa_unset' || (outcome.step === 'password_expired' && kind === 'bearer')) {
      await dropPending(outcome.ticket, db);
      if (outcome.step === 'mfa_unset') await log(db, visitor, account.username, account.id, 'mfa_unset');
      throw refuse(outcome.step);
    }
    return outcome;
  };

  /** Whether an SSH key may be used with a username: one question, whatever the answer, so that its time tells nothing. */
  const isKeyOf = async (username: string, publicKey: Buffer): Promise<boolean> => {
    const { rows } = await sql<{ public_key: string | null }>`select public_key from account where username = ${username}`.execute(db);
    const line = rows[0]?.public_key;
    return Boolean(settings.get('TERMINAL_PUBLIC_KEY_AUTH') && line && isSamePublicKey(line, publicKey));
  };

  /** The account whose profile has this public key, unless keys are disabled or the username or address is locked. @throws Rejected */
  const holderOfKey = async (username: string, publicKey: Buffer, visitor: Visitor): Promise<SignInAccount> => {
    const { rows } = await sql<SignInAccount & { public_key: string | null }>`
      select ${ACCOUNT_COLUMNS}, a.public_key from account a where a.username = ${username}`.execute(db);
    const [account] = rows;
    if (await lockout.isBlocked(username, visitor.remoteAddress)) {
      await log(db, visitor, username, account?.id, 'block_login');
      throw refuseBlocked();
    }
    const isTheirs = settings.get('TERMINAL_PUBLIC_KEY_AUTH') && account?.public_key && isSamePublicKey(account.public_key, publicKey);
    if (account && isTheirs) return account;
    // Not counted as a failure: clients offer every key they have, and keys cannot be guessed.
    await log(db, visitor, username, account?.id, 'public_key_failed');
    throw new Rejected('public_key_failed', {}, { error: 'public_key_failed' });
  };

  /** One step of a pending sign-in, under its lock. */
  const step = async (
    ticket: string | undefined,
    kind: SignInKind,
    visitor: Visitor,
    event: SignInEvent | undefined,
    prepare: (pending: Pending, tx: Tx) => Promise<{ newPassword?: string; recoveryCodes?: readonly string[] | undefined }>,
    mayComplete = true,
  ): Promise<Outcome | undefined> => {
    const done = await db.transaction().execute(async (tx) => {
      const pending = await takePending(ticket, kind, tx);
      if (!ticket || !pending) throw refuse('session_empty');
      // The account may have been disabled since the first step.
      await assertValid(pending.account, visitor);
      const { demands } = await demandsOf(pending.account, kind, tx);
      const progress = event ? advance(pending.progress, event, demands) : pending.progress;
      if (!progress) throw refuse('session_empty');
      const { newPassword = pending.newPassword, recoveryCodes } = await prepare(pending, tx);
      const after = await demandsOf(pending.account, kind, tx);
      const now = stepOf(progress, after.demands);
      const { account, next } = pending;
      if (now === 'in' && mayComplete) {
        await dropPending(ticket, tx);
        const outcome: Outcome = { ...(await complete(account, progress, newPassword, next, kind, visitor, tx)), ...(recoveryCodes && { recoveryCodes }) };
        return { outcome, account };
      }
      await keepProgress(ticket, progress, newPassword, tx);
      if (now === 'in' || now === 'password') return { outcome: undefined, account };
      return { outcome: pendingAt(now, account, kind, ticket, after.offered), account };
    });
    if (done.outcome?.step === 'in') await lockout.succeeded(done.account.username, visitor.remoteAddress);
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
      return { ...pendingAt(at, account, kind, ticket, offered), name: account.name, userId: account.id };
    });

  /** Checks the proof outside the transaction of the step: a wrong one must be counted although the step is rolled back. */
  const check = async (ticket: string | undefined, proof: Proof, kind: SignInKind, visitor: Visitor): Promise<void> => {
    const at = await currentStep(ticket, kind);
    if (!ticket || at?.step !== 'mfa_required') throw refuse('session_empty');
    try {
      await factors.prove({ id: at.userId, username: at.username }, proof, holderOf(ticket), visitor.remoteAddress);
    } catch (error) {
      if (error instanceof AppError) await log(db, visitor, at.username, at.userId, error.code === 'mfa_blocked' ? 'block_login' : 'mfa_failed');
      throw error;
    }
  };

  return {
    withPassword: (username, password, beginning) =>
      serially(queueKeyOf(beginning.visitor.remoteAddress, username), () => attempt(username, password, beginning)),
    async withProof(userId, first, beginning) {
      const account = await accountWhere(sql`a.id = ${userId}`);
      if (!account) throw refuse('session_empty');
      return begin(account, first, beginning);
    },
    withPublicKey: async (username, publicKey, beginning) =>
      beginWithoutPages(await holderOfKey(username.slice(0, MAX_NAME), publicKey, beginning.visitor), 'publickey', beginning),
    mayUsePublicKey: (username, publicKey) => isKeyOf(username.slice(0, MAX_NAME), publicKey),
    currentStep,
    renew: (ticket, password, again, language, kind, visitor) =>
      completing(ticket, kind, visitor, 'renewed', async ({ account }) => {
        const problem = passwordProblem(password, settings, language);
        if (problem) throw new Invalid({ new_password: [problem] });
        if (password !== again) throw invalid('new_password_again', 'password_mismatch');
        if (await verifyPassword(account.password, password)) throw invalid('new_password', 'password_same');
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
    resume: (ticket, kind, visitor) => completing(ticket, kind, visitor, undefined, async () => ({})),
    cancel: (ticket) => dropPending(ticket, db),
    confirmPassword: ({ userId, username, remoteAddress }, password, field) =>
      serially(queueKeyOf(remoteAddress, username), async () => {
        if (await lockout.isBlocked(username, remoteAddress)) throw refuseBlocked();
        if (await isPasswordOf(await accountWhere(sql`a.id = ${userId}`), password.slice(0, MAX_PASSWORD), remoteAddress, checkers())) return;
        await lockout.failed(username, remoteAddress);
        throw invalid(field, 'password_wrong');
      }),
  };
}
