import { describe, expect, it } from 'vitest';
import { DrawnLine, placeBehind } from './line-layout.ts';

describe('the cursor position after a text', () => {
  it.each([
    ['', { row: 0, column: 0 }],
    ['abcd', { row: 0, column: 4 }],
    ['abcde', { row: 1, column: 0 }],
    ['abcdef', { row: 1, column: 1 }],
    ['中文', { row: 0, column: 4 }],
    ['中文字', { row: 1, column: 2 }],
    ['abcdefghij', { row: 2, column: 0 }],
  ])('places the cursor after %j in five columns', (text, place) => {
    expect(placeBehind(text, 5)).toEqual(place);
  });
});

describe('a drawn line', () => {
  const drawn = () => {
    const output: string[] = [];
    const line = new DrawnLine(
      (text) => void output.push(text),
      () => 5,
    );
    return { line, last: () => output.at(-1) };
  };

  it('returns to the row in which the line began', () => {
    const { line, last } = drawn();
    line.draw('> abcdef', '');
    expect(last()).toBe('\r\x1b[J> abcdef');
    line.draw('> abcde', '');
    expect(last()).toBe('\x1b[1A\r\x1b[J> abcde');
    line.leave();
    line.draw('> ', '');
    expect(last()).toBe('\r\x1b[J> ');
  });

  it('places the cursor between two texts, also above the last row', () => {
    const { line, last } = drawn();
    line.draw('> a', 'bcdef');
    expect(last()).toBe('\r\x1b[J> abcdef\x1b[1A\r\x1b[3C');
    line.draw('> ', 'abcdef');
    expect(last()).toBe('\r\x1b[J> abcdef\x1b[1A\r\x1b[2C');
  });

  it('starts the next row when the last column is full', () => {
    const { line, last } = drawn();
    line.draw('> abc', '');
    expect(last()).toBe('\r\x1b[J> abc\r\n');
    line.draw('> ab', '');
    expect(last()).toBe('\x1b[1A\r\x1b[J> ab');
  });
});
