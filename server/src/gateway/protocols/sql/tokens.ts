/** The supported dialects. MariaDB uses `mysql`. */
export type Dialect = 'mysql' | 'postgresql';

/** Tokens between two pauses. */
export const TOKENS_AT_ONCE = 500;

/** A part of a text; a quoted part includes its quotes. */
export interface Token {
  readonly kind: 'blank' | 'word' | 'name' | 'string' | 'other' | 'end';
  readonly start: number;
  readonly end: number;
}

/** The settings on which the reading of a text depends. */
export interface Reading {
  readonly dialect: Dialect;
  /**
   * True if a backslash escapes the next character of a plain string. Default in MySQL (unless
   * `NO_BACKSLASH_ESCAPES`); in PostgreSQL only without `standard_conforming_strings`.
   */
  readonly hasBackslashes: boolean;
  /** True if double quotes enclose names in MySQL, without backslashes (`ANSI_QUOTES`). */
  readonly hasAnsiQuotes?: boolean;
  /**
   * Returns true if the server runs the content of a version comment, such as that of `!50110`.
   * By default all of them run.
   */
  readonly runs?: (comment: VersionComment) => boolean;
  /** True if comments inside a skipped version comment nest. */
  readonly nestsSkipped?: boolean;
}

/** A MySQL comment whose content runs from some server version on. */
export interface VersionComment {
  /** Written with `M!`: only MariaDB runs it. */
  readonly isMariaDb: boolean;
  /** Such as 50110 or 100611; undefined runs in every version. */
  readonly version: number | undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a zero byte separates words, too
const SPACE = /[\t-\r \u0000]+/y;
/**
 * Words as the lexers of the servers define them: each character outside of ASCII is a letter, also
 * a blank or an emoji. In PostgreSQL a name does not begin with a dollar or a digit, and a dollar
 * after a number begins a string.
 */
const WORDS: Readonly<Record<Dialect, RegExp>> = {
  mysql: /[\w@$\u{80}-\u{10ffff}]+/uy,
  postgresql: /[A-Za-z_\u{80}-\u{10ffff}][\w$\u{80}-\u{10ffff}]*|\$?\d+/uy,
};
const DOLLAR = /\$(?:[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?\$/uy;
/** Separator between the lines of a continued PostgreSQL string. */
const CONTINUED = /[ \t\f\v]*(?:--[^\r\n]*)?[\r\n]\s*'/y;
const EXECUTABLE = /\/\*(M?)!(\d*)/y;

const matchAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/**
 * Index after a quoted part; the end of the text if it is not closed. A doubled quote is part of
 * the content.
 */
function endOfQuote(text: string, start: number, hasBackslashes: boolean): number {
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

/** Index after a block comment; PostgreSQL's comments nest. */
function endOfComment(text: string, start: number, nests: boolean): number {
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

/** Index after a comment of one line: in MySQL a carriage return does not end it. */
function endOfLine(text: string, start: number, dialect: Dialect): number {
  const end = LINE_ENDS[dialect];
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
}
const LINE_ENDS: Readonly<Record<Dialect, RegExp>> = { mysql: /\n/g, postgresql: /[\r\n]/g };

/** Returns true if two dashes begin a comment: in MySQL only before a blank or a control. */
const isDashes = (text: string, at: number, dialect: Dialect): boolean =>
  text.startsWith('--', at) &&
  (dialect === 'postgresql' || at + 2 >= text.length || CONTROL.test(text[at + 2] ?? ''));
const CONTROL = /[\0- \x7f]/;

/** Index after a PostgreSQL E string with its continuation lines. */
function endOfEscaped(text: string, start: number): number {
  let end = endOfQuote(text, start, true);
  for (let next = matchAt(CONTINUED, text, end); next !== -1; next = matchAt(CONTINUED, text, end))
    end = endOfQuote(text, next - 1, true);
  return end;
}

/**
 * Splits a text into tokens, in linear time. Comments are blanks, except for content that MySQL
 * runs.
 */
export function* tokensOf(
  text: string,
  { dialect, hasBackslashes, hasAnsiQuotes = false, runs, nestsSkipped = false }: Reading,
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
      [kind, at] = ['blank', endOfLine(text, at, dialect)];
    else if (isMysql && char === '/' && matchAt(EXECUTABLE, text, at) !== -1) {
      EXECUTABLE.lastIndex = at;
      const [head = '', maria = '', version = ''] = EXECUTABLE.exec(text) ?? [];
      const isRun =
        runs?.({
          isMariaDb: maria !== '',
          version: version === '' ? undefined : Number(version),
        }) ?? true;
      if (isRun) [kind, at, isInComment] = ['blank', at + head.length, true];
      else [kind, at] = ['blank', endOfComment(text, at, nestsSkipped)];
    } else if (isInComment && text.startsWith('*/', at))
      [kind, at, isInComment] = ['blank', at + 2, false];
    else if (text.startsWith('/*', at)) [kind, at] = ['blank', endOfComment(text, at, !isMysql)];
    else if (char === ';') [kind, at] = ['end', at + 1];
    else if (char === "'") [kind, at] = ['string', endOfQuote(text, at, hasBackslashes)];
    else if (char === '"')
      [kind, at] =
        isMysql && !hasAnsiQuotes
          ? ['string', endOfQuote(text, at, hasBackslashes)]
          : ['name', endOfQuote(text, at, false)];
    else if (isMysql && char === '`') [kind, at] = ['name', endOfQuote(text, at, false)];
    else if (!isMysql && /[eE]/.test(char) && text[at + 1] === "'")
      [kind, at] = ['string', endOfEscaped(text, at + 1)];
    else if (!isMysql && /[uU]/.test(char) && text[at + 1] === '&' && text[at + 2] === '"')
      [kind, at] = ['name', endOfQuote(text, at + 2, false)];
    else if (!isMysql && char === '$' && matchAt(DOLLAR, text, at) !== -1) {
      const open = matchAt(DOLLAR, text, at);
      const close = text.indexOf(text.slice(at, open), open);
      [kind, at] = ['string', close === -1 ? text.length : close + open - at];
    } else {
      const word = matchAt(WORDS[dialect], text, at);
      [kind, at] =
        word === -1
          ? ['other', at + (char >= '\ud800' && char <= '\udbff' ? 2 : 1)]
          : ['word', word];
    }
    yield { kind, start, end: at };
  }
}
