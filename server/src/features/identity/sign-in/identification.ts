import { setTimeout } from 'node:timers/promises';
import type { Db } from '../../../platform/db/database.ts';
import { executePrepared, sql } from '../../../platform/db/sql.ts';
import { AppError, Rejected } from '../../../platform/errors.ts';
import type { LoginAttempt } from '../../audits/index.ts';
import { isDeviceKey } from '../devices/ssh-keys.ts';
import { FACTOR_COLUMNS, type FactorSummary } from '../mfa/second-factors.ts';
import { noteUse, offeredKey, sshKeysOf, type UserSshKey } from '../ssh-keys/store.ts';
import { logAttempt } from './attempt-log.ts';
import { createImportedPasswords, type ImportedPasswords } from './imported-passwords.ts';
import { type Failures, failuresOf, type Lock } from './lockout.ts';
import {
  checkPassword,
  createSourceLimit,
  isAnyAsked,
  NotConfirmed,
  type PasswordChecker,
  pretendToAsk,
  unconfirmed,
} from './password-checkers.ts';
import { ACCOUNT_COLUMNS, accountById, type SignInAccount } from './pending.ts';
import type { Beginning, SignInOptions, Visitor } from './types.ts';
import { UsedKeys } from './used-keys.ts';

/**
 * Minimum duration of a failure with a directory, so that timing does not reveal the kind of
 * account.
 */
const FAILURE_MILLISECONDS = 250;
/**
 * How to identify an account: `matches` checks a known one, `provided` lets a source create an
 * unknown one.
 */
export interface Asking {
  /** Error code for a wrong password or answer. */
  readonly refusal: 'password_failed' | 'challenge_failed';
  matches(known: SignInAccount | undefined): Promise<boolean>;
  /** @throws NotConfirmed like `matches` */
  provided(): Promise<SignInAccount | undefined>;
  /** Called after a right password. */
  renew?(account: SignInAccount): Promise<SignInAccount>;
  /** Called after a wrong password, for equal timing. */
  pretend?(known: SignInAccount | undefined): Promise<void>;
}

interface Parts extends Pick<SignInOptions, 'settings' | 'lockout'> {
  readonly db: Db;
  readonly checkers: () => readonly PasswordChecker[];
}

/** The account of an offered key, with what decides its sign-in. */
type KeyHolder = Failures &
  FactorSummary &
  (
    | (SignInAccount & { readonly sshKeys: readonly UserSshKey[] })
    | { readonly id: null; readonly sshKeys: readonly [] }
  );

/** Reasons of the login log for a locked name and a locked address. */
export const LOCK_REASONS = {
  name: 'block_login',
  address: 'block_address',
} as const satisfies Record<Lock, LoginAttempt['reason']>;

/** Errors of sources without a usable answer. */
const UNREACHABLE: ReadonlySet<string> = new Set(['directory_unavailable', 'radius_unsigned']);

/** An account to identify and the sign-in that then begins. */
export interface Identifying {
  readonly username: string;
  readonly asking: Asking;
  readonly beginning: Beginning;
  /** Number of answered challenges. */
  readonly rounds?: number;
}

/** Identifies accounts by password or public key; counts and logs failures. */
export class Identification {
  private readonly parts: Parts;
  private readonly usedKeys = new UsedKeys();
  private readonly imported: ImportedPasswords;

  constructor(parts: Parts) {
    this.parts = parts;
    this.imported = createImportedPasswords(parts.db);
  }

  /** Returns the error of a locked name or address. Clients know one code for both. */
  refuseLocked(lock: Lock): Rejected {
    const minutes = this.parts.lockout.minutes();
    return new Rejected(LOCK_REASONS[lock], { minutes }, { error: 'block_login' });
  }

  /**
   * Returns the account of a username and a password. With a directory, failures take the same work
   * and give the same response for local accounts, directory accounts and unknown names.
   * @throws AppError
   */
  async identify(
    known: SignInAccount | undefined,
    username: string,
    asking: Asking,
    visitor: Visitor,
  ): Promise<SignInAccount> {
    const { db, lockout, checkers } = this.parts;
    const begun = performance.now();
    const inTime = createSourceLimit();
    let account = known;
    let reason: LoginAttempt['reason'] = 'user_not_exist';
    let failure: AppError | undefined;
    try {
      let answer = await inTime(asking.matches(known)).catch(unconfirmed);
      if (!known) {
        const provided = await inTime(asking.provided()).catch(unconfirmed);
        answer = provided instanceof NotConfirmed ? provided : provided !== undefined;
        account = provided instanceof NotConfirmed ? undefined : provided;
      }
      if (account && answer === true) {
        // The source may have just lifted its own ban.
        const current = account.is_active ? account : await accountById(account.id, db);
        return (await asking.renew?.(current ?? account)) ?? current ?? account;
      }
      await asking.pretend?.(known);
      const told = answer instanceof NotConfirmed ? answer.reason : undefined;
      if (known || told === 'password_failed') reason = told ?? asking.refusal;
      if (known) {
        if (!checkers().some(({ source, pretend }) => pretend && source === known.source))
          await inTime(pretendToAsk(checkers()));
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'busy') throw error;
      // Other refusals of a directory are not wrong passwords. An unreachable directory counts as a
      // wrong password for every username: otherwise the counter would reveal local accounts, or
      // their passwords could be guessed without being counted.
      if (!UNREACHABLE.has(error.code)) {
        await logAttempt(db, visitor, { username, userId: account?.id, reason: error.code });
        throw error;
      }
      failure = error;
      if (reason === 'user_not_exist') reason = error.code;
    }
    const times = await lockout.failed(username, visitor.remoteAddress);
    await logAttempt(db, visitor, { username, userId: known?.id, reason });
    if (isAnyAsked(checkers()))
      await setTimeout(Math.max(0, FAILURE_MILLISECONDS - (performance.now() - begun)));
    // Same error for a wrong password and an unknown name.
    throw (
      failure ??
      new Rejected(asking.refusal, { times, minutes: lockout.minutes() }, { error: asking.refusal })
    );
  }

