import { type GrantedSystemUser, TERMINAL_PROTOCOLS } from '@sallyport/contract';

/** From this many accounts on a select replaces the radio buttons. */
export const SELECT_FROM = 5;

/** The accounts to offer: those whose protocol opens in a terminal, and of them the ones with the numerically highest priority. */
export function offeredAccounts(granted: readonly GrantedSystemUser[]): GrantedSystemUser[] {
  const opens = (account: GrantedSystemUser) => TERMINAL_PROTOCOLS.some((protocol) => protocol === account.protocol);
  const usable = granted.filter((account) => opens(account) && account.actions.some((action) => action === 'connect' || action === 'all'));
  const highest = Math.max(...usable.map(({ priority }) => priority));
  return usable.filter(({ priority }) => priority === highest);
}

/** How an account is shown: its name, and the login name when that says more. */
export function accountLabel({ name, username }: Pick<GrantedSystemUser, 'name' | 'username'>): string {
  return username && username !== name ? `${name} (${username})` : name;
}
