import type { Sliced } from '../../../platform/slices.ts';
import type { SpelledStatement } from '../../ports/guard.ts';
import { decodedLine } from './decoded-line.ts';
import { type Part, type Sweep, sweepOf } from './sweep.ts';
import { type Reading, TOKENS_AT_ONCE, type Token } from './tokens.ts';

/** A non-blank part of a statement. Words are in lower case; names and strings have no quotes. */
export interface Piece {
  readonly kind: 'word' | 'name' | 'string' | 'other';
  readonly text: string;
}

/** A statement, or one inside of another. */
export interface SpelledPart {
  /** As written, without surrounding blanks and comments and without its semicolon. */
  readonly text: string;
  /**
   * Position in the original text; `end` is the index after the last character, without the
   * semicolon.
   */
  readonly start: number;
  readonly end: number;
  /** On one line, without comments, with single blanks. */
  readonly line: string;
  /** Unquoted words in lower case. */
  readonly words: readonly string[];
  /** Quoted names in lower case, without quotes. */
  readonly names: readonly string[];
  readonly pieces: readonly Piece[];
  /** The spellings that a guard decides on. */
  readonly spelled: SpelledStatement;
  /** Set if the statement affects every row of its target. */
  readonly sweep: Sweep | undefined;
}

export interface Statement extends SpelledPart {
  /** The statements inside of it; undefined if they take too much work to decide. */
  readonly inner: readonly SpelledPart[] | undefined;
}

const isQuotable = (kind: Token['kind']) => kind === 'word' || kind === 'name' || kind === 'string';

/** Builds a statement from its tokens, from the first to the last non-blank one. */
export function* spell(
  text: string,
  tokens: readonly Token[],
  reading: Reading,
): Sliced<SpelledPart> {
  const start = tokens[0]?.start ?? 0;
  const end = tokens.at(-1)?.end ?? start;
  const pieces: Piece[] = [];
  const parts: Part[] = [];
  const [same, lower, upper, plain, apart]: string[][] = [[], [], [], [], []];
  let before: Token['kind'] = 'blank';
  for (const [index, token] of tokens.entries()) {
    if (index % TOKENS_AT_ONCE === TOKENS_AT_ONCE - 1) yield;
    const { kind } = token;
    const raw = kind === 'blank' ? ' ' : text.slice(token.start, token.end);
    const low =
      kind === 'word' ? raw.toLowerCase() : kind === 'name' ? bare(raw).toLowerCase() : raw;
    same?.push(raw);
    lower?.push(kind === 'word' ? low : raw);
    upper?.push(kind === 'word' ? raw.toUpperCase() : raw);
    // A quote next to a word needs no blank, but rules expect one.
    const gap = isQuotable(kind) && isQuotable(before) ? ' ' : '';
    before = kind;
    plain?.push(gap + low);
    apart?.push(gap + raw);
    if (kind !== 'blank') parts.push({ kind, text: oneLine(raw) });
    if (kind === 'word' || kind === 'name') pieces.push({ kind, text: low });
    else if (kind === 'string') pieces.push({ kind, text: raw.replace(/^[eE]?['"]|['"]$/g, '') });
    else if (kind !== 'blank') pieces.push({ kind: 'other', text: raw });
  }
  const lines: string[] = [];
  for (const texts of [same, lower, upper, plain, apart]) {
    yield;
    lines.push(oneLine((texts ?? []).join('')).replace(/ {2,}/g, ' '));
  }
  const [line = '', inLower = '', inUpper = '', spelling = '', spaced = ''] = lines;
  yield;
  const sweep = sweepOf(parts);
  const raw = text.slice(start, end);
  const textsOf = (kind: Piece['kind']) =>
    pieces.filter((piece) => piece.kind === kind).map((piece) => piece.text);
  yield;
  const words = textsOf('word');
  yield;
  const names = textsOf('name');
  yield;
  const tight = spelling.replace(/ ?([.,()]) ?/g, '$1');
  yield;
  const decoded = yield* decodedLine(text, tokens, reading);
  return {
    text: raw,
    start,
    end,
    line,
    words,
    names,
    pieces,
    sweep,
    spelled: {
      lines: [line, inLower, inUpper],
      spellings: [
        spelling,
        spelling.toUpperCase(),
        tight,
        spaced,
        spaced.toLowerCase(),
        spaced.toUpperCase(),
        line.toLowerCase(),
        line.toUpperCase(),
        oneLine(raw),
        ...(decoded === undefined ? [] : [oneLine(decoded)]),
      ],
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a zero byte must not end the line early
const oneLine = (text: string): string => text.replace(/[\r\n\u0000\u2028\u2029]+/g, ' ');

/** A name without quotes and escapes. */
function bare(quoted: string): string {
  const isUnicode = /^u&/i.test(quoted);
  const inner = quoted.slice(isUnicode ? 3 : 1, -1).replace(/(["`])\1/g, '$1');
  if (!isUnicode) return inner;
  return inner.replace(
    /\\(?:\+([\da-f]{6})|([\da-f]{4}))/gi,
    (whole, long: string | undefined, short: string | undefined) => {
      const code = Number.parseInt(long ?? short ?? '', 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
