import { expect, it } from 'vitest';
import { resetToken } from './ResetPassword.tsx';

it.each([
  ['#token=abc-_1', '', 'abc-_1'],
  ['', '?token=abc', 'abc'],
  ['#token=new', '?token=old', 'new'],
  ['', '', ''],
  ['#', '?next=1', ''],
])('reads from hash %j and query %j the token %j', (hash, search, token) => {
  expect(resetToken({ hash, search })).toBe(token);
});
