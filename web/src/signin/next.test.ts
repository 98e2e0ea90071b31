import { describe, expect, it } from 'vitest';
import { safeNext, withBase } from './flow.ts';

describe('safeNext', () => {
  it.each(['/', '/ui/', '/ui/users/users?offset=15#x', '/luna/?login_to=1'])(
    'accepts %s',
    (value) => {
      expect(safeNext(value)).toBe(value);
    },
  );

  it.each([
    '',
    null,
    undefined,
    'ui/',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/ui\n',
  ])('rejects %j', (value) => {
    expect(safeNext(value)).toBeUndefined();
  });
});

describe('withBase', () => {
  it.each([
    ['/users/users?search=x', '/ui/users/users?search=x'],
    ['/dashboard', '/ui/dashboard'],
    ['/corebank', '/ui/corebank'],
    ['/', '/'],
    ['/ui', '/ui'],
    ['/ui/users/users', '/ui/users/users'],
    ['/core/console/users/users', '/core/console/users/users'],
    ['/luna/?login_to=1', '/luna/?login_to=1'],
    ['/koko/elfinder/sftp/?', '/koko/elfinder/sftp/?'],
  ])('completes %s to %s', (path, expected) => {
    expect(withBase(path)).toBe(expected);
  });
});
