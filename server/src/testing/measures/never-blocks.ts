import { describe, expect, it } from 'vitest';
import { longestBlock } from './longest-block.ts';

/** Hostile texts by a name for their shape. */
export type Shapes = Readonly<Record<string, string>>;

export interface Parser {
  readonly name: string;
  readonly read: (text: string) => unknown;
  readonly shapes: (length: number) => Shapes;
  /** Longest input that reaches the parser, where a limit in front of it is part of the parser. */
  readonly length: number;
}

/** A text of about `length` characters: a beginning, a part repeated, and an end. */
export const filled = (length: number, part: string, before = '', after = '') =>
  before + part.repeat(Math.max(1, Math.floor(length / part.length))) + after;

/** Parts that differ by their index, in one text. */
export const numbered = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join('');

/** One text per part, which repeats it up to `length`. */
export const repeated = (length: number, parts: readonly string[]): Shapes =>
  Object.fromEntries(parts.map((part) => [part, filled(length, part)]));

/** Tests that no shape of input makes a parser hold the event loop longer than its share. */
export function describeParsers(parsers: readonly Parser[]): void {
  describe.each(parsers)('$name', ({ read, shapes, length }) => {
    const texts = shapes(length);
    for (const shape of Object.keys(texts))
      it(`keeps the event loop free: ${JSON.stringify(shape)}`, async () => {
        expect(await longestBlock(() => read(texts[shape] ?? ''))).toBeLessThan(1);
      });
  });
}
