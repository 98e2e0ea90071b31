import { DESKTOP_PROTOCOLS, type GrantedSystemUser, TERMINAL_PROTOCOLS } from '@sallyport/contract';

/** Whether an account opens a desktop, and not a terminal. */
export const opensDesktop = ({ protocol }: Pick<GrantedSystemUser, 'protocol'>): boolean =>
  DESKTOP_PROTOCOLS.some((name) => name === protocol);

/** The accounts that open here, in a terminal or as a desktop, the highest priority first. */
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

/** Of the usable accounts, those to offer unasked: the ones with the numerically highest priority. */
export function offeredAccounts(usable: readonly GrantedSystemUser[]): GrantedSystemUser[] {
  const highest = Math.max(...usable.map(({ priority }) => priority));
  return usable.filter(({ priority }) => priority === highest);
}

/** How an account is shown: its name, and the login name when that says more. */
export function accountLabel({
  name,
  username,
}: Pick<GrantedSystemUser, 'name' | 'username'>): string {
  return username && username !== name ? `${name} (${username})` : name;
}
