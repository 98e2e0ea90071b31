import { expect, it } from 'vitest';
import { escapeMisleading, isMisleading, isOperand, withoutMisleading } from './misleading.ts';

it.each([
  ['a control character', 'web\u0085'],
  ['a change of direction', 'web\u202e'],
  ['a zero width space', 'web\u200b1'],
  ['a word joiner', 'web\u20601'],
  ['a soft hyphen', 'web\u00ad1'],
  ['a byte order mark', 'web\ufeff1'],
  ['a filler of Hangul', 'web\u3164'],
  ['letters of a tag', 'web\u{e0041}'],
])('rejects names with %s', (_what, name) => {
  expect(isMisleading(name)).toBe(true);
  expect(isOperand(name)).toBe(false);
  expect(withoutMisleading(name)).toContain('\ufffd');
  expect(JSON.parse(escapeMisleading(JSON.stringify(name)))).toBe(name);
  expect(isMisleading(escapeMisleading(JSON.stringify(name)))).toBe(false);
});

it.each([
  'web-1',
  '生产-数据库',
  'می\u200cخواهم',
  '\u{1f468}\u200d\u{1f4bb}',
  '\u2764\ufe0f',
  'é',
  '한글',
])('accepts the name %s', (name) => {
  expect(isMisleading(name)).toBe(false);
  expect(escapeMisleading(name)).toBe(name);
});
