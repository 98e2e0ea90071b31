import { verifyPassword } from '../../../platform/crypto/password.ts';
import { Unavailable } from '../../../platform/errors.ts';

/** How long all the sources of one sign-in may take together, in milliseconds: each has its own limit, and they are asked one after the other. */
const ALL_SOURCES_MILLISECONDS = 120_000;

/** An account whose password is to be checked. */
export interface CheckedAccount {
  readonly id: string;
  readonly username: string;
  readonly source: string;
  /** The hash of a local password. */
  readonly password: string | null;
}

/** A question that a source asks in answer to a right password, such as for the code of a token. */
export interface Challenge {
  /** The server that asked, and what it wants to see again with the answer. */
  readonly server: string;
  readonly state: Buffer | undefined;
  /** What the person reads. */
  readonly message: string;
}

/** A source asks more than a password. No error of the person: the sign-in goes on with the answer. */
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

/** Who knows the passwords of the accounts of one source. */
export interface PasswordChecker {
  readonly source: string;
  /** Whether the password is the account's; `remoteAddress` is the address of the client. @throws ChallengeAsked */
  check(account: CheckedAccount, password: string, remoteAddress: string): Promise<boolean>;
  /** Whether an answer to a challenge is right. @throws ChallengeAsked for a further question */
  answer?(
    username: string,
    answer: string,
    challenge: Pick<Challenge, 'server' | 'state'>,
  ): Promise<boolean>;
  /** Makes the account of a name that the source has just confirmed; returns its id. */
  confirmed?(username: string, remoteAddress: string): Promise<string | undefined>;
  /** Does the work of asking the source about a name that it does not know. @throws Unavailable when the source cannot be asked */
  pretend?(): Promise<void>;
  /** Whether the source is asked at all at present. */
  isAsked?(): boolean;
  /** For a name that has no account here: makes the account when the source knows name and password; returns its id. */
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

/** The checker of local passwords, and the others in their order. */
export function allCheckers(others: readonly PasswordChecker[]): readonly PasswordChecker[] {
  return [local, ...others];
}

/** Asks the source of an account. Without a checker, or without an account, it takes as long as a local one and says no. */
export async function isPasswordOf(
  account: CheckedAccount | undefined,
  password: string,
  remoteAddress: string,
  checkers: readonly PasswordChecker[],
): Promise<boolean> {
  const checker = account && checkers.find(({ source }) => source === account.source);
  if (!checker) return verifyPassword(undefined, password);
  if (checker === local) return checker.check(account, password, remoteAddress);
  // The work of a local check as well: the time must not tell where a password is kept.
  const [matches] = await Promise.all([
    checker.check(account, password, remoteAddress),
    verifyPassword(undefined, password),
  ]);
  return matches;
}

/** Asks each source about a random username, so that usernames it does not know take the same time. @throws Unavailable when a source cannot be reached */
export async function pretendToAsk(checkers: readonly PasswordChecker[]): Promise<void> {
  for (const checker of checkers) await checker.pretend?.();
}

/** Whether a source other than our own accounts is asked at present. */
export function isAnyAsked(checkers: readonly PasswordChecker[]): boolean {
  return checkers.some((checker) => checker.isAsked?.() === true);
}

/** Waits for what sources answer, until the time of one sign-in is over. @throws Unavailable */
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
    // Nobody waits any more for one that comes too late.
    answer.catch(() => undefined);
    return Promise.race([answer, over]).finally(() => clearTimeout(timer));
  };
}
