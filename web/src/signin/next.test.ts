import { describe, expect, it } from 'vitest';
import { safeNext } from './flow.ts';

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
