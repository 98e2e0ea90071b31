import { expect, it } from 'vitest';
import { createFilter } from './safe-output.ts';

it.each([
  ['colors and cursor movements', '\x1b[1;31mred\x1b[0m\x1b[2J\x1b[H\x1b[?25l', undefined],
  ['character sets and saved cursors', '\x1b(B\x1b7\x1b8\x1b=', undefined],
  ['a shape of the cursor', '\x1b[4 q', undefined],
  ['no title', 'a\x1b]0;title\x07b', 'ab'],
  ['no clipboard', 'a\x1b]52;c;cm0gLXJmIC8=\x1b\\b', 'ab'],
  ['no query of settings', 'a\x1bP$qm\x1b\\b', 'ab'],
  ['no request that the terminal answers', 'a\x1b[c\x1b[>0c\x1b[6n\x1b[18t\x1b[>q\x1bZ\x05b', 'ab'],
  ['no printing', 'a\x1b[5ib', 'ab'],
  ['no 8-bit sequence', 'a\x9d0;title\x9cb', 'a0;titleb'],
])('passes on %s', (_what, data, shown) => {
  expect(createFilter()(data)).toBe(shown ?? data);
  // The same when each character comes alone.
  const filter = createFilter();
  expect([...data].map((letter) => filter(letter)).join('')).toBe(shown ?? data);
});

it('drops a string without an end, and continues after it', () => {
  const filter = createFilter();
  expect(filter(`\x1b]0;${'x'.repeat(10_000)}`)).toBe('');
  expect(filter('y'.repeat(10_000))).toBe('');
  expect(filter('\x07after')).toBe('after');
});
