import type { GrantedSystemUser } from '@sallyport/contract';

/** From this many accounts on a select replaces the radio buttons. */
export const SELECT_FROM = 5;

/** The accounts to offer: those for this protocol, and of them the ones with the numerically highest priority. */
export function offeredAccounts(granted: readonly GrantedSystemUser[], protocol = 'ssh'): GrantedSystemUser[] {
  const usable = granted.filter((account) => account.protocol === protocol && account.actions.some((action) => action === 'connect' || action === 'all'));
  const highest = Math.max(...usable.map(({ priority }) => priority));
  return usable.filter(({ priority }) => priority === highest);
}

/** How an account is shown: its name, and the login name when that says more. */
export function accountLabel({ name, username }: Pick<GrantedSystemUser, 'name' | 'username'>): string {
  return username && username !== name ? `${name} (${username})` : name;
}
