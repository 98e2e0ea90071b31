/**
 * The commands of accounts in enforced mode: lines are read by the rules of POSIX shells, without anything that a shell would expand or run by itself
 * (POSIX.1-2017, Shell Command Language, 2.2 and 2.3), compared with patterns word by word, and written again so that every shell sees the same literal words.
 */

/** Why a line is none that can be run. */
export type LineProblem =
  | 'command_not_plain'
  | 'command_quote_open'
  | 'command_empty'
  | 'command_long';
/** Why a pattern is none. */
export type PatternProblem = LineProblem | 'pattern_first_word' | 'pattern_dots';

const MAX_LINE = 4096;
const MAX_WORDS = 256;

/** Stands for an asterisk that is a pattern; it cannot be typed, because control characters are refused. */
const ANY = '\0';
const REPEATED = '...';
/** Control characters, and those that are not seen or turn the direction of others. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** What shells treat in a way of their own outside of quotes: operators, expansions and patterns. */
const SPECIAL = new Set('|&;<>()$`*?[]{}!');
/** Only at the beginning of a word. */
const SPECIAL_FIRST = new Set('~#=');
/** What a backslash hides inside double quotes. */
const ESCAPED_IN_DOUBLE = new Set('$`"\\');

/** Splits a line into its words; says why where that cannot be done without a shell. With `patterns`, an asterisk outside of quotes is kept as one. */
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

/** A pattern: its words, and whether the last of them may be repeated any number of times. */
interface Allowed {
  readonly words: readonly string[];
  readonly isRepeated: boolean;
}

/** The lines of a list that are patterns: empty ones and those that begin with # are not. */
export function patternLines(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => (line.trim() === '' || line.trim().startsWith('#') ? [] : [line.trim()]));
}

/** Says what is wrong with one pattern; nothing when it can be used. */
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
  const named = isRepeated ? words.slice(0, -1) : words;
  if (named.includes(REPEATED) || (isRepeated && named.length < 2)) return 'pattern_dots';
  return { words: named, isRepeated };
}

/** A command that may be run: its words, and how a shell is sent them. */
export interface PlainCommand {
  readonly words: readonly string[];
  readonly line: string;
}

/** Reads a line and compares it with a list of patterns; says why it is not run otherwise. */
export function allowedCommand(
  text: string,
  line: string,
): PlainCommand | LineProblem | 'command_not_allowed' {
  const words = wordsOf(line);
  if (typeof words === 'string') return words;
  const isAllowed = patternLines(text).some((pattern) => {
    const allowed = readPattern(pattern);
    return typeof allowed !== 'string' && matches(allowed, words);
  });
  return isAllowed ? { words, line: shellLine(words) } : 'command_not_allowed';
}

function matches({ words: patterns, isRepeated }: Allowed, words: readonly string[]): boolean {
  if (words.length < patterns.length || (words.length > patterns.length && !isRepeated))
    return false;
  const last = patterns.at(-1) ?? '';
  return words.every((word, index) => matchesWord(patterns[index] ?? last, word));
}

/** An asterisk stands for characters of one word, but for a slash; never for an option, nor for a way up in a path. */
function matchesWord(pattern: string, word: string): boolean {
  if (!pattern.includes(ANY)) return pattern === word;
  if (
    word === '' ||
    word.split('/').includes('..') ||
    (pattern.startsWith(ANY) && word.startsWith('-'))
  )
    return false;
  const parts = pattern.split('/');
  const given = word.split('/');
  return (
    parts.length === given.length &&
    parts.every((part, index) => matchesPart(part.split(ANY), given[index] ?? ''))
  );
}

/** Whether a text is made of pieces with anything between them. The first place of each is as good as any other. */
function matchesPart(pieces: readonly string[], text: string): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** Characters that no shell treats in a way of its own. */
const PLAIN_WORD = /^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$/;

/**
 * Writes words so that a shell sees them as they are. The first is always quoted, so that it is neither an alias nor a word of the shell's language. Quotes and
 * backslashes are outside of quotes, where all shells read them alike.
 */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word, index) => (index > 0 && PLAIN_WORD.test(word) ? word : quoted(word)))
    .join(' ');
}

function quoted(word: string): string {
  if (word === '') return "''";
  return word
    .split(/(['\\])/)
    .map((part) => (part === '' ? '' : part === "'" || part === '\\' ? `\\${part}` : `'${part}'`))
    .join('');
}
