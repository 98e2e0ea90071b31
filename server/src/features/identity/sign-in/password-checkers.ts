import { verifyPassword } from '../../../platform/crypto/password.ts';

/** An account whose password is to be checked. */
export interface CheckedAccount {
  readonly id: string;
  readonly username: string;
  readonly source: string;
  /** The hash of a local password. */
  readonly password: string | null;
}

/** Who knows the passwords of the accounts of one source. */
export interface PasswordChecker {
  readonly source: string;
  /** Whether the password is the account's; `remoteAddress` is where whoever types it sits. */
  check(account: CheckedAccount, password: string, remoteAddress: string): Promise<boolean>;
  /** For a name that has no account here: makes the account when the source knows name and password; returns its id. */
  provision?(username: string, password: string, remoteAddress: string): Promise<string | undefined>;
}

const local: PasswordChecker = { source: 'local', check: ({ password: hashed }, password) => verifyPassword(hashed, password) };

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
  return checker ? checker.check(account, password, remoteAddress) : verifyPassword(undefined, password);
}
