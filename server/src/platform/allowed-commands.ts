/**
 * Commands of accounts in enforced mode. A line is parsed by the rules of POSIX shells without any
 * expansion (POSIX.1-2017, Shell Command Language, 2.2 and 2.3). Its words are compared with
 * patterns, then quoted again so that every shell sees the same literal words.
 */

import { posixWord, quotedWord } from '@sallyport/contract';

/** Reasons why a line cannot run. */
export type LineProblem =
  | 'command_not_plain'
  | 'command_quote_open'
  | 'command_empty'
  | 'command_long';
/** Reasons why a pattern is invalid. */
export type PatternProblem = LineProblem | 'pattern_first_word' | 'pattern_dots';

const MAX_LINE = 4096;
const MAX_WORDS = 256;

/**
 * Internal marker of a pattern asterisk. Users cannot enter it: control characters are rejected.
 */
const ANY = '\0';
const REPEATED = '...';
/** Control characters, invisible characters, and those that change the text direction. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Characters with a special meaning outside quotes: operators, expansions and patterns. */
const SPECIAL = new Set('|&;<>()$`*?[]{}!');
/** Characters with a special meaning at the beginning of a word. */
const SPECIAL_FIRST = new Set('~#=');
/** Characters that a backslash escapes inside double quotes. */
const ESCAPED_IN_DOUBLE = new Set('$`"\\');

/**
 * Splits a line into words; returns a problem if only a shell could split it. With `patterns`, an
 * unquoted asterisk becomes `ANY`.
 */
function wordsOf(line: string, patterns = false): readonly string[] | LineProblem {
  if (line.length > MAX_LINE) return 'command_long';
  if (UNSEEN.test(line)) return 'command_not_plain';
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote === "'") {
      if (character === "'") quote = undefined;
      else word += character;
    } else if (quote === '"') {
      if (character === '"') quote = undefined;
      else if (character === '$' || character === '`') return 'command_not_plain';
      else if (character === '\\' && ESCAPED_IN_DOUBLE.has(line.charAt(at + 1)))
        word += line.charAt(++at);
      else word += character;
    } else if (character === ' ') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (character === '\\') {
      if (++at >= line.length) return 'command_quote_open';
      word = (word ?? '') + line.charAt(at);
    } else if (patterns && character === '*') word = (word ?? '') + ANY;
    else if (SPECIAL.has(character) || (word === undefined && SPECIAL_FIRST.has(character)))
      return 'command_not_plain';
    else word = (word ?? '') + character;
  }
  if (quote) return 'command_quote_open';
  if (word !== undefined) words.push(word);
  if (words.length === 0) return 'command_empty';
  return words.length > MAX_WORDS ? 'command_long' : words;
}

/** A parsed pattern: its words, and whether the last word may repeat. */
interface Allowed {
  readonly words: readonly string[];
  readonly isRepeated: boolean;
}

/** Returns the patterns of a list; skips empty lines and comments (#). */
export function patternLines(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => (line.trim() === '' || line.trim().startsWith('#') ? [] : [line.trim()]));
}

/** Returns the problem of a pattern, or undefined if it is valid. */
export function patternProblem(line: string): PatternProblem | undefined {
  const read = readPattern(line);
  return typeof read === 'string' ? read : undefined;
}

function readPattern(line: string): Allowed | PatternProblem {
  const words = wordsOf(line, true);
  if (typeof words === 'string') return words;
  if (words[0] === '' || words[0]?.includes(ANY) || words[0] === REPEATED)
    return 'pattern_first_word';
  const isRepeated = words.at(-1) === REPEATED;
  const fixed = isRepeated ? words.slice(0, -1) : words;
  if (fixed.includes(REPEATED) || (isRepeated && fixed.length < 2)) return 'pattern_dots';
  return { words: fixed, isRepeated };
}

/** A command that may run: its words, and the line for the shell. */
export interface PlainCommand {
  readonly words: readonly string[];
  readonly line: string;
}

/**
 * Parses a line and compares it with a list of patterns. Returns the reason if the line may not
 * run.
 */
export function allowedCommand(
  text: string,
  line: string,
): PlainCommand | LineProblem | 'command_not_allowed' {
  const words = wordsOf(line);
  if (typeof words === 'string') return words;
  const split = words.map(splitWord);
  const isAllowed = [...new Set(patternLines(text))].some((pattern) => {
    const allowed = readPattern(pattern);
    return typeof allowed !== 'string' && matches(allowed, split);
  });
  return isAllowed ? { words, line: shellLine(words) } : 'command_not_allowed';
}

/** A word of a command with its parts between slashes, which many patterns compare. */
interface SplitWord {
  readonly text: string;
  readonly segments: readonly string[];
  readonly hasParent: boolean;
}

function splitWord(text: string): SplitWord {
  const segments = text.split('/');
  return { text, segments, hasParent: segments.includes('..') };
}

function matches({ words: patterns, isRepeated }: Allowed, words: readonly SplitWord[]): boolean {
  if (words.length < patterns.length || (words.length > patterns.length && !isRepeated))
    return false;
  const matchers = patterns.map(wordMatcher);
  const last = matchers.at(-1);
  return words.every((word, index) => (matchers[index] ?? last)?.(word) === true);
}

/**
 * An asterisk matches characters of one word except a slash. It never matches an option or `..` in
 * a path.
 */
function wordMatcher(pattern: string): (word: SplitWord) => boolean {
  if (!pattern.includes(ANY)) return ({ text }) => pattern === text;
  const parts = pattern.split('/').map((part) => part.split(ANY));
  const startsWithAny = pattern.startsWith(ANY);
  return ({ text, segments, hasParent }) =>
    text !== '' &&
    !hasParent &&
    !(startsWithAny && text.startsWith('-')) &&
    parts.length === segments.length &&
    parts.every((part, index) => matchesPieces(part, segments[index] ?? ''));
}

/**
 * Returns true if the text consists of the pieces in order, with any text between them. Taking the
 * first match of each piece suffices.
 */
export function matchesPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length < 2) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  const end = text.length - last.length;
  let at = first.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] ?? '';
    const match = text.indexOf(piece, at);
    if (match < 0 || match + piece.length > end) return false;
    at = match + piece.length;
  }
  return true;
}

/**
 * Quotes words so that a shell sees them literally. The first word is always quoted: it can be
 * neither an alias nor a keyword.
 */
export function shellLine(words: readonly string[]): string {
  return words.map((word, index) => (index > 0 ? posixWord(word) : quotedWord(word))).join(' ');
}