  /** Identifies an account by its password. */
  byPassword(
    username: string,
    password: string,
    { visitor: { remoteAddress } }: Beginning,
  ): Asking {
    const { checkers } = this.parts;
    return {
      refusal: 'password_failed',
      matches: (known) => checkPassword(known, password, remoteAddress, checkers()),
      provided: () => this.provided(username, password, remoteAddress),
      renew: (account) => this.imported.renew(account, password),
      pretend: (known) => this.imported.pretend(known),
    };
  }

  /** Returns true if the key has signed its account in since the start of this server. */
  hasUsed(username: string, publicKey: Buffer): boolean {
    return this.usedKeys.has(username, publicKey);
  }

  /**
   * Returns true if an SSH key may be used with a username. It is a hint for the client: the
   * sign-in reads the key again. A single query for all keys but those that have signed in, so that
   * timing reveals no username.
   */
  async isKeyOf(username: string, publicKey: Buffer): Promise<boolean> {
    const { db, settings } = this.parts;
    if (settings.get('TERMINAL_PUBLIC_KEY_AUTH') && this.usedKeys.has(username, publicKey))
      return true;
    const [row] = await executePrepared(
      sql<{ keys: readonly UserSshKey[] }>`
        select ${sshKeysOf(sql`a.id`)} as keys from account a
        where a.id = account_named(${username})`,
      db,
    );
    const key = offeredKey(row?.keys ?? [], publicKey);
    if (!settings.get('TERMINAL_PUBLIC_KEY_AUTH')) return false;
    return key ? !key.isExpired : isDeviceKey(username, publicKey, db);
  }

  /**
   * Returns the account that has this public key, unless the key has expired, keys are disabled, or
   * the username is locked.
   * @throws Rejected
   */
  async holderOfKey(username: string, publicKey: Buffer, visitor: Visitor): Promise<SignInAccount> {
    const { db, settings, lockout } = this.parts;
    const [row] = await executePrepared(
      sql<KeyHolder>`
        select tried.*, ${ACCOUNT_COLUMNS}, ${sshKeysOf(sql`a.id`)} as "sshKeys",
          ${FACTOR_COLUMNS}
        from (${failuresOf(settings, username, visitor.remoteAddress)}) tried
          left join account a on a.id = account_named(${username})`,
      db,
    );
    const account = row && row.id !== null ? row : undefined;
    // Keys cannot be guessed, so names that others try at the address do not count.
    if (row && lockout.lockBy(username, row) === 'name') {
      const reason = LOCK_REASONS.name;
      await logAttempt(db, visitor, { username, userId: account?.id, reason });
      throw this.refuseLocked('name');
    }
    const key = offeredKey(account?.sshKeys ?? [], publicKey);
    if (account && key && !key.isExpired && settings.get('TERMINAL_PUBLIC_KEY_AUTH')) {
      this.usedKeys.add(username, publicKey);
      if (key.isUseNew) await noteUse(key.id, visitor.remoteAddress, db);
      const { totp, passkeys, recoveryCodes } = account;
      return { ...account, factors: { totp, passkeys, recoveryCodes } };
    }
    this.usedKeys.delete(username, publicKey);
    // Not counted as a failure: clients offer every key they have, and keys cannot be guessed.
    await logAttempt(db, visitor, {
      username,
      userId: account?.id,
      reason: key?.isExpired ? 'public_key_expired' : 'public_key_failed',
    });
    throw new Rejected('public_key_failed', {}, { error: 'public_key_failed' });
  }

  /**
   * Returns the new account for an unknown username, created by a checker (such as a directory)
   * that confirms the password.
   */
  private async provided(
    username: string,
    password: string,
    remoteAddress: string,
  ): Promise<SignInAccount | undefined> {
    const { checkers, db } = this.parts;
    let wrong: NotConfirmed | undefined;
    for (const checker of checkers()) {
      const created = await checker
        .provision?.(username, password, remoteAddress)
        .catch(unconfirmed);
      if (created instanceof NotConfirmed)
        wrong = created.reason === 'password_failed' ? created : wrong;
      else if (created) return accountById(created, db);
    }
    if (wrong) throw wrong;
    return undefined;
  }
}
