import type { Statement } from './spelling.ts';

/** First words of statements that only read. */
const READS = new Set([
  'select',
  'with',
  'show',
  'explain',
  'values',
  'table',
  'describe',
  'desc',
  'use',
  'help',
]);
/**
 * Transaction control, with all words that it may have. READ WRITE, prepared transactions and the
 * blocks of MariaDB are not part of it.
 */
const TRANSACTION = new RegExp(
  `^(?:${[
    '(?:begin|start transaction)(?: work| transaction)?(?:(?: ,)? (?:with consistent snapshot|read only|(?:not )?deferrable|isolation level (?:serializable|repeatable read|read committed|read uncommitted)))*',
    '(?:commit|rollback|end|abort)(?: work| transaction)?(?: and(?: no)? chain)?(?:(?: no)? release)?',
    'rollback(?: work| transaction)? to(?: savepoint)? @',
    '(?:savepoint|release(?: savepoint)?) @',
  ].join('|')})$`,
);
/** Transaction control with all its modes has fewer pieces. */
const MAX_PIECES = 32;
/** Words of transaction control, as opposed to names of savepoints. */
const isTransaction = (pieces: Statement['pieces']): boolean => {
  if (pieces.length > MAX_PIECES) return false;
  const texts = pieces.map(({ kind, text }) => (kind === 'word' || text === ',' ? text : '@'));
  const last = texts.length - 1;
  const isNamed = ['savepoint', 'release', 'to'].includes(texts[last - 1] ?? '');
  return TRANSACTION.test((isNamed ? [...texts.slice(0, last), '@'] : texts).join(' '));
};
/** Keywords that make a statement write. Quoted, they are column names. */
const WRITES = new Set([
  ...[
    'insert',
    'update',
    'delete',
    'merge',
    'replace',
    'truncate',
    'into',
    'create',
    'drop',
    'alter',
    'grant',
    'revoke',
    'call',
    'do',
    'copy',
    'write',
  ],
  // Letters of a name with a custom escape character are unknown.
  'uescape',
]);
/** Functions that write or leave the read-only mode, quoted or not. */
const FUNCTIONS = new Set(['set_config', 'nextval', 'setval', 'get_lock']);
/** PostgreSQL's functions that act on the server, and that read-only transactions allow. */
const EFFECTS =
  /^(?:pg_(?:switch_|reload_|rotate_|create_|drop_|copy_(?:physical|logical)_|promote$|wal_replay_(?:pause|resume)|backup_|start_backup|stop_backup|replication_(?:slot_advance|origin_)|logical_(?:emit_|slot_get_)|stat_reset|import_|file_(?:write|sync|rename|unlink)|notify$|log_|sync_|restore_|clear_|nextoid|terminate_|cancel_|prewarm|surgery|truncate_)|binary_upgrade_|brin_(?:de)?summarize|gin_clean|dblink|lo_(?:create?|from|put|truncate|unlink|import|export)|lowrite$|heap_force_)/;
/** Settings that only affect the format of results or name resolution. */
const HARMLESS = new Set([
  'names',
  'time_zone',
  'timezone',
  'search_path',
  'statement_timeout',
  'datestyle',
  'intervalstyle',
  'application_name',
]);

/**
 * Returns true if the words of a statement only read. Errs on the side of rejecting: an unquoted
 * name that equals a write keyword is rejected. It cannot see side effects of functions, so the
 * connection also uses the database's read-only mode.
 */
export function isReadingOnly({
  words,
  names,
  pieces,
}: Pick<Statement, 'words' | 'names' | 'pieces'>): boolean {
  const acts = (name: string) => FUNCTIONS.has(name) || EFFECTS.test(name);
  if (words.some((word) => WRITES.has(word) || acts(word)) || names.some(acts)) return false;
  const [first = ''] = words;
  return first === 'set' ? isHarmlessSetting(pieces) : READS.has(first) || isTransaction(pieces);
}

/**
 * Returns true for a SET with one assignment of a harmless setting, whose value references no other
 * setting.
 */
function isHarmlessSetting(pieces: Statement['pieces']): boolean {
  const at = pieces[1]?.text === 'session' || pieces[1]?.text === 'local' ? 2 : 1;
  const isPart = pieces[at]?.text === '@@session' && pieces[at + 1]?.text === '.';
  const name = pieces[isPart ? at + 2 : at]?.text.replace(/^@@/, '') ?? '';
  const rest = pieces.slice(at + 1);
  const marks = (mark: string) =>
    rest.filter(({ kind, text }) => kind === 'other' && text === mark).length;
  if (!HARMLESS.has(name) || marks('=') > 1 || (name === 'names' && marks(',') + marks('=') > 0))
    return false;
  return !rest.some(
    ({ kind, text }) => kind !== 'string' && (text.startsWith('@') || text.includes('read_only')),
  );
}
