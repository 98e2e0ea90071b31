/** Maximum sign-in name; no account has a longer one. */
export const MAX_NAME = 512;

/** The parsed sign-in name of an SSH client. */
export interface Destination {
  readonly username: string;
  /** The server to connect to; absent for the menu. */
  readonly target?: TargetName;
}

/** A server and an account, as the user names them. */
export interface TargetName {
  /** Hostname, IP address or id. */
  readonly asset: string;
  /** Name, login name or id of the system user. If absent, the permissions select the account. */
  readonly account: string | undefined;
}

/**
 * Parses `user@account@asset`. The last two `@` separate the parts. A name with one `@` is a whole
 * sign-in name, like an email address.
 * Permissions select an empty account (`user@@asset`). An empty account and asset (`user@@`) open
 * the menu for a sign-in name with two or more `@`.
 */
export function readDestination(text: string): Destination {
  // No account has control characters. The attempt is logged like any other unknown name.
  if (/\p{Cc}/u.test(text)) return { username: text.replace(/\p{Cc}/gu, '\uFFFD') };
  const parts = text.split('@');
  if (parts.length < 3) return { username: text };
  const asset = parts.at(-1) ?? '';
  const account = parts.at(-2) ?? '';
  const username = parts.slice(0, -2).join('@');
  if (asset !== '')
    return { username, target: { asset, account: account === '' ? undefined : account } };
  // `user@account@` names no server: use the whole name, which no account has.
  return account === '' ? { username } : { username: text };
}

/**
 * Parses `account@asset` or `asset`, as in `ssh -t bastion asset` and the menu. The last `@`
 * separates; account names may contain more.
 */
export function readTarget(text: string): TargetName {
  const at = text.lastIndexOf('@');
  return at < 0
    ? { asset: text, account: undefined }
    : { asset: text.slice(at + 1), account: text.slice(0, at) || undefined };
}

const SITE = /^site\+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns the id of a site from its sign-in name `site+ID`. No account has such a name. */
export const siteOf = (text: string): string | undefined => SITE.exec(text)?.[1];
