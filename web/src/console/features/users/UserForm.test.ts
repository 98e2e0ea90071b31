import { describe, expect, it } from 'vitest';
import { asksForPassword, sentBody } from './UserForm.tsx';

describe('the password of an account', () => {
  it.each([
    ['if the administrator sets it', { source: 'local', password_strategy: 1 }, false, true],
    ['if the user chooses it by mail', { source: 'local', password_strategy: 0 }, false, false],
    ['for an external source', { source: 'ldap', password_strategy: 1 }, false, false],
    ['if it stays unchanged', { source: 'local', password_strategy: '' }, true, false],
    [
      'if the administrator changes it',
      { source: 'local', password_strategy: '', update_password: true },
      true,
      true,
    ],
    ['on a change for an external source', { source: 'ldap', update_password: true }, true, false],
  ])('decides on the password field %s', (_, values, updating, asked) => {
    expect(asksForPassword(values, updating)).toBe(asked);
  });

  it('omits a typed password when the user receives a link by mail', () => {
    const values = { source: 'local', password_strategy: 0, password: 'typed before' };
    expect(sentBody({ name: 'A', password_strategy: 0, password: 'typed before' }, values)).toEqual(
      { name: 'A', password_strategy: 0 },
    );
  });

  it('sends the password with the strategy that requires one', () => {
    const values = { source: 'local', password_strategy: 1, password: 'secret' };
    expect(sentBody({ password_strategy: 1, password: 'secret' }, values)).toEqual({
      password_strategy: 1,
      password: 'secret',
    });
  });

  it('sends only the password when an account changes', () => {
    const values = { source: 'local', update_password: true, password: 'secret' };
    expect(sentBody({ password: 'secret' }, values)).toEqual({ password: 'secret' });
    expect(sentBody({ password_strategy: '', name: 'A' }, values)).toEqual({ name: 'A' });
  });

  it('takes the duty from an ordinary user', () => {
    const values = { source: 'local', role: 'User', duty: 'audit' };
    expect(sentBody({ role: 'User', duty: 'audit' }, values)).toEqual({ role: 'User', duty: '' });
  });

  it('omits password and strategy for accounts of an external source', () => {
    expect(
      sentBody(
        { name: 'A', password_strategy: 0, password: 'x' },
        { source: 'ldap', password_strategy: 0 },
      ),
    ).toEqual({ name: 'A' });
  });
});
