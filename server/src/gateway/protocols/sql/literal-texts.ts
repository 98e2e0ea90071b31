import { STARTERS } from './inner-statements.ts';
import type { Dialect, Reading, Token } from './tokens.ts';

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

const ROUTINES = new Set(['function', 'procedure']);
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', 0: '\0', b: '\b' };
const ESCAPE: Readonly<Record<Dialect, RegExp>> = {
  mysql: /\\[\s\S]|''|""/g,
  postgresql: /\\(?:x[\da-f]{1,2}|u[\da-f]{4}|U[\da-f]{8}|[0-7]{2,3}|[\s\S])|''|""/gi,
};
const CODE_POINTS = /\\(?:\+([\da-f]{6})|([\da-f]{4}))/gi;
const CONTINUED = /'[ \t\f\v]*(?:--[^\r\n]*)?[\r\n]\s*'/g;

const charOf = (hex: string, radix = 16): string => {
  const code = Number.parseInt(hex, radix);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
};

/** The content of a string literal, as the server reads it. */
function contentOf(raw: string, { dialect, hasBackslashes }: Reading, isUnicode: boolean): string {
  if (raw.startsWith('$')) {
    const tag = raw.indexOf('$', 1) + 1;
    return raw.slice(tag, raw.endsWith(raw.slice(0, tag)) ? -tag : undefined);
  }
  const isEscaped = /^e/i.test(raw);
  const quote = raw[isEscaped ? 1 : 0] ?? '';
  const body = raw.slice(isEscaped ? 2 : 1, raw.endsWith(quote) ? -1 : undefined);
  const inner = isEscaped ? body.replace(CONTINUED, '') : body;
  if (isUnicode)
    return inner
      .replaceAll("''", "'")
      .replace(CODE_POINTS, (_, long?: string, short?: string) => charOf(long ?? short ?? ''));
  if (!isEscaped && !hasBackslashes) return inner.replaceAll(quote + quote, quote);
  return inner.replace(ESCAPE[dialect], (match) => {
    if (match[0] !== '\\') return match[0] === quote ? quote : match;
    const rest = match.slice(1);
    if (rest.length === 1) return ESCAPED[rest] ?? rest;
    return /^[xu]/i.test(rest) ? charOf(rest.slice(1)) : charOf(rest, 8);
  });
}

interface Part {
  readonly kind: Token['kind'];
  /** In lower case, without quotes of names; empty for strings. */
  readonly text: string;
  readonly token: Token;
}

/** Longer parts are no words that matter here. */
const MAX_WORD = 64;

function partsOf(text: string, tokens: readonly Token[]): Part[] {
  return tokens.flatMap((token) => {
    const { kind, start, end } = token;
    if (kind === 'blank') return [];
    const isRead = kind !== 'string' && end - start <= MAX_WORD;
    const raw = isRead ? text.slice(start, end).toLowerCase() : '';
    return [{ kind, text: kind === 'name' ? raw.replace(/^(?:u&)?["`]|["`]$/g, '') : raw, token }];
  });
}

/** Says which literals of a statement are texts of statements. */
class Carrier {
  private readonly parts: readonly Part[];
  private readonly isPostgresql: boolean;
  private readonly isRoutine: boolean;
  private readonly isDo: boolean;
  private readonly hasFunction: boolean;

  constructor(parts: readonly Part[], { dialect }: Reading) {
    this.parts = parts;
    this.isPostgresql = dialect === 'postgresql';
    this.isDo = this.isPostgresql && parts[0]?.text === 'do';
    this.isRoutine =
      this.isPostgresql && parts.some(({ kind, text }) => kind === 'word' && ROUTINES.has(text));
    this.hasFunction = parts.some(
      ({ kind, text }) =>
        (kind === 'word' || kind === 'name') && (RUNS_TEXT.test(text) || ALSO_RUNS_TEXT.test(text)),
    );
  }

  /** Reads the place of the literal at an index: undefined for one that is only a value. */
  placeOf(index: number): 'body' | 'statement' | undefined {
    const at = (distance: number) => this.parts[index - distance]?.text ?? '';
    const isInDo = at(1) === 'do' || (at(2) === 'language' && at(3) === 'do');
    if (this.isDo || (this.isPostgresql && isInDo)) return 'body';
    if (this.isRoutine && at(1) === 'as') return 'body';
    const isRun =
      this.hasFunction ||
      at(1) === 'immediate' ||
      at(1) === 'execute' ||
      (at(3) === 'execute' && at(2) === 'format' && at(1) === '(') ||
      (at(3) === 'prepare' && at(1) === 'from') ||
      // The text of a later PREPARE.
      (at(1) === '=' && this.isVariable(index - (at(2) === ':' ? 3 : 2)));
    return isRun ? 'statement' : undefined;
  }

  /** Returns true for a variable of a MySQL session, whose name may be quoted. */
  private isVariable(index: number): boolean {
    return /^@[^@]/.test(this.parts[index]?.text ?? '') || this.parts[index - 1]?.text === '@';
  }
}

/** Parts between a literal and the word before it: a character set, or `U&`. */
function prefixOf(parts: readonly Part[], index: number): { size: number; isUnicode: boolean } {
  const [first, second] = [parts[index - 2]?.text, parts[index - 1]];
  if (first === 'u' && second?.text === '&') return { size: 2, isUnicode: true };
  const isSet = second?.kind === 'word' && /^(?:n|_\w+)$/.test(second.text);
  return { size: isSet ? 1 : 0, isUnicode: false };
}

/**
 * Returns the literals of a statement that the database runs as statements: those of DO, EXECUTE,
 * PREPARE, routines of PostgreSQL, and of functions that run a text. Texts that the database puts
 * together are not seen.
 */
export function literalTexts(
  text: string,
  tokens: readonly Token[],
  reading: Reading,
): readonly LiteralText[] {
  if (!tokens.some(({ kind }) => kind === 'string')) return [];
  const parts = partsOf(text, tokens);
  const carrier = new Carrier(parts, reading);
  const texts: LiteralText[] = [];
  for (let index = 0; index < parts.length; index++) {
    if (parts[index]?.kind !== 'string') continue;
    const { size, isUnicode } = prefixOf(parts, index);
    const place = carrier.placeOf(index - size);
    let content = '';
    // Strings next to each other are one.
    for (; parts[index]?.kind === 'string'; index++) {
      const { start = 0, end = 0 } = parts[index]?.token ?? {};
      if (place) content += contentOf(text.slice(start, end), reading, isUnicode);
    }
    if (place === 'body') texts.push({ text: content, isBody: true });
    else if (place && beginsStatement(content)) texts.push({ text: content, isBody: false });
  }
  return texts;
}

const FIRST =
  /^(?:\s|;|\(|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/|\/\*M?!\d*)*/;

/** Returns true if a text begins like a statement, as opposed to a message or a name. */
const beginsStatement = (content: string): boolean => {
  const start = FIRST.exec(content)?.[0].length ?? 0;
  const word = /^[a-z_]+/i.exec(content.slice(start, start + MAX_WORD))?.[0].toLowerCase() ?? '';
  return STARTERS.has(word);
};
