import { readingsOf } from './readings.ts';
import { USUAL } from './statements.ts';
import { type Dialect, type Reading, type Token, tokensOf } from './tokens.ts';

/** An UPDATE or DELETE of one table, and the SELECT of the rows that it affects. */
export interface RowChange {
  readonly act: 'update' | 'delete';
  /** True if no condition limits the rows. */
  readonly isEveryRow: boolean;
  /** The table as written, for example `shop."Orders"`. */
  readonly table: string;
  /** The parts of the name of the table, without quotes. */
  readonly path: readonly string[];
  /** Names before an opening parenthesis, in lower case unless quoted: functions and keywords. */
  readonly calls: readonly string[];
  /** Counts the affected rows, up to `most` of them. */
  count(most: number): string;
  /** Selects up to `most` of the affected rows. */
  select(most: number): string;
  /** Selects values of up to `most` of the affected rows, and locks the rows. */
  lock(valuesOf: (row: string) => readonly string[], most: number): string;
}

/** Statements that change data or structures and are no plain UPDATE or DELETE. */
const CHANGES = new Set([
  ...['update', 'delete', 'merge', 'replace', 'call', 'do', 'execute', 'create', 'alter'],
  ...['drop', 'truncate', 'rename', 'load', 'import'],
]);
/** Statements that change data if they contain one of `WRITES`: CTEs, EXPLAIN ANALYZE, upserts. */
const WRAPPERS = new Set(['with', 'explain', 'insert']);
const WRITES = new Set(['update', 'delete', 'merge']);
/** Words between the verb and the table. */
const MODIFIERS = new Set(['low_priority', 'quick', 'ignore']);
/** Words that end the name of the table. */
const AFTER_TABLE = new Set(['set', 'where', 'using', 'returning', 'order', 'limit', 'from']);

/** A part of the text at depth zero or below, in order, without blanks. */
interface Part {
  readonly kind: Token['kind'];
  readonly start: number;
  readonly end: number;
  readonly raw: string;
  /** In lower case; empty unless an unquoted word. */
  readonly word: string;
  readonly depth: number;
}

/**
 * Reads a statement as a change of rows. Returns `none` if it changes no existing data, and `other`
 * if the affected rows cannot be selected.
 */
export function rowChangeOf(text: string, dialect: Dialect): RowChange | 'none' | 'other' {
  const readings = readingsOf(text, dialect);
  const statements = readings?.flat() ?? [];
  const isChange = statements.some(
    ({ words: [first = '', ...rest] }) =>
      CHANGES.has(first) || (WRAPPERS.has(first) && rest.some((word) => WRITES.has(word))),
  );
  if (readings && !isChange) return 'none';
  // A comment that only some servers run, and a backslash before a quote, have two meanings.
  if (readings?.length !== 1 || statements.length !== 1 || /\/\*M?!/.test(text)) return 'other';
  const parts = partsOf(text, USUAL[dialect]);
  const escaped = partsOf(text, {
    ...USUAL[dialect],
    hasBackslashes: !USUAL[dialect].hasBackslashes,
  });
  if (parts.length !== escaped.length) return 'other';
  return new ChangeReader(text, dialect, parts).read() ?? 'other';
}

class ChangeReader {
  private readonly text: string;
  private readonly dialect: Dialect;
  private readonly parts: readonly Part[];
  private at = 0;

  constructor(text: string, dialect: Dialect, parts: readonly Part[]) {
    this.text = text;
    this.dialect = dialect;
    this.parts = parts;
  }

  read(): RowChange | undefined {
    const act = this.parts[this.at++]?.word;
    if (act !== 'update' && act !== 'delete') return undefined;
    if (this.dialect === 'mysql') while (MODIFIERS.has(this.word)) this.at += 1;
    if (act === 'delete' && !this.take('from')) return undefined;
    const only = this.dialect === 'postgresql' && this.take('only') ? 'only ' : '';
    const name = this.name();
    if (!name) return undefined;
    const alias = this.alias();
    const next = this.word;
    const isSupported = act === 'update' ? next === 'set' : next !== 'set';
    if (!isSupported || (this.at < this.parts.length && !AFTER_TABLE.has(next))) return undefined;
    const clauses = this.clauses();
    if (!clauses || (clauses.sources && this.dialect === 'mysql')) return undefined;
    const { sources, where, order, limit } = clauses;
    if (where !== undefined && /^current\s+of\b/i.test(where)) return undefined;
    // An assignment to a variable of MySQL survives the rollback.
    if (this.dialect === 'mysql' && this.parts.some(({ raw }) => raw === ':')) return undefined;
    const calls = this.calls();
    // The preview asks for these names in strings, and some servers read a backslash there.
    if (calls.some((call) => call.includes('\\'))) return undefined;
    const condition = sources
      ? ` where exists (select 1 from ${sources}${where ? ` where ${where}` : ''})`
      : where
        ? ` where ${where}`
        : '';
    const source = `from ${only}${name.table}${alias ? ` as ${alias}` : ''}${condition}`;
    const row = alias ?? name.table;
    const rows = `${row}.*`;
    const tail = order ? ` ${order}` : '';
    const inner = (what: string, most: number) =>
      `select ${what} ${source}${tail} ${limit ?? `limit ${most}`}`;
    return {
      act,
      isEveryRow: where === undefined && limit === undefined,
      ...name,
      calls,
      count: (most) => `select count(*) from (${inner('1', most)}) as sallyport_rows`,
      select: (most) =>
        limit
          ? `select * from (${inner(rows, most)}) as sallyport_rows limit ${most}`
          : inner(rows, most),
      lock: (valuesOf, most) => `${inner(valuesOf(row).join(', '), most)} for update`,
    };
  }

