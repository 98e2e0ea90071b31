import type { Dialect, Token } from './tokens.ts';

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** First words of statements. */
export const STARTERS = wordsOf(`
  alter analyze begin binlog cache call case change check checkpoint checksum close cluster comment
  commit copy create deallocate declare delete discard do drop execute explain fetch flush for get
  grant handler if import insert install iterate kill leave listen load lock loop merge move notify
  open optimize perform prepare purge reassign refresh reindex release rename repair repeat replace
  reset resignal restart return revoke rollback savepoint security select set show shutdown signal
  start stop table truncate uninstall unlisten unlock update use vacuum values while with xa`);
/** Starters that also begin a part of an expression or a CTE: only the writing ones count there. */
const WRITERS = wordsOf('delete execute insert merge replace update');
/** Starters that are functions when a parenthesis follows. */
const FUNCTIONS = wordsOf('if insert load repeat replace truncate values');
/** Starters that begin a part of a statement when these words follow. */
const PARTS: Readonly<Record<string, ReadonlySet<string>>> = {
  do: wordsOf('also instead'),
  execute: wordsOf('function procedure'),
};
/** Tokens before a statement of a block. */
const IN_BLOCK = wordsOf('; : also atomic begin do else instead loop repeat row then');
/** First words of blocks, which MariaDB also runs outside of routines. */
const BLOCKS = wordsOf('begin case declare for if loop repeat while');
/** First words of the rest of a block that was cut at a column with the name END. */
const RESTS = wordsOf('else elseif elsif exception until when');
const EXPLAINS = wordsOf('analyze desc describe explain');
/** First words whose statement follows `as` or a parenthesis. */
const CARRIERS = wordsOf('copy prepare');
/** Words before a statement that follows `for`: of a cursor or SET STATEMENT. */
const BEFORE_FOR = wordsOf('cursor statement');
/** Words before `handler` in the declaration of one, whose statement follows its conditions. */
const HANDLERS = wordsOf('continue exit undo');
/** Objects whose definition contains statements at places that no list tells. */
const DEFINITIONS = wordsOf('event function package procedure rule schema trigger');
/** Second tokens of a labeled block; Oracle's mode of MariaDB writes two brackets. */
const LABELS = wordsOf(': <');
/** Number of words in which the kind of a definition appears. */
const HEAD = 24;
/** Longer parts are no words that matter here. */
const MAX_WORD = 32;

interface Part {
  /** Position among the tokens. */
  readonly at: number;
  readonly kind: Token['kind'];
  /** In lower case. */
  readonly text: string;
}

function partsOf(text: string, tokens: readonly Token[]): Part[] {
  return tokens.flatMap(({ kind, start, end }, at) =>
    kind === 'blank'
      ? []
      : [{ at, kind, text: end - start > MAX_WORD ? '' : text.slice(start, end).toLowerCase() }],
  );
}

/** Finds the places in a statement at which another one begins. */
class Places {
  private readonly parts: readonly Part[];
  private readonly isMysql: boolean;
  private readonly isBody: boolean;
  private readonly isDefinition: boolean;
  private isBlock: boolean;
  private hasFor = false;
  private isInHandler = false;
  /** First word of the innermost statement so far. */
  private current: string;

  constructor(parts: readonly Part[], dialect: Dialect, isBody: boolean) {
    this.parts = parts;
    this.isMysql = dialect === 'mysql';
    this.isBody = isBody;
    const head = parts.slice(0, HEAD).flatMap(({ kind, text }) => (kind === 'word' ? [text] : []));
    this.current = head[0] ?? '';
    this.isDefinition =
      isBody ||
      (this.current === 'create' && head.some((word) => DEFINITIONS.has(word))) ||
      // ALTER EVENT replaces the statement of an event.
      (this.isMysql && this.current === 'alter' && head.includes('event'));
    this.isBlock =
      this.isDefinition ||
      LABELS.has(parts[1]?.text ?? '') ||
      BLOCKS.has(this.current) ||
      RESTS.has(this.current);
  }

  /** Returns true if a statement begins at a part. Call it for all parts, in their order. */
  begins(index: number): boolean {
    const part = this.parts[index];
    if (part?.text === ';') this.isInHandler = false;
    if (part?.kind !== 'word') return false;
    if (BEFORE_FOR.has(part.text)) this.hasFor = true;
    if (part.text === 'handler' && HANDLERS.has(this.parts[index - 1]?.text ?? '')) {
      this.isInHandler = true;
      return false;
    }
    if (index === 0 ? !this.isBody : !this.isStart(part, index)) return false;
    this.current = part.text;
    if (this.isMysql && BLOCKS.has(part.text)) this.isBlock = true;
    return true;
  }

  private isStart({ text }: Part, index: number): boolean {
    const [before, next] = [this.parts[index - 1], this.parts[index + 1]];
    if (!before || !STARTERS.has(text) || before.text === '.' || before.text === '@') return false;
    if (FUNCTIONS.has(text) && next?.text === '(') return false;
    // DO ALSO of a rule, and EXECUTE FUNCTION of a trigger.
    if (PARTS[text]?.has(next?.text ?? '')) return false;
    // The actions of an upsert and of a MERGE are parts of it.
    const isAction = before.text === 'do' || before.text === 'then';
    if (text === 'update' && next?.text === 'set' && isAction) return false;
    if (this.isDefinition) return before.text !== ',' && before.text !== 'or';
    if (this.hasFor && before.text === 'for') return true;
    if (this.isInHandler) return text !== 'for' && before.text !== ',';
    const isFirst = before.kind === 'end' || IN_BLOCK.has(before.text) || this.endsLabel(index - 1);
    if (this.isBlock && this.isMysql && isFirst) return true;
    if (EXPLAINS.has(this.current)) return true;
    const isOpen = before.text === '(' || before.text === ')' || before.text === 'as';
    return isOpen && (CARRIERS.has(this.current) || WRITERS.has(text));
  }

  /** Returns true at the end of a label of Oracle's mode, `<<name>>`. */
  private endsLabel(index: number): boolean {
    return [index, index - 1].every((at) => this.parts[at]?.text === '>');
  }
}

/** Position after the last part of an inner statement. */
function endOf(parts: readonly Part[], index: number): number {
  let depth = 0;
  for (let at = index; at < parts.length; at++) {
    const text = parts[at]?.text;
    if (text === '(') depth += 1;
    else if (text === ')') depth -= 1;
    if (depth < 0 || text === ';') return at;
  }
  return parts.length;
}

/**
 * Returns the statements inside of a statement, as ranges of its tokens: those of blocks, of SET
 * STATEMENT, EXPLAIN, PREPARE, DECLARE and COPY, writing CTEs, and bodies of routines. It errs on
 * the side of too many. Returns undefined if they have more than `most` tokens together: statements
 * in statements share their ends, so this bounds the work. A body is the text of a routine: it
 * begins with a statement or a block.
 */
export function innerStatements(
  text: string,
  tokens: readonly Token[],
  { dialect, isBody = false }: { readonly dialect: Dialect; readonly isBody?: boolean },
  most: number,
): readonly (readonly Token[])[] | undefined {
  const parts = partsOf(text, tokens);
  const places = new Places(parts, dialect, isBody);
  const ranges: (readonly Token[])[] = [];
  let total = 0;
  for (const [index, { at }] of parts.entries()) {
    if (!places.begins(index)) continue;
    const last = parts[endOf(parts, index) - 1]?.at ?? at;
    total += last - at + 1;
    if (total > most) return undefined;
    ranges.push(tokens.slice(at, last + 1));
  }
  return ranges;
}
