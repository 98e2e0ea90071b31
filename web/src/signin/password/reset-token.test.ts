import { expect, it } from 'vitest';
import { resetToken } from './reset-token.ts';

it.each([
  ['#token=abc-_1', '', 'abc-_1'],
  ['', '?token=abc', 'abc'],
  ['#token=new', '?token=old', 'new'],
  ['', '', ''],
  ['#', '?next=1', ''],
])('the token of %j and %j is %j', (hash, search, token) => {
  expect(resetToken({ hash, search })).toBe(token);
});
