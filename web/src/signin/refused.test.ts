import { ERRORS } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { refusedText } from './refused.ts';

it.each([
  ['?refused=user_inactive', ERRORS.user_inactive],
  ['?next=/ui/&refused=session_empty', ERRORS.session_empty],
  ['', undefined],
  ['?refused=', undefined],
  ['?refused=constructor', undefined],
  ['?refused=block_login', undefined],
  ['?refused=<b>words of a stranger</b>', undefined],
])('returns for the query %j the text %j', (search, text) => {
  expect(refusedText(search)).toBe(text);
});
