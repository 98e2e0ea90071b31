import type { Piece } from './spelling.ts';

/** Words of MySQL that say whose variable an assignment sets. */
export const SCOPES: ReadonlySet<string> = new Set([
  'session',
  'local',
  'global',
  'persist',
  'persist_only',
  '@@session',
  '@@local',
  '@@global',
  '@@persist',
  '@@persist_only',
  '.',
  '@@',
]);

/** Splits at the commas outside of parentheses, such as the assignments of a MySQL SET. */
export function splitAtCommas(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const parts: Piece[][] = [[]];
  let depth = 0;
  for (const piece of pieces) {
    const mark = piece.kind === 'other' ? piece.text : '';
    if (mark === '(') depth += 1;
    else if (mark === ')') depth -= 1;
    if (mark === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(piece);
  }
  return parts;
}

/** A call of `set_config`. */
interface Config {
  /** In lower case. */
  readonly name: string;
  /** The first part of the value. */
  readonly value: Piece | undefined;
  /** True if the value has no other part. */
  readonly isLiteral: boolean;
}

/** The only query that may select the name: pg_dump sets what only newer servers have. */
const SELECTED = 'from pg_settings where name =';

/** Reads a call of `set_config` at its position. Returns undefined if its name is computed. */
export function configAt(pieces: readonly Piece[], at: number): Config | undefined {
  const [open, name, comma, value, end] = pieces.slice(at + 1, at + 6);
  if (open?.text !== '(' || comma?.text !== ',' || comma.kind !== 'other') return undefined;
  const literal = name?.kind === 'word' && name.text === 'name' ? selectedName(pieces, at) : name;
  if (literal?.kind !== 'string' || !/^[\w.]+$/.test(literal.text)) return undefined;
  return {
    name: literal.text.toLowerCase(),
    value,
    isLiteral: value?.kind === 'string' && end?.kind === 'other' && end.text === ',',
  };
}

/** The name in `select set_config(name, …, …) from pg_settings where name = '…'`. */
function selectedName(pieces: readonly Piece[], at: number): Piece | undefined {
  const tail = pieces.slice(at + 8);
  const isSelect = at === 1 && pieces[0]?.text === 'select' && pieces[at + 7]?.text === ')';
  const words = tail.slice(0, -1).map(({ kind, text }) => (kind === 'string' ? '' : text));
  return isSelect && words.join(' ') === SELECTED ? tail.at(-1) : undefined;
}
