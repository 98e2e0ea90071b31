import type { SpelledStatement } from '../../ports/guard.ts';
import { type Sweep, sweepOf } from './sweep.ts';
import { type Dialect, type Reading, type Token, tokensOf, type VersionComment } from './tokens.ts';

/** One statement of a text. */
export interface Statement {
  /** As it was written, without blanks and comments around it and without its semicolon. */
  readonly text: string;
  /** Where it is in the text that it was cut from; `end` is behind its last character, its semicolon not included. */
  readonly start: number;
  readonly end: number;
  /** Without comments, in one line, with one blank where there were some. */
  readonly line: string;
  /** Its words that are in no quotes, in lower case. */
  readonly words: readonly string[];
  /** What a guard looks at. */
  readonly spelled: SpelledStatement;
  /** Set if the statement affects every row of its target. */
  readonly sweep: Sweep | undefined;
}

/** How the dialects read strings unless their settings were changed. */
const USUAL: Readonly<Record<Dialect, Reading>> = {
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

/** Cuts a text into its statements, as a database would that takes several. A reading other than the usual one is for texts that could mean both. */
export function statementsOf(text: string, dialect: Dialect, reading: Reading = USUAL[dialect]): Statement[] {
  const found: Statement[] = [];
  let tokens: Token[] = [];
  let blocks = new Blocks();
  const end = () => {
    const first = tokens.findIndex(({ kind }) => kind !== 'blank');
    if (first !== -1) found.push(statementOf(text, tokens.slice(first, tokens.findLastIndex(({ kind }) => kind !== 'blank') + 1)));
    tokens = [];
    blocks = new Blocks();
  };
  for (const token of tokensOf(text, reading)) {
    if (token.kind === 'word') blocks.word(text.slice(token.start, token.end).toLowerCase());
    if (token.kind === 'end' && !blocks.isOpen) end();
    else tokens.push(token);
  }
  end();
  return found;
}

/** Whether a text that is typed line by line ends behind the semicolon of a statement; what follows it may be blank. */
export function endsStatement(text: string, dialect: Dialect): boolean {
  let blocks = new Blocks();
  let isOver = false;
  for (const token of tokensOf(text, USUAL[dialect])) {
    if (token.kind === 'word') blocks.word(text.slice(token.start, token.end).toLowerCase());
    if (token.kind === 'end' && !blocks.isOpen) {
      isOver = true;
      blocks = new Blocks();
    } else if (token.kind !== 'blank') isOver = false;
  }
  return isOver;
}

/** Different versions in the comments of one text; nobody writes more. */
const MAX_VERSIONS = 4;
/** The versions that MariaDB skips although they are lower than its own: they are those of MySQL. */
const OF_MYSQL_ALONE = { from: 50_700, to: 99_999 } as const;
const VERSION = /\/\*M?!(\d*)/g;
const NESTED = /\/\*M?!(?:(?!\*\/)[\s\S])*?\/\*/;

/**
 * What a text may mean: usually one list of statements. A backslash before a quote ends a string or does not, as a setting of the connection says, and a comment
 * of MySQL is run or not, as the version of the server says. We know neither for sure; such a text has all its readings, and what refuses one of them
 * refuses the text. Undefined where there would be too many, or where it cannot be known.
 */
export function readingsOf(text: string, dialect: Dialect): readonly (readonly Statement[])[] | undefined {
  const servers = dialect === 'mysql' ? serversOf(text) : [{}];
  if (!servers) return undefined;
  const backslashes = text.includes('\\') ? [USUAL[dialect].hasBackslashes, !USUAL[dialect].hasBackslashes] : [USUAL[dialect].hasBackslashes];
  const found = new Map<string, readonly Statement[]>();
  for (const hasBackslashes of backslashes)
    for (const server of servers) {
      const statements = statementsOf(text, dialect, { dialect, hasBackslashes, ...server });
      found.set(JSON.stringify(statements.map(({ line }) => line)), statements);
    }
  return [...found.values()];
}

/** Every way in which servers treat the comments of a text that are for certain versions. */
function serversOf(text: string): readonly Pick<Reading, 'runs' | 'nestsSkipped'>[] | undefined {
  const written = new Set(Array.from(text.matchAll(VERSION), ([, digits = '']) => digits));
  if (written.size === 0) return [{}];
  written.delete('');
  // Others are digits of what is run, or part of them is.
  if (written.size > MAX_VERSIONS || [...written].some(({ length }) => length !== 5 && length !== 6)) return undefined;
  const nestings = NESTED.test(text) ? [false, true] : [false];
  return [0, ...Array.from(written, Number)].flatMap((server) =>
    nestings.flatMap((nestsSkipped) => [
      { nestsSkipped, runs: ({ isMariaDb, version = 0 }: VersionComment) => !isMariaDb && version <= server },
      {
        nestsSkipped,
        runs: ({ isMariaDb, version = 0 }: VersionComment) => version <= server && (isMariaDb || version < OF_MYSQL_ALONE.from || version > OF_MYSQL_ALONE.to),
      },
    ]),
  );
}

function statementOf(text: string, tokens: readonly Token[]): Statement {
  const start = tokens[0]?.start ?? 0;
  const end = tokens.at(-1)?.end ?? start;
  const parts = tokens.map((token) => ({ kind: token.kind, text: token.kind === 'blank' ? ' ' : oneLine(text.slice(token.start, token.end)) }));
  const spell = (word: (text: string) => string, name: (text: string) => string) =>
    parts
      .map((part) => (part.kind === 'word' ? word(part.text) : part.kind === 'name' ? name(part.text) : part.text))
      .join('')
      .replace(/ {2,}/g, ' ');
  const same = (part: string) => part;
  const lower = (part: string) => part.toLowerCase();
  const line = spell(same, same);
  const plain = spell(lower, (name) => bare(name).toLowerCase());
  const raw = text.slice(start, end);
  return {
    text: raw,
    start,
    end,
    line,
    words: parts.flatMap((part) => (part.kind === 'word' ? lower(part.text) : [])),
    sweep: sweepOf(parts),
    spelled: {
      lines: [line, spell(lower, same), spell((part) => part.toUpperCase(), same)],
      spellings: [plain, plain.toUpperCase(), plain.replace(/ ?([.,()]) ?/g, '$1'), line.toLowerCase(), line.toUpperCase(), oneLine(raw)],
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a zero byte must not end the line early
const oneLine = (text: string): string => text.replace(/[\r\n\u0000\u2028\u2029]+/g, ' ');

/** A name without its quotes and escapes. */
function bare(quoted: string): string {
  const isUnicode = /^u&/i.test(quoted);
  const inner = quoted.slice(isUnicode ? 3 : 1, -1).replace(/(["`])\1/g, '$1');
  if (!isUnicode) return inner;
  return inner.replace(/\\(?:\+([\da-f]{6})|([\da-f]{4}))/gi, (whole, long: string | undefined, short: string | undefined) => {
    const code = Number.parseInt(long ?? short ?? '', 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
