import { atOnce, type Sliced } from '../../../platform/slices.ts';
import { type Statement, spell, TOKENS_AT_ONCE } from './spelling.ts';
import { type Dialect, type Reading, type Token, tokensOf } from './tokens.ts';

export type { Statement } from './spelling.ts';

/** The reading of each dialect with default settings. */
export const USUAL: Readonly<Record<Dialect, Reading>> = {
  mysql: { dialect: 'mysql', hasBackslashes: true },
  postgresql: { dialect: 'postgresql', hasBackslashes: false },
};

const BODIES = new Set(['function', 'procedure', 'trigger', 'event', 'package']);
/** Maximum number of words between CREATE and the kind of object. */
const HEAD = 24;
const NO_BLOCK = new Set(['if', 'loop', 'while', 'repeat', 'for']);

/** Tracks the blocks of a routine: semicolons inside do not end its statement. */
class Blocks {
  private readonly words: string[] = [];
  private depth = 0;
  private isClosing = false;

  get isOpen(): boolean {
    return this.depth > 0;
  }

  word(word: string): void {
    const wasClosing = this.isClosing;
    this.isClosing = false;
    if (this.words.length < HEAD) this.words.push(word);
    if (this.words[0] !== 'create' || !this.words.some((one) => BODIES.has(one))) return;
    if (wasClosing && NO_BLOCK.has(word)) this.depth += 1;
    else if (wasClosing && word === 'case') return;
    else if (word === 'begin' || (word === 'case' && this.depth > 0)) this.depth += 1;
    else if (word === 'end' && this.depth > 0) {
      this.depth -= 1;
      this.isClosing = true;
    }
  }
}

/** Yields tokens; semicolons inside routines are not of kind `end`. */
function* withEnds(text: string, reading: Reading): Generator<Token> {
  let blocks = new Blocks();
  for (const token of tokensOf(text, reading)) {
    if (token.kind === 'word') blocks.word(text.slice(token.start, token.end).toLowerCase());
    if (token.kind === 'end' && blocks.isOpen) yield { ...token, kind: 'other' };
    else yield token;
    if (token.kind === 'end' && !blocks.isOpen) blocks = new Blocks();
  }
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
  const statements: Statement[] = [];
  let tokens: Token[] = [];
  let count = 0;
  function* end(): Sliced<void> {
    const first = tokens.findIndex(({ kind }) => kind !== 'blank');
    if (first !== -1)
      statements.push(
        yield* spell(
          text,
          tokens.slice(first, tokens.findLastIndex(({ kind }) => kind !== 'blank') + 1),
        ),
      );
    tokens = [];
  }
  for (const token of withEnds(text, reading)) {
    if (++count % TOKENS_AT_ONCE === 0) yield;
    if (token.kind === 'end') yield* end();
    else tokens.push(token);
    if (statements.length > most) return undefined;
  }
  yield* end();
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
