import type { Language, SecondFactor } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Actor } from '../../../http/actor.ts';
import { Invalid, invalid, Refusal } from '../../../http/problem.ts';
import { hashPassword, verifyPassword } from '../../../platform/crypto/password.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { createTurns } from '../../../platform/turns.ts';
import { type LoginAttempt, writeLoginLog } from '../../audits/login-log.ts';
import { writePasswordChange } from '../../audits/password-change-log.ts';
import type { SettingsService } from '../../settings/service.ts';
import type { Lockout } from '../lockout.ts';
import { factorsOf, hasFactor, type Proof, type SecondFactors } from '../mfa/second-factors.ts';
import { passwordProblem } from '../password-rules.ts';
import { beginSignIn, endOtherSignIns, type SignIn, type SignInKind } from '../sign-ins.ts';
import { advance, type Demands, type FirstFactor, type Happening, NOTHING, type Progress, type Step, stepOf } from './machine.ts';
import { allCheckers, isPasswordOf, type PasswordChecker } from './password-checkers.ts';
import { ACCOUNT_COLUMNS, dropPending, holderOf, keepPending, keepProgress, type Pending, type SignInAccount, takePending } from './pending.ts';

/** Where an attempt to sign in comes from. */
export interface Visitor {
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly type: LoginAttempt['type'];
}

/** What came of a step. */
export type Outcome = Completed | Waiting;

export interface Completed extends SignIn {
  readonly step: 'in';
  readonly userId: string;
  readonly next: string;
  readonly recoveryCodes?: readonly string[];
}

export interface Waiting {
  readonly step: Exclude<Step, 'in' | 'password'>;
  /** Carries the sign-in to its next step; only its digest is kept. */
  readonly ticket: string;
  readonly username: string;
  readonly factors: readonly SecondFactor[];
}

export interface SignInOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  readonly factors: SecondFactors;
  /** Who knows the passwords of accounts that are not local. */
  readonly checkers?: readonly PasswordChecker[];
}

/** What is known when a sign-in begins. */
export interface Beginning {
  readonly kind: SignInKind;
  readonly visitor: Visitor;
  readonly next?: string;
  /** Of an earlier round: whoever passed the second factor in it and now repeats the password is not asked again. */
  readonly ticket?: string | undefined;
}

/** The one road to a sign-in, for browsers, scripts and the gateway. Each method throws a Refusal with `error` for what does not let people on. */
export interface SignInService {
  withPassword(username: string, password: string, beginning: Beginning): Promise<Outcome>;
  /** After a passkey, or another service, answered for an account. */
  withProof(userId: string, first: Exclude<FirstFactor, 'password'>, beginning: Beginning): Promise<Outcome>;
  /** Where a sign-in stands; undefined when there is none. */
  look(ticket: string | undefined, kind: SignInKind): Promise<(Waiting & { readonly userId: string; readonly name: string }) | undefined>;
  renew(ticket: string | undefined, password: string, again: string, language: Language, kind: SignInKind, visitor: Visitor): Promise<Outcome>;
  prove(ticket: string | undefined, proof: Proof, kind: SignInKind, visitor: Visitor): Promise<Outcome>;
  /** Passes the second factor without completing: scripts fetch their token by another request. */
  proveOnly(ticket: string | undefined, proof: Proof, kind: SignInKind, visitor: Visitor): Promise<void>;
  /** Adds a factor in the middle of a sign-in. */
  enrol(
    ticket: string | undefined,
    add: (holder: string, account: SignInAccount, tx: Tx) => Promise<void>,
    kind: SignInKind,
    visitor: Visitor,
  ): Promise<Outcome>;
  /** Goes on without anything new: completes what has been proved. */
  resume(ticket: string | undefined, kind: SignInKind, visitor: Visitor): Promise<Outcome>;
  cancel(ticket: string): Promise<void>;
  /** Makes sure that somebody who is signed in knows the account's password, wherever it is kept; wrong ones count like those of signing in. @throws Refusal block_login, Invalid on the field */
  confirmPassword(person: Pick<Actor, 'userId' | 'username' | 'remoteAddress'>, password: string, field: string): Promise<void>;
}

/** Of what is typed for a password; more is nobody's. */
const MAX_PASSWORD = 1_024;
const turnOf = (remoteAddress: string, username: string) => `${remoteAddress} ${username.toLowerCase()}`;
const refuse = (code: 'session_empty' | 'user_inactive' | 'password_expired' | 'mfa_unset') => new Refusal(400, code, {}, { error: code });

