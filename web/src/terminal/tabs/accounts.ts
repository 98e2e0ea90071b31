import { DESKTOP_PROTOCOLS, type GrantedSystemUser, TERMINAL_PROTOCOLS } from '@sallyport/contract';

/** Returns true if an account opens a desktop instead of a terminal. */
export const opensDesktop = ({ protocol }: Pick<GrantedSystemUser, 'protocol'>): boolean =>
  DESKTOP_PROTOCOLS.some((name) => name === protocol);

/** The accounts that open a terminal or a desktop, highest priority first. */
export function usableAccounts(granted: readonly GrantedSystemUser[]): GrantedSystemUser[] {
  const opens = (account: GrantedSystemUser) =>
    opensDesktop(account) || TERMINAL_PROTOCOLS.some((protocol) => protocol === account.protocol);
  return granted
    .filter(
      (account) =>
        opens(account) &&
        account.actions.some((action) => action === 'connect' || action === 'all'),
    )
    .toSorted((one, other) => other.priority - one.priority);
}

/** Returns the usable accounts with the highest priority, which are offered first. */
export function offeredAccounts(usable: readonly GrantedSystemUser[]): GrantedSystemUser[] {
  const highest = Math.max(...usable.map(({ priority }) => priority));
  return usable.filter(({ priority }) => priority === highest);
}

/** Returns the label of an account: its name, and the login name if it differs. */
export function accountLabel({
  name,
  username,
}: Pick<GrantedSystemUser, 'name' | 'username'>): string {
  return username && username !== name ? `${name} (${username})` : name;
}
