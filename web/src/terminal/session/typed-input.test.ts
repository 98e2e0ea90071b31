import { describe, expect, it } from 'vitest';
import { typedInput } from './typed-input.ts';

describe('what somebody typed', () => {
  it.each([
    'a',
    '世界',
    '\r',
    '\x03',
    '\x1b',
    '\x1b[A',
    '\x1bOA',
    '\x1b[1;5C',
    '\x1b[3~',
    '\x1b[15~',
    '\x1bb',
    'ls -la\rpwd',
  ])('recognizes %j as typed', (text) => {
    expect(typedInput(text)).toEqual({ kind: 'keys', text });
  });

  it('returns a paste without its marks', () => {
    expect(typedInput('\x1b[200~one\rtwo\x1b[201~')).toEqual({ kind: 'paste', text: 'one\rtwo' });
  });

  it.each([
    '\x1b[?1;2c',
    '\x1b[>0;276;0c',
    '\x1b[0n',
    '\x1b[12;40R',
    '\x1b[I',
    '\x1b[O',
    '\x1b[<0;10;5M',
    '\x1b[<0;10;5m',
    '\x1b[M !!',
    '\x1bP1$r0m\x1b\\',
    '\x1b]11;rgb:00/00/00\x07',
    '\x1b[?2004;1$y',
  ])('ignores %j, an answer of the terminal', (data) => {
    expect(typedInput(data)).toBeNull();
  });
});
