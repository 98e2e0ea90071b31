/** The languages that are read here. MariaDB speaks that of MySQL. */
export type Dialect = 'mysql' | 'postgresql';

/** A part of a text. Of a quoted part the quotes belong to it. */
export interface Token {
  readonly kind: 'blank' | 'word' | 'name' | 'string' | 'other' | 'end';
  readonly start: number;
  readonly end: number;
}

/** How a dialect reads what depends on its settings. */
export interface Reading {
  readonly dialect: Dialect;
  /** Whether a backslash escapes the next character in a plain string: that of MySQL unless `NO_BACKSLASH_ESCAPES`, that of PostgreSQL only without `standard_conforming_strings`. */
  readonly hasBackslashes: boolean;
  /** Whether the server runs what is in a comment for certain versions, such as that of `!50110`; without it, all of them run. */
  readonly runs?: (comment: VersionComment) => boolean;
  /** Whether a comment inside of one that is not run nests. */
  readonly nestsSkipped?: boolean;
}

/** A comment of MySQL that servers from a version on run. */
export interface VersionComment {
  /** Written with `M!`: MariaDB alone looks at it. */
  readonly isMariaDb: boolean;
  /** Such as 50110 or 100611; without one, every version runs it. */
  readonly version: number | undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a zero byte separates words, too
const SPACE = /[\s\u0000]+/y;
const WORD = /[\p{L}_\u0080-\uffff@$#\d][\p{L}\p{N}_\u0080-\uffff@$#]*/uy;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/uy;
/** Between the parts of a string of PostgreSQL that goes on in another line. */
const CONTINUED = /[ \t\f\v]*(?:--[^\r\n]*)?[\r\n]\s*'/y;
const EXECUTABLE = /\/\*(M?)!(\d*)/y;

const matchAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** The place behind a quoted part that begins at a quote; the end of the text where it is not closed. A doubled quote is one of its characters. */
function behindQuote(text: string, start: number, hasBackslashes: boolean): number {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length) {
    const char = text[at];
    if (hasBackslashes && char === '\\') at += 2;
    else if (char !== quote) at += 1;
    else if (text[at + 1] === quote) at += 2;
    else return at + 1;
  }
  return text.length;
}

/** The place behind a comment in slashes and stars; those of PostgreSQL nest. */
function behindComment(text: string, start: number, nests: boolean): number {
  let depth = 1;
  let at = start + 2;
  while (at < text.length && depth > 0) {
    if (text.startsWith('*/', at)) {
      depth -= 1;
      at += 2;
    } else if (nests && text.startsWith('/*', at)) {
      depth += 1;
      at += 2;
    } else at += 1;
  }
  return Math.min(at, text.length);
}

const behindLine = (text: string, start: number): number => {
  const found = text.slice(start).search(/[\r\n]/);
  return found === -1 ? text.length : start + found;
};

/** Whether two dashes begin a comment: in MySQL only before a blank. */
const isDashes = (text: string, at: number, dialect: Dialect): boolean =>
  text.startsWith('--', at) &&
  (dialect === 'postgresql' || at + 2 >= text.length || (text[at + 2] ?? '') <= ' ');

/** An E string of PostgreSQL, with the parts of it in other lines. */
function behindEscaped(text: string, start: number): number {
  let end = behindQuote(text, start, true);
  for (let next = matchAt(CONTINUED, text, end); next !== -1; next = matchAt(CONTINUED, text, end))
    end = behindQuote(text, next - 1, true);
  return end;
}

/** Cuts a text into its parts, in time in proportion to its length. Comments are blanks; what MySQL runs out of a comment is not one. */
export function* tokensOf(
  text: string,
  { dialect, hasBackslashes, runs, nestsSkipped = false }: Reading,
): Generator<Token> {
  const isMysql = dialect === 'mysql';
  let at = 0;
  let isInComment = false;
  while (at < text.length) {
    const start = at;
    const char = text[at] ?? '';
    let kind: Token['kind'] = 'other';
    const spaces = matchAt(SPACE, text, at);
    if (spaces !== -1) [kind, at] = ['blank', spaces];
    else if (isDashes(text, at, dialect) || (isMysql && char === '#'))
      [kind, at] = ['blank', behindLine(text, at)];
    else if (isMysql && char === '/' && matchAt(EXECUTABLE, text, at) !== -1) {
      EXECUTABLE.lastIndex = at;
      const [head = '', maria = '', version = ''] = EXECUTABLE.exec(text) ?? [];
      const isRun =
        runs?.({
          isMariaDb: maria !== '',
          version: version === '' ? undefined : Number(version),
        }) ?? true;
      if (isRun) [kind, at, isInComment] = ['blank', at + head.length, true];
      else [kind, at] = ['blank', behindComment(text, at, nestsSkipped)];
    } else if (isInComment && text.startsWith('*/', at))
      [kind, at, isInComment] = ['blank', at + 2, false];
    else if (text.startsWith('/*', at)) [kind, at] = ['blank', behindComment(text, at, !isMysql)];
    else if (char === ';') [kind, at] = ['end', at + 1];
    else if (char === "'") [kind, at] = ['string', behindQuote(text, at, hasBackslashes)];
    else if (char === '"')
      [kind, at] = isMysql
        ? ['string', behindQuote(text, at, hasBackslashes)]
        : ['name', behindQuote(text, at, false)];
    else if (isMysql && char === '`') [kind, at] = ['name', behindQuote(text, at, false)];
    else if (!isMysql && /[eE]/.test(char) && text[at + 1] === "'")
      [kind, at] = ['string', behindEscaped(text, at + 1)];
    else if (!isMysql && /[uU]/.test(char) && text[at + 1] === '&' && text[at + 2] === '"')
      [kind, at] = ['name', behindQuote(text, at + 2, false)];
    else if (!isMysql && char === '$' && matchAt(DOLLAR, text, at) !== -1) {
      const open = matchAt(DOLLAR, text, at);
      const close = text.indexOf(text.slice(at, open), open);
      [kind, at] = ['string', close === -1 ? text.length : close + open - at];
    } else {
      const word = matchAt(WORD, text, at);
      [kind, at] =
        word === -1
          ? ['other', at + (char >= '\ud800' && char <= '\udbff' ? 2 : 1)]
          : ['word', word];
    }
    yield { kind, start, end: at };
  }
}