  private get word(): string {
    return this.parts[this.at]?.word ?? '';
  }

  private take(word: string): boolean {
    if (this.word !== word) return false;
    this.at += 1;
    return true;
  }

  /** Reads a name with up to two dots. */
  private name(): Pick<RowChange, 'table' | 'path'> | undefined {
    const from = this.at;
    const path: string[] = [];
    do {
      const part = this.parts[this.at];
      if (!part || !(part.kind === 'word' || part.kind === 'name')) return undefined;
      // An escape in a name, such as U&"…", is not resolved here.
      if (part.raw.includes('\\') || /^u&/i.test(part.raw)) return undefined;
      path.push(bareName(part, this.dialect));
      this.at += 1;
    } while (this.parts[this.at]?.raw === '.' && ++this.at);
    const [first, last] = [this.parts[from], this.parts[this.at - 1]];
    if (!first || !last || path.length > 3) return undefined;
    return { table: this.text.slice(first.start, last.end), path };
  }

  private alias(): string | undefined {
    const hasAs = this.take('as');
    const part = this.parts[this.at];
    const isName = part?.kind === 'name' || (part?.kind === 'word' && !AFTER_TABLE.has(part.word));
    if (!isName || (!hasAs && part.word === 'partition')) return undefined;
    this.at += 1;
    return part.raw;
  }

  /** Cuts the rest of the statement at the words that begin its clauses. */
  private clauses(): Partial<Record<'sources' | 'where' | 'order' | 'limit', string>> | undefined {
    const starts: { clause: string; at: number }[] = [];
    for (let at = this.at; at < this.parts.length; at++) {
      const part = this.parts[at];
      if (part?.depth !== 0) continue;
      const clause = CLAUSES[part.word];
      const before = this.parts[at - 1];
      // IS DISTINCT FROM, and columns with the name of a keyword.
      const isOther = (part.word === 'from' && before?.word === 'distinct') || before?.raw === '.';
      if (clause && !isOther) starts.push({ clause, at });
    }
    const names = starts.map(({ clause }) => clause);
    if (new Set(names).size !== names.length) return undefined;
    const texts = new Map<string, string>();
    for (const [index, { clause, at }] of starts.entries()) {
      const isKept = clause === 'order' || clause === 'limit';
      const first = this.parts[isKept ? at : at + 1];
      const last = this.parts[(starts[index + 1]?.at ?? this.parts.length) - 1];
      if (!first || !last || last.end <= first.start) return undefined;
      texts.set(clause, this.text.slice(first.start, last.end));
    }
    return Object.fromEntries(texts);
  }

  private calls(): string[] {
    const calls = this.parts.flatMap((part, at) =>
      (part.kind === 'word' || part.kind === 'name') && this.parts[at + 1]?.raw === '('
        ? [bareName(part, this.dialect)]
        : [],
    );
    return [...new Set(calls)];
  }
}

const CLAUSES: Readonly<Record<string, string>> = {
  from: 'sources',
  using: 'sources',
  where: 'where',
  order: 'order',
  limit: 'limit',
  returning: 'returning',
};

function partsOf(text: string, reading: Reading): Part[] {
  const parts: Part[] = [];
  let depth = 0;
  for (const { kind, start, end } of tokensOf(text, reading)) {
    if (kind === 'blank' || kind === 'end') continue;
    const raw = text.slice(start, end);
    if (raw === ')') depth -= 1;
    parts.push({ kind, start, end, raw, word: kind === 'word' ? raw.toLowerCase() : '', depth });
    if (raw === '(') depth += 1;
  }
  return parts;
}

/** A name without quotes; an unquoted one is folded as PostgreSQL does. */
function bareName({ kind, raw }: Part, dialect: Dialect): string {
  if (kind === 'word') return dialect === 'postgresql' ? raw.toLowerCase() : raw;
  return raw.slice(1, -1).replace(/(["`])\1/g, '$1');
}
