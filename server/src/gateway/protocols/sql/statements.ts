import { atOnce, type Sliced } from '../../../platform/slices.ts';
import { innerStatements } from './inner-statements.ts';
import { isDynamicText, type LiteralText, literalTexts } from './literal-texts.ts';
import { type SpelledPart, type Statement, spell } from './spelling.ts';
import { type Dialect, type Reading, TOKENS_AT_ONCE, type Token, tokensOf } from './tokens.ts';

export type { Statement } from './spelling.ts';

/** The reading of each dialect with default settings. */
export const USUAL: Readonly<Record<Dialect, Reading>> = {
  mysql: { dialect: 'mysql', hasBackslashes: true },
  postgresql: { dialect: 'postgresql', hasBackslashes: false },
};

const BODIES = new Set(['function', 'procedure', 'trigger', 'event', 'package']);
/** Maximum number of words between CREATE and the kind of object. */
const HEAD = 24;
/** First words of blocks that MariaDB runs outside of routines; BEGIN only with NOT ATOMIC. */
const BLOCKS = new Set(['begin', 'case', 'for', 'if', 'loop', 'repeat', 'while']);
/** Tokens of the statements inside of a statement, beyond four times its own. */
const INNER_TOKENS = 4096;
/** Different version comments of a literal. */
const MAX_HEADS = 16;
const VERSION_COMMENT = /\/\*M?!\d*/g;
/** Literals inside of each other that the database runs. More are not decided. */
const MAX_LITERALS = 8;
/** Longer tokens are no words of blocks. */
const MAX_WORD = 32;
const NO_BLOCK = new Set(['if', 'loop', 'while', 'repeat', 'for']);
/** Tokens before a statement of a block. */
const BEFORE_STATEMENT = new Set([
  '',
  ';',
  ':',
  'begin',
  'atomic',
  'do',
  'else',
  'loop',
  'repeat',
  'then',
]);

/** Tracks the blocks of a statement: semicolons inside do not end it. */
class Blocks {
  private readonly isMysql: boolean;
  private readonly words: string[] = [];
  private depth = 0;
  /** Open parentheses in a rule of PostgreSQL, which enclose its statements. */
  private parentheses = 0;
  private isClosing = false;
  /** The token before, in lower case. */
  private before = '';
  /** True for a block outside of a routine. */
  private isBlock = false;

  constructor(dialect: Dialect) {
    this.isMysql = dialect === 'mysql';
  }

  get isOpen(): boolean {
    return this.depth > 0 || this.parentheses > 0;
  }

  /** Takes the next token that is not blank. */
  take(kind: Token['kind'], text: string): void {
    if (kind === 'word') this.word(text);
    else if (this.isRule && text === '(') this.parentheses += 1;
    else if (this.isRule && text === ')') this.parentheses -= 1;
    this.before = text;
  }

  private word(word: string): void {
    const wasClosing = this.isClosing;
    this.isClosing = false;
    if (this.words.length < HEAD) this.words.push(word);
    if (this.isMysql && this.depth === 0 && !this.isBlock) this.beginBlock(word);
    const isBody = this.words[0] === 'create' && this.words.some((one) => BODIES.has(one));
    if (!isBody && !this.isBlock) return;
    if (wasClosing && (NO_BLOCK.has(word) || word === 'case')) {
      // The end of IF, CASE or a loop. Routines count only BEGIN and CASE.
      if (!this.isBlock && NO_BLOCK.has(word)) this.depth += 1;
      return;
    }
    const opens = this.isBlock
      ? (word === 'case' || BLOCKS.has(word)) &&
        (word === 'case' || BEFORE_STATEMENT.has(this.before))
      : word === 'begin' || (word === 'case' && this.depth > 0);
    if (opens) this.depth += 1;
    else if (word === 'end' && this.depth > 0) {
      this.depth -= 1;
      this.isClosing = true;
    }
  }

  private get isRule(): boolean {
    return !this.isMysql && this.words[0] === 'create' && this.words.includes('rule');
  }

  /** Recognizes a block by its first words. */
  private beginBlock(word: string): void {
    const [first, second] = this.words;
    const isLabeled = this.before === ':' && this.words.length === 2;
    if (first === 'begin' && second === 'not' && this.words.length === 2) {
      this.isBlock = true;
      this.depth = 1;
    } else if (BLOCKS.has(word) && word !== 'begin' && (this.words.length === 1 || isLabeled))
      this.isBlock = true;
    else if (isLabeled && word === 'begin') this.isBlock = true;
  }
}

/** Yields tokens; semicolons inside routines and blocks are not of kind `end`. */
function* withEnds(text: string, reading: Reading): Generator<Token> {
  let blocks = new Blocks(reading.dialect);
  for (const token of tokensOf(text, reading)) {
    const { kind, start, end } = token;
    if (kind !== 'blank')
      blocks.take(kind, end - start > MAX_WORD ? '' : text.slice(start, end).toLowerCase());
    if (token.kind === 'end' && blocks.isOpen) yield { ...token, kind: 'other' };
    else yield token;
    if (token.kind === 'end' && !blocks.isOpen) blocks = new Blocks(reading.dialect);
  }
}

/** A part of a text that holds statements inside of a statement. */
interface Holder {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** True for the body of a routine. */
  readonly isBody?: boolean;
  /** Number of literals around it. */
  readonly depth?: number;
  /** True if another statement of the text may run its literals. */
  readonly isDynamic?: boolean;
  /** The text of the client that contains it, by which the readings were chosen. */
  readonly sent: string;
}

