import type { Sliced } from '../../../platform/slices.ts';
import { STARTERS } from './inner-statements.ts';
import { contentOf, type Notation, NUMBER, unescaped } from './literal-contents.ts';
import { type Reading, TOKENS_AT_ONCE, type Token, tokensOf } from './tokens.ts';

/**
 * Functions that run a text as a statement: of PostgreSQL, of its extensions tablefunc, xml2, Citus
 * and of foreign servers, of the engine Spider, and of common libraries of MySQL.
 */
export const RUNS_TEXT =
  /^(?:query_to_xml|ts_(?:stat|rewrite)$|crosstab(?:\d*|_hash)$|connectby(?:_text)?$|xpath_table$|run_command_on_|oracle_execute$|jdbc_exec$|spider_(?:bg_)?direct_sql$|sys_(?:exec|eval|bineval)$)/;
/** The same, where the reader of a read-only session needs no name: CALL and these are refused. */
const ALSO_RUNS_TEXT = /^(?:dblink|pg_background_launch|execute_prepared_stmt$)/;

/** A literal that a statement runs, without its quotes and escapes. */
export interface LiteralText {
  readonly text: string;
  /** True for the body of a routine or DO, which may begin with a block. */
  readonly isBody: boolean;
}

/** The text around a statement. */
export interface Surroundings {
  /** True for the body of a routine or DO. */
  readonly isBody: boolean;
  /** True if another statement of the same text may run a literal of this one. */
  readonly isDynamic: boolean;
}

/** Words with which a later statement runs a literal. */
const RUNS_LATER: Readonly<Record<Reading['dialect'], RegExp>> = {
  mysql: /\b(?:immediate|prepare)\b/i,
  postgresql: /\bexecute\b/i,
};
const HAS_BODY = /\b(?:do|function|procedure)\b/i;

/**
 * Returns true if a statement of a text may run a literal of an earlier one, which stored it in a
 * table or a variable. PostgreSQL runs such texts in bodies, which are literals themselves.
 */
export function* isDynamicText(text: string, reading: Reading): Sliced<boolean> {
  const end = text.indexOf(';');
  if (end === -1 || !RUNS_LATER[reading.dialect].test(text.slice(end))) return false;
  if (reading.dialect === 'postgresql') return HAS_BODY.test(text);
  let [first, second] = ['', ''];
  let count = 0;
  for (const token of tokensOf(text, reading)) {
    if (++count % TOKENS_AT_ONCE === 0) yield;
    if (token.kind === 'blank') continue;
    const word = text.slice(token.start, Math.min(token.end, token.start + MAX_WORD)).toLowerCase();
    if (second === 'execute' && word === 'immediate') return true;
    if (first === 'prepare' && word === 'from') return true;
    [first, second] = [second, word];
  }
  return false;
}

const ROUTINES = new Set(['function', 'procedure']);

interface Part {
  readonly kind: Token['kind'];
  /** In lower case, without quotes of names; empty for strings. */
  readonly text: string;
  readonly token: Token;
}

/** Longer parts are no words that matter here: a name of 63 bytes, each one written as a code. */
const MAX_WORD = 512;

