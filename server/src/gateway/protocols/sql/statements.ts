import { atOnce, type Sliced } from '../../../platform/slices.ts';
import { type Statement, spell, TOKENS_AT_ONCE } from './spelling.ts';
import { type Dialect, type Reading, type Token, tokensOf } from './tokens.ts';

export type { Statement } from './spelling.ts';

/** How the dialects read strings unless their settings were changed. */
export const USUAL: Readonly<Record<Dialect, Reading>> = {
  mysql: { dialect: 'mysql', hasBackslashes: true },
  postgresql: { dialect: 'postgresql', hasBackslashes: false },
};

const BODIES = new Set(['function', 'procedure', 'trigger', 'event', 'package']);
/** What may be between CREATE and what is created. */
const HEAD = 24;
const NO_BLOCK = new Set(['if', 'loop', 'while', 'repeat', 'for']);

/** Follows the blocks of a routine, whose semicolons do not end its statement. */
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

/** The tokens of a text, where only a semicolon that ends a statement is an end. */
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
 * Cuts a text into its statements, as a database would that takes several. A reading other than the usual one is for texts that could mean both.
 * Returns undefined for more statements than `most`.
 */
export function* readStatements(
  text: string,
  dialect: Dialect,
  reading: Reading = USUAL[dialect],
  most = Number.POSITIVE_INFINITY,
): Sliced<Statement[] | undefined> {
  const found: Statement[] = [];
  let tokens: Token[] = [];
  let count = 0;
  function* end(): Sliced<void> {
    const first = tokens.findIndex(({ kind }) => kind !== 'blank');
    if (first !== -1)
      found.push(
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
    if (found.length > most) return undefined;
  }
  yield* end();
  return found.length > most ? undefined : found;
}

/** The texts of the statements of a text by its usual reading, with little memory. Returns undefined for more than `most`. */
export function* cutStatements(
  text: string,
  dialect: Dialect,
  most: number,
): Sliced<string[] | undefined> {
  const found: string[] = [];
  let start = -1;
  let end = -1;
  let count = 0;
  const cut = () => {
    if (start !== -1) found.push(text.slice(start, end));
    start = -1;
  };
  for (const token of withEnds(text, USUAL[dialect])) {
    if (++count % TOKENS_AT_ONCE === 0) yield;
    if (token.kind === 'end') cut();
    else if (token.kind !== 'blank') {
      if (start === -1) start = token.start;
      end = token.end;
    }
    if (found.length > most) return undefined;
  }
  cut();
  return found.length > most ? undefined : found;
}

/** The statements of a text that is known to be small. */
export function statementsOf(
  text: string,
  dialect: Dialect,
  reading: Reading = USUAL[dialect],
): Statement[] {
  return atOnce(readStatements(text, dialect, reading)) ?? [];
}

/** Whether a text that is typed line by line ends behind the semicolon of a statement; what follows it may be blank. */
export function endsStatement(text: string, dialect: Dialect): boolean {
  let isOver = false;
  for (const { kind } of withEnds(text, USUAL[dialect]))
    if (kind !== 'blank') isOver = kind === 'end';
  return isOver;
}
