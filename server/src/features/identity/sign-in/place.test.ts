import { expect, it } from 'vitest';
import { accountKey } from './place.ts';

it.each([
  ['Alice', 'alice'],
  ['ａlice', 'alice'],
  ['al\u200bi\u00adce', 'alice'],
  [' alice  ', 'alice'],
  ['alice@corp', 'alice'],
  ['ALICE@corp.example.com', 'alice'],
  ['@alice', '@alice'],
  ['@alice@corp', '@alice'],
  ['ﬁn', 'fin'],
])('counts the name %j as %j', (typed, key) => {
  expect(accountKey(typed)).toBe(key);
});
