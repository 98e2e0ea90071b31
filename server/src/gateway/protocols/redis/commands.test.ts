import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isReadingCommand, wordsOfCommand } from './commands.ts';

it('parses quotes like redis-cli', () => {
  expect(wordsOfCommand(' set  key "a \\"b\\"\\n\\x41" ')).toEqual(['set', 'key', 'a "b"\nA']);
  expect(wordsOfCommand("set k 'it\\'s \\n'")).toEqual(['set', 'k', "it's \\n"]);
  expect(wordsOfCommand('')).toEqual([]);
  for (const wrong of ['get "a', "get 'a", 'get "a"b'])
    expect(wordsOfCommand(wrong)).toBeUndefined();
});

it('parses quoted words back unchanged', () => {
  const quote = (word: string) => `"${word.replace(/[\\"]/g, '\\$&')}"`;
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), (words) => {
      expect(wordsOfCommand(words.map(quote).join(' '))).toEqual(words);
    }),
    runs(200),
  );
});

it('accepts only known read commands as reading', () => {
  for (const words of [
    ['GET', 'a'],
    ['hgetall', 'a'],
    ['MEMORY', 'usage', 'a'],
  ])
    expect(isReadingCommand(words)).toBe(true);
  for (const words of [
    ['set', 'a', '1'],
    ['eval', 'return 1', '0'],
    ['memory', 'PURGE'],
    ['config', 'set'],
    ['flushall'],
    ['hello', '3'],
    [],
  ])
    expect(isReadingCommand(words)).toBe(false);
});
