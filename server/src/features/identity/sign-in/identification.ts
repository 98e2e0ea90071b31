import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { AppError, Rejected } from '../../../platform/errors.ts';
import { isSamePublicKey } from '../../../platform/ssh-keys.ts';
import type { LoginAttempt } from '../../audits/login-log.ts';
import {
  createSourceLimit,
  isAnyAsked,
  isPasswordOf,
  type PasswordChecker,
  pretendToAsk,
} from './password-checkers.ts';
import { ACCOUNT_COLUMNS, type SignInAccount } from './pending.ts';
import type { Beginning, SignInOptions, Visitor } from './types.ts';

/** With a directory, a failure takes at least this long, so that its duration does not reveal the kind of account. */
const FAILURE_MILLISECONDS = 250;
/** How an account is identified: a known one by what it is asked, one that is not known by a source that makes it. */
export interface Asking {
  /** What a wrong password or answer is refused as. */
  readonly refusal: 'password_failed' | 'challenge_failed';
  matches(known: SignInAccount | undefined): Promise<boolean>;
  provided(): Promise<SignInAccount | undefined>;
}

interface Parts extends Pick<SignInOptions, 'settings' | 'lockout'> {
  readonly db: Db;
  readonly checkers: () => readonly PasswordChecker[];
  readonly accountWhere: (condition: ReturnType<typeof sql>) => Promise<SignInAccount | undefined>;
  readonly log: (
    on: Db,
    visitor: Visitor,
    username: string,
    userId: string | undefined,
    reason: LoginAttempt['reason'],
  ) => Promise<void>;
}

/** Finds out whose password or public key somebody has; failures are counted and logged. */
export function createIdentification({
  db,
  settings,
  lockout,
  checkers,
  accountWhere,
  log,
}: Parts) {
  /** The new account for a username that has none here, created by a checker (such as a directory) that confirms the password. */
  const provided = async (
    username: string,
    password: string,
    remoteAddress: string,
  ): Promise<SignInAccount | undefined> => {
    for (const checker of checkers()) {
      const created = await checker.provision?.(username, password, remoteAddress);
      if (created) return accountWhere(sql`a.id = ${created}`);
    }
    return undefined;
  };

  const refuseBlocked = () =>
    new Rejected('block_login', { minutes: lockout.minutes() }, { error: 'block_login' });

  /**
   * The account of a username and a password. With a directory, failures do the same work and get the same answer, whether the username belongs to
   * a local account, to the directory, or to none. @throws AppError
   */
  const identify = async (
    known: SignInAccount | undefined,
    username: string,
    asking: Asking,
    visitor: Visitor,
  ): Promise<SignInAccount> => {
    const begun = performance.now();
    const inTime = createSourceLimit();
    let account = known;
    let reason: LoginAttempt['reason'] = 'user_not_exist';
    let failure: AppError | undefined;
    try {
      let matches = await inTime(asking.matches(known));
      if (!known) {
        account = await inTime(asking.provided());
        matches = account !== undefined;
      }
      if (account && matches) return account;
      if (known) {
        reason = asking.refusal;
        if (!checkers().some(({ source, pretend }) => pretend && source === known.source))
          await inTime(pretendToAsk(checkers()));
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
    if (isAnyAsked(checkers()))
      await setTimeout(Math.max(0, FAILURE_MILLISECONDS - (performance.now() - begun)));
    // The same answer for a wrong password and for a name that does not exist.
    throw (
      failure ??
      new Rejected(asking.refusal, { times, minutes: lockout.minutes() }, { error: asking.refusal })
    );
  };

  const passwordOf = (
    username: string,
    password: string,
    { visitor: { remoteAddress } }: Beginning,
  ): Asking => ({
    refusal: 'password_failed',
    matches: (known) => isPasswordOf(known, password, remoteAddress, checkers()),
    provided: () => provided(username, password, remoteAddress),
  });

  /** Whether an SSH key may be used with a username: one question, whatever the answer, so that its time tells nothing. */
  const isKeyOf = async (username: string, publicKey: Buffer): Promise<boolean> => {
    const { rows } = await sql<{
      public_key: string | null;
    }>`select public_key from account where username = ${username}`.execute(db);
    const line = rows[0]?.public_key;
    return Boolean(
      settings.get('TERMINAL_PUBLIC_KEY_AUTH') && line && isSamePublicKey(line, publicKey),
    );
  };

  /** The account whose profile has this public key, unless keys are disabled or the username or address is locked. @throws Rejected */
  const holderOfKey = async (
    username: string,
    publicKey: Buffer,
    visitor: Visitor,
  ): Promise<SignInAccount> => {
    const { rows } = await sql<SignInAccount & { public_key: string | null }>`
      select ${ACCOUNT_COLUMNS}, a.public_key from account a where a.username = ${username}`.execute(
      db,
    );
    const [account] = rows;
    if (await lockout.isBlocked(username, visitor.remoteAddress)) {
      await log(db, visitor, username, account?.id, 'block_login');
      throw refuseBlocked();
    }
    const isTheirs =
      settings.get('TERMINAL_PUBLIC_KEY_AUTH') &&
      account?.public_key &&
      isSamePublicKey(account.public_key, publicKey);
    if (account && isTheirs) return account;
    // Not counted as a failure: clients offer every key they have, and keys cannot be guessed.
    await log(db, visitor, username, account?.id, 'public_key_failed');
    throw new Rejected('public_key_failed', {}, { error: 'public_key_failed' });
  };

  return { refuseBlocked, identify, passwordOf, isKeyOf, holderOfKey };
}
