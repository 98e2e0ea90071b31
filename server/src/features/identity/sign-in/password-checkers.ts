import { verifyPassword } from '../../../platform/crypto/password.ts';
import { Unavailable } from '../../../platform/errors.ts';

/**
 * Timeout of all sources of one sign-in together, in milliseconds. Each has its own timeout, and
 * they are called in turn.
 */
const ALL_SOURCES_MILLISECONDS = 120_000;

/** Account whose password is checked. */
export interface CheckedAccount {
  readonly id: string;
  readonly username: string;
  readonly source: string;
  /** Hash of a local password. */
  readonly password: string | null;
}

/** Further question of a source after a right password, such as for the code of a token. */
export interface Challenge {
  /** The server that asked, and the state that the answer must return. */
  readonly server: string;
  readonly state: Buffer | undefined;
  /** Text for the user. */
  readonly message: string;
}

/**
 * Thrown when a source asks a further question. Not an error of the user: the sign-in continues
 * with the answer.
 */
export class ChallengeAsked extends Error {
  override readonly name = 'ChallengeAsked';
  readonly source: string;
  readonly challenge: Challenge;
  constructor(source: string, challenge: Challenge) {
    super('the source of the password asks a question');
    this.source = source;
    this.challenge = challenge;
  }
}

/**
 * Thrown when a source does not confirm a name and a password, with the reason for the sign-in log.
 * The user reads the same as for every wrong password.
 */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed';
  readonly reason: 'password_failed' | 'directory_unknown_person';
  constructor(reason: NotConfirmed['reason']) {
    super('the source does not confirm the password');
    this.reason = reason;
  }
}

/** Checker of the passwords of one source. */
export interface PasswordChecker {
  readonly source: string;
  /**
   * Returns true if the password is right; `remoteAddress` is the client's address.
   * @throws ChallengeAsked, NotConfirmed, Rejected if the source refuses the account
   */
  check(account: CheckedAccount, password: string, remoteAddress: string): Promise<boolean>;
  /**
   * Returns true if the answer to a challenge is right.
   * @throws ChallengeAsked for a further question
   */
  answer?(
    username: string,
    answer: string,
    challenge: Pick<Challenge, 'server' | 'state'>,
  ): Promise<boolean>;
  /** Creates the account for a username that the source has just confirmed; returns its id. */
  confirmed?(username: string, remoteAddress: string): Promise<string | undefined>;
  /**
   * Queries the source about an unknown name, for equal timing.
   * @throws Unavailable if the source cannot be reached
   */
  pretend?(): Promise<void>;
  /** Returns true if the source is currently enabled. */
  isAsked?(): boolean;
  /**
   * Creates the account of an unknown username if the source confirms name and password; returns
   * its id.
   * @throws NotConfirmed, Rejected if the source refuses the account
   */
  provision?(
    username: string,
    password: string,
    remoteAddress: string,
  ): Promise<string | undefined>;
}

const local: PasswordChecker = {
  source: 'local',
  check: ({ password: hashed }, password) => verifyPassword(hashed, password),
};

/** Returns the checker of local passwords and the others in order. */
export function allCheckers(others: readonly PasswordChecker[]): readonly PasswordChecker[] {
  return [local, ...others];
}

/**
 * Checks a password at the account's source. Without a checker or an account, it takes as long as a
 * local check and returns false.
 * @throws NotConfirmed
 */
export async function checkPassword(
  account: CheckedAccount | undefined,
  password: string,
  remoteAddress: string,
  checkers: readonly PasswordChecker[],
): Promise<boolean> {
  const checker = account && checkers.find(({ source }) => source === account.source);
  if (!checker) return verifyPassword(undefined, password);
  if (checker === local) return checker.check(account, password, remoteAddress);
  // Include the work of a local check: timing must not reveal the account's source.
  const [matches] = await Promise.all([
    checker.check(account, password, remoteAddress).catch(unconfirmed),
    verifyPassword(undefined, password),
  ]);
  if (matches instanceof NotConfirmed) throw matches;
  return matches;
}

/** Returns an error that says that a password is not confirmed. Rethrows other errors. */
export function unconfirmed(error: unknown): NotConfirmed {
  if (error instanceof NotConfirmed) return error;
  throw error;
}

/**
 * Queries each source about a random username, so that unknown usernames take the same time.
 * @throws Unavailable if a source cannot be reached
 */
export async function pretendToAsk(checkers: readonly PasswordChecker[]): Promise<void> {
  for (const checker of checkers) await checker.pretend?.();
}

/** Returns true if any source other than our own accounts is enabled. */
export function isAnyAsked(checkers: readonly PasswordChecker[]): boolean {
  return checkers.some((checker) => checker.isAsked?.() === true);
}

/**
 * Creates a function that waits for answers of sources within the time of one sign-in.
 * @throws Unavailable
 */
export function createSourceLimit(
  milliseconds = ALL_SOURCES_MILLISECONDS,
): <T>(answer: Promise<T>) => Promise<T> {
  const end = performance.now() + milliseconds;
  return async (answer) => {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () =>
          reject(new Unavailable('directory_unavailable', {}, { error: 'directory_unavailable' })),
        Math.max(0, end - performance.now()),
      );
    });
    // Drop late answers: the caller has already timed out.
    answer.catch(() => undefined);
    return Promise.race([answer, over]).finally(() => clearTimeout(timer));
  };
}