function partsOf(text: string, tokens: readonly Token[], { dialect }: Reading): Part[] {
  const rawOf = ({ start, end }: Token) => text.slice(start, Math.min(end, start + MAX_WORD + 1));
  const kept = tokens.filter(({ kind }) => kind !== 'blank');
  return kept.map((token, index): Part => {
    const { start, end } = token;
    const next = kept[index + 1];
    // At a server with ANSI_QUOTES, double quotes before a parenthesis enclose a name.
    const isCalled = text[start] === '"' && next !== undefined && text[next.start] === '(';
    const kind = isCalled ? 'name' : token.kind;
    if (kind === 'string') return { kind, text: '', token };
    const isNumber = dialect === 'mysql' && kind === 'word' && text[start] === '0';
    if (isNumber && NUMBER.test(text.slice(start, end))) return { kind: 'string', text: '', token };
    const raw = end - start > MAX_WORD ? '' : rawOf(token).toLowerCase();
    if (kind !== 'name') return { kind, text: raw, token };
    const mark = kept[index + 2];
    const isChanged = next && mark && rawOf(next).toLowerCase() === 'uescape';
    const name = raw.replace(/^(?:u&)?["`]|["`]$/g, '');
    const content = raw.startsWith('u')
      ? unescaped(name, (isChanged && rawOf(mark)[1]) || '\\').toLowerCase()
      : name;
    return { kind, text: content, token };
  });
}

/** Says which literals of a statement are texts of statements. */
class Carrier {
  private readonly parts: readonly Part[];
  private readonly isPostgresql: boolean;
  private readonly isRoutine: boolean;
  private readonly isDo: boolean;
  /** True if each literal may be the text that a statement runs, also by a variable. */
  private readonly runsAny: boolean;

  constructor(parts: readonly Part[], { dialect }: Reading, { isBody, isDynamic }: Surroundings) {
    this.parts = parts;
    this.isPostgresql = dialect === 'postgresql';
    this.isDo = this.isPostgresql && parts[0]?.text === 'do';
    this.isRoutine =
      this.isPostgresql && parts.some(({ kind, text }) => kind === 'word' && ROUTINES.has(text));
    this.runsAny =
      isDynamic ||
      parts.some(
        ({ kind, text }, index) =>
          ((kind === 'word' || kind === 'name') &&
            (RUNS_TEXT.test(text) || ALSO_RUNS_TEXT.test(text))) ||
          (this.isPostgresql ? isBody && text === 'execute' : this.runsAt(index)),
      );
  }

  /** Reads the place of the literal at an index: undefined for one that is only a value. */
  placeOf(index: number): 'body' | 'statement' | undefined {
    const at = (distance: number) => this.parts[index - distance]?.text ?? '';
    const isInDo = at(1) === 'do' || (at(2) === 'language' && at(3) === 'do');
    if (this.isDo || (this.isPostgresql && isInDo)) return 'body';
    if (this.isRoutine && at(1) === 'as') return 'body';
    return this.runsAny || at(1) === 'execute' ? 'statement' : undefined;
  }

  /**
   * Returns true for a part after which MySQL runs a text now, or keeps one in a variable of the
   * session for a later PREPARE.
   */
  private runsAt(index: number): boolean {
    const at = (distance: number) => this.parts[index + distance]?.text ?? '';
    if (at(0) === 'execute') return at(1) === 'immediate';
    if (at(0) === 'prepare') return at(2) === 'from';
    if (!/^@(?!@)/.test(at(0))) return false;
    // The lexer cuts the name of a variable after `@` if it is quoted.
    const end = at(0) === '@' ? 2 : 1;
    if (at(end) === ':' && at(end + 1) === '=') return true;
    if (at(end) === '=') return at(-1) === 'set' || at(-1) === ',';
    return at(-1) === 'into' || (at(-1) === ',' && this.parts.some(({ text }) => text === 'into'));
  }
}

/** Reads the notation of a literal from the words before it; `size` is their number. */
function prefixOf(
  parts: readonly Part[],
  index: number,
  { dialect }: Reading,
): Notation & { readonly size: number } {
  const before = (distance: number) => parts[index - distance];
  if (before(2)?.text === 'u' && before(1)?.text === '&')
    return { size: 2, base: '', introducer: '', mark: '\\' };
  const isWord = before(1)?.kind === 'word';
  const base = isWord && dialect === 'mysql' && /^[xb]$/.test(before(1)?.text ?? '') ? 1 : 0;
  const set = before(base + 1);
  const introducer = set?.kind === 'word' && /^(?:n|_\w+)$/.test(set.text) ? set.text : '';
  return {
    size: base + (introducer === '' ? 0 : 1),
    base: base === 1 ? (before(1)?.text ?? '') : '',
    introducer,
    mark: undefined,
  };
}

/**
 * Returns the literals of a statement that the database runs as statements: those of DO, EXECUTE,
 * PREPARE, variables, routines of PostgreSQL, and of functions that run a text. In a text with
 * dynamic SQL each literal that begins like a statement is one. Texts that the database puts
 * together are not seen.
 */
export function literalTexts(
  text: string,
  tokens: readonly Token[],
  reading: Reading,
  surroundings: Surroundings,
): readonly LiteralText[] {
  const parts = partsOf(text, tokens, reading);
  if (!parts.some(({ kind }) => kind === 'string')) return [];
  const carrier = new Carrier(parts, reading, surroundings);
  const texts: LiteralText[] = [];
  for (let index = 0; index < parts.length; index++) {
    if (parts[index]?.kind !== 'string') continue;
    const { size, ...notation } = prefixOf(parts, index, reading);
    const place = carrier.placeOf(index - size);
    const first = index;
    while (parts[index]?.kind === 'string') index++;
    if (!place) continue;
    const content = parts
      .slice(first, index)
      .map(({ token: { start, end } }) =>
        contentOf(text.slice(start, end), reading, {
          ...notation,
          mark: notation.mark && markAfter(text, parts, index),
        }),
      )
      // Strings next to each other are one.
      .join('');
    if (place === 'body') texts.push({ text: content, isBody: true });
    else if (beginsStatement(content, reading)) texts.push({ text: content, isBody: false });
  }
  return texts;
}

/** The escape character of the Unicode string that ends before a part. */
const markAfter = (text: string, parts: readonly Part[], index: number): string =>
  (parts[index]?.text === 'uescape' && text[(parts[index + 1]?.token.start ?? 0) + 1]) || '\\';

/** Returns true if a text begins like a statement, as opposed to a message or a name. */
function beginsStatement(content: string, reading: Reading): boolean {
  let first = '';
  for (const { kind, start, end } of tokensOf(content, reading)) {
    const text = content.slice(start, Math.min(end, start + MAX_WORD)).toLowerCase();
    if (kind === 'blank' || (first === '' && (text === ';' || text === '('))) continue;
    // A label before a block of MariaDB.
    if (first !== '') return text === ':';
    if (STARTERS.has(text) || text === '<') return true;
    if (reading.dialect === 'postgresql' || kind === 'string') return false;
    first = text;
  }
  return false;
}
