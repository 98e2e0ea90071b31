import { configAt, SCOPES, splitAtCommas } from './assignments.ts';
import type { Piece, Statement } from './spelling.ts';
import type { Dialect } from './tokens.ts';

/**
 * Effect of a statement on the session's character set: unchanged, UTF-8, another one, or computed
 * at run time. We parse texts as UTF-8. In another character set, half of a character can be a
 * quote, and the database would see other statements than we do.
 */
export type CharacterSetChange = 'none' | 'utf8' | 'other' | 'computed';

/** MySQL variables for the encoding of statements and results. */
const OF_MYSQL = new Set([
  'character_set_client',
  'character_set_connection',
  'character_set_results',
  'collation_connection',
]);
const OF_POSTGRESQL = 'client_encoding';
const UTF8_OF_MYSQL = /^utf8(?:mb[34])?(?:_\w+)?$/;
/** Results may also be unconverted: dumps request that, and it does not affect parsing. */
const RESULTS = /^(?:utf8(?:mb[34])?|null|binary)$/;
const UTF8_OF_POSTGRESQL = /^(?:utf-?8|unicode|default)$/;
/** Limit for SET; hand-written statements are far shorter. Longer ones count as computed. */
const MAX_PIECES = 500;
const CHARACTER = new Set(['character', 'char']);
/** MySQL statements that run a text unknown to us. */
const DYNAMIC = new Set(['execute', 'prepare']);

/** Returns the most severe of several changes. */
export function worstOf(changes: readonly CharacterSetChange[]): CharacterSetChange {
  return (['other', 'computed', 'utf8'] as const).find((one) => changes.includes(one)) ?? 'none';
}

/** Returns the effect of a statement on the session's character set. */
export function characterSetChange(
  { words, names, pieces }: Pick<Statement, 'words' | 'names' | 'pieces'>,
  dialect: Dialect,
): CharacterSetChange {
  if (dialect === 'mysql')
    return words[0] === 'set'
      ? inMysqlSet(pieces)
      : DYNAMIC.has(words[0] ?? '')
        ? 'computed'
        : 'none';
  if (words[0] === 'set') return inPostgresSet(pieces);
  const hasName = (name: string) => words.includes(name) || names.includes(name);
  if (words.includes('update') && hasName('pg_settings')) return 'other';
  // With a custom escape character, the letters of a name are unknown.
  if (words.includes('uescape') && names.length > 0) return 'computed';
  return hasName('set_config')
    ? worstOf(
        pieces.flatMap((piece, at) =>
          isName(piece, 'set_config') ? [inSetConfig(pieces, at)] : [],
        ),
      )
    : 'none';
}

const isName = (piece: Piece | undefined, name: string) =>
  (piece?.kind === 'word' || piece?.kind === 'name') && piece.text === name;
const isMark = (piece: Piece | undefined, mark: string) =>
  piece?.kind === 'other' && piece.text === mark;

/** Classifies the assigned value, which must be one literal or word. */
function assignedValue(pieces: readonly Piece[], isUtf8: RegExp): CharacterSetChange {
  const [value, ...more] = pieces;
  if (!value || value.kind === 'other' || value.text.startsWith('@')) return 'computed';
  const isCollated = more.length === 2 && isName(more[0], 'collate');
  if (more.length > 0 && !isCollated) return 'computed';
  return isUtf8.test(value.text.toLowerCase()) ? 'utf8' : 'other';
}

/** MySQL SET: several assignments, each with an optional scope. */
function inMysqlSet(pieces: readonly Piece[]): CharacterSetChange {
  if (pieces.length > MAX_PIECES) return 'computed';
  return worstOf(splitAtCommas(pieces.slice(1)).map(inMysqlAssignment));
}

function inMysqlAssignment(part: readonly Piece[]): CharacterSetChange {
  const at = part.findIndex(({ text }) => !SCOPES.has(text));
  const target = part[at];
  if (!target) return 'none';
  const name = target.text.replace(/^@@/, '');
  // MariaDB's `SET STATEMENT a = b FOR …`, with further assignments after commas.
  if (name === 'statement') return part.some(({ text }) => OF_MYSQL.has(text)) ? 'other' : 'none';
  const rest = part.slice(at + 1);
  if (target.kind === 'word' && (name === 'names' || name === 'charset'))
    return assignedValue(rest, UTF8_OF_MYSQL);
  // CHAR is a short form of CHARACTER.
  if (target.kind === 'word' && CHARACTER.has(name) && isName(rest[0], 'set'))
    return assignedValue(rest.slice(1), UTF8_OF_MYSQL);
  if (!OF_MYSQL.has(name)) return 'none';
  return assignedValue(
    rest.slice(isMark(rest[0], ':') ? 2 : 1),
    name === 'character_set_results' ? RESULTS : UTF8_OF_MYSQL,
  );
}

/** PostgreSQL SET: one assignment. */
function inPostgresSet(pieces: readonly Piece[]): CharacterSetChange {
  const at = pieces.findIndex(
    ({ text }, index) => index > 0 && text !== 'session' && text !== 'local',
  );
  const rest = pieces.slice(at + 1, at + MAX_PIECES);
  if (pieces[at]?.text === 'names')
    return rest.length === 0 ? 'utf8' : assignedValue(rest, UTF8_OF_POSTGRESQL);
  return pieces[at]?.text === OF_POSTGRESQL
    ? assignedValue(rest.slice(1), UTF8_OF_POSTGRESQL)
    : 'none';
}

/** A `set_config` at a position: the character set, and others as far as their name is known. */
function inSetConfig(pieces: readonly Piece[], at: number): CharacterSetChange {
  const config = configAt(pieces, at);
  if (!config) return 'computed';
  if (config.name !== OF_POSTGRESQL) return 'none';
  return config.value?.kind === 'string' && UTF8_OF_POSTGRESQL.test(config.value.text.toLowerCase())
    ? 'utf8'
    : 'other';
}
