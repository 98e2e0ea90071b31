import { describe, expect, it } from 'vitest';
import { asksForPassword, sentBody } from './password-strategy.ts';

describe('the password of an account', () => {
  it.each([
    [
      'is asked for where an administrator sets it',
      { source: 'local', password_strategy: 1 },
      false,
      true,
    ],
    ['is chosen by mail', { source: 'local', password_strategy: 0 }, false, false],
    ['is kept elsewhere', { source: 'ldap', password_strategy: 1 }, false, false],
    ['stays as it is', { source: 'local', password_strategy: '' }, true, false],
    [
      'is changed on request',
      { source: 'local', password_strategy: '', update_password: true },
      true,
      true,
    ],
    [
      'is not changed where it is kept elsewhere',
      { source: 'ldap', update_password: true },
      true,
      false,
    ],
  ])('%s', (_, values, updating, asked) => {
    expect(asksForPassword(values, updating)).toBe(asked);
  });

  it('is not sent when the link is mailed, even if it was typed before', () => {
    const values = { source: 'local', password_strategy: 0, password: 'typed before' };
    expect(sentBody({ name: 'A', password_strategy: 0, password: 'typed before' }, values)).toEqual(
      { name: 'A', password_strategy: 0 },
    );
  });

  it('is sent with the strategy that asks for it', () => {
    const values = { source: 'local', password_strategy: 1, password: 'secret' };
    expect(sentBody({ password_strategy: 1, password: 'secret' }, values)).toEqual({
      password_strategy: 1,
      password: 'secret',
    });
  });

  it('is sent alone when an account is changed', () => {
    const values = { source: 'local', update_password: true, password: 'secret' };
    expect(sentBody({ password: 'secret' }, values)).toEqual({ password: 'secret' });
  });

  it('is nothing to accounts whose password is kept elsewhere', () => {
    expect(
      sentBody(
        { name: 'A', password_strategy: 0, password: 'x' },
        { source: 'ldap', password_strategy: 0 },
      ),
    ).toEqual({ name: 'A' });
  });
});
