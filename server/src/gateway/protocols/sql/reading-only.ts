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
/** Begin and end of transactions, which the read-only mode of the database covers. */
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
/** Words that make a statement write although it begins like one that reads. Quoted, they are names of columns. */
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
  // The letters of a name with its own escape character are not known.
  'uescape',
]);
/** Functions that write or end the read-only mode, quoted or not. */
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
/** Settings of a connection that only say how results are read. */
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
 * Returns true if a statement only reads, by its words. It errs on the side of refusing: an unquoted name that is a word of writing makes a statement one that
 * writes. It does not see what functions of the database do: the connection is put into the read-only mode of the database as well.
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

/** A SET with exactly one assignment, of a setting that is harmless and whose value names no other. */
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
