import { expect, it } from 'vitest';
import { OutputFilter } from './output-filter.ts';

const filtered = (data: string, types = false) => new OutputFilter(types).filter(data);

it.each([
  [
    'colors and cursor movements',
    '\x1b[1;31mred\x1b[38:2::1:2:3m\x1b[2J\x1b[H\x1b[?25l',
    undefined,
  ],
  ['character sets and saved cursors', '\x1b(0\x0e\x0f\x1b(B\x1b7\x1b8\x1b[s\x1b[u', undefined],
  [
    'scroll regions and the other screen',
    '\x1b[2;20r\x1b[3S\x1b[?1049h\x1b[4h\x1b[?6;7l',
    undefined,
  ],
  ['a shape of the cursor', '\x1b[4 q', undefined],
  ['a control character inside of a sequence, before it', '\x1b[3\n1mx', '\n\x1b[31mx'],
  [
    'the sequence after an aborted one',
    'a\x1b[3\x181mb\x1b[3\x1b[4mc\x1b]0;x\x1a!',
    'a1mb\x1b[4mc!',
  ],
  ['no title', 'a\x1b]0;title\x07b', 'ab'],
  ['no title after a line break', 'a\x1b\n]0;title\x07b', 'a\nb'],
  ['no title after ESC ESC', 'a\x1b\x1b]0;t\x07b', 'ab'],
  ['no clipboard', 'a\x1b]52;c;cm0gLXJmIC8=\x1b\\b', 'ab'],
  ['no clipboard after NUL or DEL', 'a\x1b\0]52;c;eA==\x07\x1b\x7f]52;c;eA==\x07b', 'ab'],
  ['no link', 'a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\', 'ab'],
  ['no query of settings', 'a\x1bP$qm\x1b\\b', 'ab'],
  ['no BEL as the end of a device string', 'a\x1bP1\x07;2\x1b\\b\x1b^pm\x07x\x9cc', 'abc'],
  ['no request that the terminal answers', 'a\x1b[c\x1b[>0c\x1b[6n\x1b[18t\x1b[>q\x1bZ\x05b', 'ab'],
  ['no request with characters inside', 'a\x1b[6\nn\x1b[\0c\x1b[6\x7fn\x1b[?2026$p\x1b[?u', 'a\n'],
  ['no printing', 'a\x1b[5ib', 'ab'],
  ['no window and no margins by CSI s', 'a\x1b[8;3;3t\x1b[1;5sb', 'ab'],
  ['no other coding', 'a\x1b%@\x1b%Gb\x1b F', 'ab'],
  ['no mode of keyboard and mouse', 'a\x1b[?1;25;2004;1000h\x1b[>4;2m\x1b=b', 'a\x1b[?25hb'],
  ['no mouse tracking by CSI T', 'a\x1b[1;2;3;4;5Tb', 'ab'],
  ['no endless repetition', 'a\x1b[999999999bb\x1b[0000000001b', 'ab'],
  ['no erased history', 'a\x1b[3Jb\x1b[0;03Jc\x1b[?3Jd\x1b[2J', 'abcd\x1b[2J'],
  ['no 8-bit sequence', 'a\x9d0;title\x9cb\x9b6n', 'a0;titleb6n'],
])('passes %s', (_what, data, expected) => {
  expect(filtered(data)).toBe(expected ?? data);
  // The same when each character comes alone.
  const filter = new OutputFilter();
  expect([...data].map((letter) => filter.filter(letter)).join('')).toBe(expected ?? data);
});

it('passes modes of keyboard and mouse to a viewer who types', () => {
  const data = '\x1b[?1;1006;2004h\x1b=\x1b[?25l';
  expect(filtered(data, true)).toBe(data);
  expect(filtered('\x1b[?2026h\x1b[6n\x1b]0;x\x07', true)).toBe('');
});

it('drops strings and sequences without an end, and continues after them', () => {
  const filter = new OutputFilter();
  expect(filter.filter(`\x1b]0;${'x'.repeat(10_000)}`)).toBe('');
  expect(filter.filter('y'.repeat(10_000))).toBe('');
  expect(filter.filter('\x07after')).toBe('after');
  expect(filter.filter(`\x1b[${'1;'.repeat(10_000)}`)).toBe('');
  expect(filter.filter('31mafter')).toBe('after');
});
