import type { GrantedSystemUser } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { accountLabel, offeredAccounts, usableAccounts } from './accounts.ts';

const account = (
  name: string,
  priority: number,
  part: Partial<GrantedSystemUser> = {},
): GrantedSystemUser => ({
  id: name,
  name,
  username: name,
  priority,
  protocol: 'ssh',
  login_mode: 'auto',
  sftp_root: 'home',
  username_same_with_user: false,
  actions: ['connect'],
  ...part,
});

describe('which accounts are offered', () => {
  it('offers those of the highest priority only', () => {
    expect(
      offeredAccounts([account('low', 10), account('a', 81), account('b', 81)]).map(({ id }) => id),
    ).toEqual(['a', 'b']);
  });

  it('does not let an account of another protocol or without the right to connect hide a usable one', () => {
    const granted = [
      account('mysql', 99, { protocol: 'mysql' }),
      account('files', 98, { actions: ['upload_file'] }),
      account('ops', 20, { actions: ['all'] }),
    ];
    expect(offeredAccounts(usableAccounts(granted)).map(({ id }) => id)).toEqual(['ops']);
  });

  it('lists every usable account, highest priority first', () => {
    const granted = [
      account('by hand', 5),
      account('mysql', 99, { protocol: 'mysql' }),
      account('ops', 20),
    ];
    expect(usableAccounts(granted).map(({ id }) => id)).toEqual(['ops', 'by hand']);
  });

  it('offers no account when none is granted', () => {
    expect(offeredAccounts([])).toEqual([]);
  });

  it('shows the login name only when it differs from the account name', () => {
    expect(accountLabel({ name: 'ops', username: 'ops' })).toBe('ops');
    expect(accountLabel({ name: 'deploy', username: 'www' })).toBe('deploy (www)');
  });
});
