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
/** Transaction control; the database's read-only mode covers it. */
const TRANSACTIONS = new Set([
  'begin',
  'start',
  'commit',
  'rollback',
  'end',
  'abort',
  'savepoint',
  'release',
]);
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
const FUNCTIONS = new Set([
  ...[
    'lo_creat',
    'lo_create',
    'lo_from_bytea',
    'lo_put',
    'lo_truncate',
    'lo_truncate64',
    'lo_unlink',
    'lowrite',
  ],
  ...[
    'set_config',
    'pg_terminate_backend',
    'pg_cancel_backend',
    'dblink',
    'dblink_exec',
    'lo_import',
    'lo_export',
    'nextval',
    'setval',
    'get_lock',
  ],
]);
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
  if (
    words.some((word) => WRITES.has(word) || FUNCTIONS.has(word)) ||
    names.some((name) => FUNCTIONS.has(name))
  )
    return false;
  const [first = ''] = words;
  return first === 'set' ? isHarmlessSetting(pieces) : READS.has(first) || TRANSACTIONS.has(first);
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