/** Returns the statements inside, also in literals that the database runs. */
function* innerOf(
  { text, tokens, isBody = false, depth = 0, isDynamic = false, sent }: Holder,
  reading: Reading,
): Sliced<Statement['inner']> {
  const { dialect } = reading;
  const most = INNER_TOKENS + 4 * tokens.length;
  const ranges = innerStatements(text, tokens, { dialect, isBody }, most);
  if (!ranges) return undefined;
  const inner: SpelledPart[] = [];
  for (const range of ranges) inner.push(yield* spell(text, range, reading));
  for (const literal of literalTexts(text, tokens, reading, { isBody, isDynamic })) {
    const literals =
      depth < MAX_LITERALS && isCovered(literal.text, sent, dialect)
        ? yield* insideOf(literal, reading, { depth: depth + 1, isDynamic, sent })
        : undefined;
    if (!literals) return undefined;
    inner.push(...literals);
  }
  return inner;
}

/**
 * Returns false if an encoded literal, such as one in hexadecimal digits, has version comments or
 * backslashes that the text around it does not show: the readings of the text do not cover them.
 */
function isCovered(literal: string, sent: string, dialect: Dialect): boolean {
  if (literal.includes('\\') && !sent.includes('\\')) return false;
  const heads = new Set(dialect === 'mysql' ? literal.match(VERSION_COMMENT) : []);
  return heads.size <= MAX_HEADS && [...heads].every((head) => sent.includes(head));
}

/** Reads a literal: its statements, and those inside of them. */
function* insideOf(
  { text, isBody }: LiteralText,
  reading: Reading,
  around: Required<Pick<Holder, 'depth' | 'isDynamic' | 'sent'>>,
): Sliced<Statement['inner']> {
  if (!isBody) {
    const statements = yield* parse({ ...around, text }, reading);
    return statements.some(({ inner }) => !inner)
      ? undefined
      : statements.flatMap((statement) => [statement, ...(statement.inner ?? [])]);
  }
  const tokens: Token[] = [];
  for (const token of tokensOf(text, reading)) {
    if (tokens.push(token) % TOKENS_AT_ONCE === 0) yield;
  }
  const isDynamic = around.isDynamic || (yield* isDynamicText(text, reading));
  return yield* innerOf({ ...around, text, tokens, isBody, isDynamic }, reading);
}

/** Splits a text into its statements, up to one more than `most`. */
function* parse(
  { text, depth = 0, isDynamic: isInDynamic = false, sent }: Omit<Holder, 'tokens' | 'isBody'>,
  reading: Reading,
  most = Number.POSITIVE_INFINITY,
): Sliced<Statement[]> {
  const statements: Statement[] = [];
  let tokens: Token[] = [];
  let count = 0;
  const isDynamic = isInDynamic || (yield* isDynamicText(text, reading));
  function* end(): Sliced<void> {
    const first = tokens.findIndex(({ kind }) => kind !== 'blank');
    if (first !== -1) {
      const own = tokens.slice(first, tokens.findLastIndex(({ kind }) => kind !== 'blank') + 1);
      const spelled = yield* spell(text, own, reading);
      const inner = yield* innerOf({ text, tokens: own, depth, isDynamic, sent }, reading);
      statements.push({ ...spelled, inner });
    }
    tokens = [];
  }
  for (const token of withEnds(text, reading)) {
    if (++count % TOKENS_AT_ONCE === 0) yield;
    if (token.kind === 'end') yield* end();
    else tokens.push(token);
    if (statements.length > most) return statements;
  }
  yield* end();
  return statements;
}

/**
 * Splits a text into statements like a database that accepts several. Pass another reading for
 * ambiguous texts. Returns undefined for more statements than `most`.
 */
export function* readStatements(
  text: string,
  dialect: Dialect,
  reading: Reading = USUAL[dialect],
  most = Number.POSITIVE_INFINITY,
): Sliced<Statement[] | undefined> {
  const statements = yield* parse({ text, sent: text }, reading, most);
  return statements.length > most ? undefined : statements;
}

/**
 * The texts of the statements by the usual reading, with little memory. Returns undefined for more
 * than `most`.
 */
export function* cutStatements(
  text: string,
  dialect: Dialect,
  most: number,
): Sliced<string[] | undefined> {
  const statements: string[] = [];
  let start = -1;
  let end = -1;
  let count = 0;
  const cut = () => {
    if (start !== -1) statements.push(text.slice(start, end));
    start = -1;
  };
  for (const token of withEnds(text, USUAL[dialect])) {
    if (++count % TOKENS_AT_ONCE === 0) yield;
    if (token.kind === 'end') cut();
    else if (token.kind !== 'blank') {
      if (start === -1) start = token.start;
      end = token.end;
    }
    if (statements.length > most) return undefined;
  }
  cut();
  return statements.length > most ? undefined : statements;
}

/** The statements of a small text, without pauses. */
export function statementsOf(
  text: string,
  dialect: Dialect,
  reading: Reading = USUAL[dialect],
): Statement[] {
  return atOnce(readStatements(text, dialect, reading)) ?? [];
}

/**
 * Returns true if a text that is typed line by line ends with a statement's semicolon, ignoring
 * trailing blanks.
 */
export function endsStatement(text: string, dialect: Dialect): boolean {
  let isOver = false;
  for (const { kind } of withEnds(text, USUAL[dialect]))
    if (kind !== 'blank') isOver = kind === 'end';
  return isOver;
}
