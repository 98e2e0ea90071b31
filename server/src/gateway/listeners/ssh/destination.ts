/** Longer names are nobody's. */
export const MAX_NAME = 512;

/** What the name that an SSH client signs in with means. */
export interface Destination {
  /** The sign-in name. */
  readonly username: string;
  /** The server to go to; absent for the menu. */
  readonly target?: TargetName;
}

/** A server and an account on it, as people name them. */
export interface TargetName {
  /** Hostname, IP address or id. */
  readonly asset: string;
  /** The system user's name, its login name or its id; absent where the account follows from the permissions. */
  readonly account: string | undefined;
}

/**
 * Reads `user@account@asset`. The last two `@` separate, whatever exists: a name that has one `@` is a sign-in name as a whole, like a mail address. An
 * empty account is chosen by the permissions (`user@@asset`); an empty account and an empty asset (`user@@`) open the menu for a sign-in name with two or more `@`.
 */
export function readDestination(text: string): Destination {
  // No name has a control character. The attempt is logged like one with any other unknown name.
  if (/\p{Cc}/u.test(text)) return { username: text.replace(/\p{Cc}/gu, '\uFFFD') };
  const parts = text.split('@');
  if (parts.length < 3) return { username: text };
  const asset = parts.at(-1) ?? '';
  const account = parts.at(-2) ?? '';
  const username = parts.slice(0, -2).join('@');
  if (asset !== '')
    return { username, target: { asset, account: account === '' ? undefined : account } };
  // `user@account@` names no server: the name is taken as it is, and nobody has it.
  return account === '' ? { username } : { username: text };
}

/** Reads `account@asset` or `asset`, as `ssh -t bastion asset` and the menu take it. The last `@` separates; account names may have others. */
export function readTarget(text: string): TargetName {
  const at = text.lastIndexOf('@');
  return at < 0
    ? { asset: text, account: undefined }
    : { asset: text.slice(at + 1), account: text.slice(0, at) || undefined };
}
