import { expect, it } from 'vitest';
import { say } from './text.ts';

const rows = {
  en: '{count, plural, one {# row is} other {# rows are}} selected',
  zh: '已选 {count, number} 行',
};

it.each([
  [0, '0 rows are selected', '已选 0 行'],
  [1, '1 row is selected', '已选 1 行'],
  [2, '2 rows are selected', '已选 2 行'],
  [21, '21 rows are selected', '已选 21 行'],
  [12_345, '12,345 rows are selected', '已选 12,345 行'],
])('formats %d with English plural forms and the one Chinese form', (count, en, zh) => {
  expect(say(rows, 'en', { count })).toBe(en);
  expect(say(rows, 'zh', { count })).toBe(zh);
});

it('fills several placeholders, each with its own plural', () => {
  const text = {
    en: '{date}: {a, plural, one {# session} other {# sessions}}, {b, plural, one {# person} other {# people}}',
    zh: '',
  };
  expect(say(text, 'en', { date: 'today', a: 1, b: 1500 })).toBe('today: 1 session, 1,500 people');
});

it("writes numbers plainly, texts in the reader's language, and keeps unknown placeholders", () => {
  const text = { en: '{port} {what} {missing} {missing, number}', zh: '{port} {what}' };
  const what = { en: 'gateway', zh: '网关' };
  expect(say(text, 'en', { port: 22_022, what })).toBe('22022 gateway {missing} {missing, number}');
  expect(say(text, 'zh', { port: 22_022, what })).toBe('22022 网关');
});