export function createSignInService(options: SignInOptions): SignInService {
  const { db, settings, lockout, factors } = options;
  const checkers = allCheckers(options.checkers ?? []);
  // Many guesses at once would all be checked before the first failure is counted.
  const turns = createTurns();

  const accountWhere = async (condition: ReturnType<typeof sql>): Promise<SignInAccount | undefined> =>
    (await sql<SignInAccount>`select ${ACCOUNT_COLUMNS} from account a where ${condition}`.execute(db)).rows[0];

  const demandsOf = async (account: SignInAccount, on: Db | Tx = db): Promise<{ demands: Demands; offered: SecondFactor[] }> => {
    const summary = await factors.summary(account.id, on);
    return {
      demands: {
        passwordExpired: account.source === 'local' && account.password_age_days > settings.get('SECURITY_PASSWORD_EXPIRATION_TIME'),
        secondFactor: factors.isDemanded(account.mfa_level),
        hasFactor: hasFactor(summary),
        confirmation: false,
      },
      offered: factorsOf(summary),
    };
  };

  const log = (on: Db | Tx, visitor: Visitor, username: string, userId: string | undefined, reason: LoginAttempt['reason'], mfa: LoginAttempt['mfa'] = 2) =>
    writeLoginLog(on, { username, userId, type: visitor.type, remoteAddress: visitor.remoteAddress, userAgent: visitor.userAgent, mfa, reason });

  const assertValid = async (account: SignInAccount, visitor: Visitor): Promise<void> => {
    if (account.is_active && !account.is_expired) return;
    await log(db, visitor, account.username, account.id, 'user_inactive');
    throw refuse('user_inactive');
  };

  /** Makes the sign-in; whatever was prepared takes hold with it. */
  const complete = async (account: SignInAccount, progress: Progress, newPassword: string | null, next: string, kind: SignInKind, visitor: Visitor, tx: Tx) => {
    if (newPassword !== null) {
      await sql`update account set password = ${newPassword}, date_password_last_updated = now() where id = ${account.id} and source = 'local'`.execute(tx);
      await endOtherSignIns(tx, account.id);
      await writePasswordChange(tx, { actor: { ...account, remoteAddress: visitor.remoteAddress } }, account.id);
    }
    await sql`update account set last_login = now() where id = ${account.id}`.execute(tx);
    await log(tx, visitor, account.username, account.id, '', progress.second ? 1 : 0);
    const seconds = settings.get(kind === 'browser' ? 'SESSION_COOKIE_AGE' : 'TOKEN_EXPIRATION');
    const signIn = await beginSignIn(tx, account.id, kind, visitor, seconds, progress.second);
    return { step: 'in' as const, ...signIn, userId: account.id, next };
  };

  const begin = async (account: SignInAccount, first: FirstFactor, { kind, visitor, next = '/ui/', ticket }: Beginning): Promise<Outcome> => {
    await assertValid(account, visitor);
    const { demands, offered } = await demandsOf(account);
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
      if (step === 'password_expired') await log(tx, visitor, account.username, account.id, 'password_expired');
      return { step, ticket: await keepPending(account, kind, { ...progress, first }, next, tx), username: account.username, factors: offered };
    });
    if (outcome.step === 'in') await lockout.succeeded(account.username, visitor.remoteAddress);
    return outcome;
  };

  /** The new account of a name that has none here, made by whoever knows name and password. */
  const provided = async (username: string, password: string, remoteAddress: string): Promise<SignInAccount | undefined> => {
    for (const checker of checkers) {
      const made = await checker.provision?.(username, password, remoteAddress);
      if (made) return accountWhere(sql`a.id = ${made}`);
    }
    return undefined;
  };

  const refuseBlocked = () => new Refusal(400, 'block_login', { minutes: lockout.minutes() }, { error: 'block_login' });

  const attempt = async (username: string, password: string, beginning: Beginning): Promise<Outcome> => {
    const { visitor, kind } = beginning;
    let account = await accountWhere(sql`a.username = ${username}`);
    if (await lockout.isBlocked(username, visitor.remoteAddress)) {
      await lockout.failed(username, visitor.remoteAddress);
      await log(db, visitor, username, account?.id, 'block_login');
      throw refuseBlocked();
    }
    let matches = false;
    try {
      matches = await isPasswordOf(account, password, visitor.remoteAddress, checkers);
      if (!account) {
        account = await provided(username, password, visitor.remoteAddress);
        matches = account !== undefined;
      }
    } catch (error) {
      // A directory that is away, or what keeps somebody of it out, is no wrong password; the log keeps it all the same.
      if (error instanceof Refusal) await log(db, visitor, username, account?.id, error.code);
      throw error;
    }
    if (!account || !matches) {
      const times = await lockout.failed(username, visitor.remoteAddress);
      await log(db, visitor, username, account?.id, account ? 'password_failed' : 'user_not_exist');
      // The same answer for a wrong password and for a name that does not exist.
      throw new Refusal(400, 'password_failed', { times, minutes: lockout.minutes() }, { error: 'password_failed' });
    }
    const outcome = await begin(account, 'password', beginning);
    // Scripts have no page to choose a password or to enrol on.
    if (kind === 'bearer' && (outcome.step === 'password_expired' || outcome.step === 'mfa_unset')) {
      await dropPending(outcome.ticket, db);
      if (outcome.step === 'mfa_unset') await log(db, visitor, username, account.id, 'mfa_unset');
      throw refuse(outcome.step);
    }
    return outcome;
  };

  /** One step of a pending sign-in, under its lock. */
  const step = async (
    ticket: string | undefined,
    kind: SignInKind,
    visitor: Visitor,
    happening: Happening | undefined,
    prepare: (pending: Pending, tx: Tx) => Promise<{ newPassword?: string; recoveryCodes?: readonly string[] | undefined }>,
    mayComplete = true,
  ): Promise<Outcome | undefined> => {
    const done = await db.transaction().execute(async (tx) => {
      const pending = await takePending(ticket, kind, tx);
      if (!ticket || !pending) throw refuse('session_empty');
      // Disabled since the first step: nobody, from this moment on.
      await assertValid(pending.account, visitor);
      const { demands } = await demandsOf(pending.account, tx);
      const progress = happening ? advance(pending.progress, happening, demands) : pending.progress;
      if (!progress) throw refuse('session_empty');
      const { newPassword = pending.newPassword, recoveryCodes } = await prepare(pending, tx);
      const after = await demandsOf(pending.account, tx);
      const now = stepOf(progress, after.demands);
      const { account, next } = pending;
      if (now === 'in' && mayComplete) {
        await dropPending(ticket, tx);
        const outcome: Outcome = { ...(await complete(account, progress, newPassword, next, kind, visitor, tx)), ...(recoveryCodes && { recoveryCodes }) };
        return { outcome, account };
      }
      await keepProgress(ticket, progress, newPassword, tx);
      if (now === 'in' || now === 'password') return { outcome: undefined, account };
      const outcome: Outcome = { step: now, ticket, username: account.username, factors: after.offered };
      return { outcome, account };
    });
    if (done.outcome?.step === 'in') await lockout.succeeded(done.account.username, visitor.remoteAddress);
    return done.outcome;
  };

  const completing = async (...args: Parameters<typeof step>): Promise<Outcome> => {
    const outcome = await step(...args);
    if (!outcome) throw refuse('session_empty');
    return outcome;
  };

  const look: SignInService['look'] = (ticket, kind) =>
    db.transaction().execute(async (tx) => {
      const pending = await takePending(ticket, kind, tx);
      if (!ticket || !pending) return undefined;
      const { account, progress } = pending;
      const { demands, offered } = await demandsOf(account, tx);
      const at = stepOf(progress, demands);
      if (at === 'in' || at === 'password') return undefined;
      return { step: at, ticket, username: account.username, name: account.name, userId: account.id, factors: offered };
    });

  /** Checks the proof outside of the lock of the sign-in: a wrong one must be counted although the step is refused. */
  const check = async (ticket: string | undefined, proof: Proof, kind: SignInKind, visitor: Visitor): Promise<void> => {
    const at = await look(ticket, kind);
    if (!ticket || at?.step !== 'mfa_required') throw refuse('session_empty');
    try {
      await factors.prove({ id: at.userId, username: at.username }, proof, holderOf(ticket), visitor.remoteAddress);
    } catch (error) {
      if (error instanceof Refusal) await log(db, visitor, at.username, at.userId, error.code === 'mfa_blocked' ? 'block_login' : 'mfa_failed');
      throw error;
    }
  };

  return {
    withPassword: (username, password, beginning) => turns(turnOf(beginning.visitor.remoteAddress, username), () => attempt(username, password, beginning)),
    async withProof(userId, first, beginning) {
      const account = await accountWhere(sql`a.id = ${userId}`);
      if (!account) throw refuse('session_empty');
      return begin(account, first, beginning);
    },
    look,
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
    enrol: (ticket, add, kind, visitor) =>
      completing(ticket, kind, visitor, 'enrolled', async ({ account }, tx) => {
        await add(holderOf(ticket ?? ''), account, tx);
        return { recoveryCodes: (await factors.added(account.id, tx)).recovery_codes };
      }),
    resume: (ticket, kind, visitor) => completing(ticket, kind, visitor, undefined, async () => ({})),
    cancel: (ticket) => dropPending(ticket, db),
    confirmPassword: ({ userId, username, remoteAddress }, password, field) =>
      turns(turnOf(remoteAddress, username), async () => {
        if (await lockout.isBlocked(username, remoteAddress)) throw refuseBlocked();
        if (await isPasswordOf(await accountWhere(sql`a.id = ${userId}`), password.slice(0, MAX_PASSWORD), remoteAddress, checkers)) return;
        await lockout.failed(username, remoteAddress);
        throw invalid(field, 'password_wrong');
      }),
  };
}
