import type { Statement } from './statements.ts';

/** What statements that only read begin with. */
const READS = new Set(['select', 'with', 'show', 'explain', 'values', 'table', 'describe', 'desc', 'use', 'help']);
/** Beginning and ending of transactions, which the read-only mode of the database covers. */
const TRANSACTIONS = new Set(['begin', 'start', 'commit', 'rollback', 'end', 'abort', 'savepoint', 'release']);
/** What makes a statement write that begins like one that reads, or ends the read-only mode. */
const WRITES = new Set([
  ...['insert', 'update', 'delete', 'merge', 'replace', 'truncate', 'into', 'create', 'drop', 'alter', 'grant', 'revoke', 'call', 'do', 'copy', 'write'],
  ...['lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'lo_truncate', 'lo_truncate64', 'lo_unlink', 'lowrite'],
  ...['set_config', 'pg_terminate_backend', 'pg_cancel_backend', 'dblink', 'dblink_exec', 'lo_import', 'lo_export', 'nextval', 'setval', 'get_lock'],
]);
/** Settings of a connection that only say how results are read. */
const HARMLESS = new Set(['names', 'time_zone', 'timezone', 'search_path', 'statement_timeout', 'datestyle', 'intervalstyle', 'application_name']);

/**
 * Whether a statement only reads, by its words. It errs on the side of refusing: a name without quotes that is a word of writing makes it one that writes. What functions of
 * the database do is not seen here: the connection is put into the read-only mode of the database as well.
 */
export function isReadingOnly({ words }: Pick<Statement, 'words'>): boolean {
  const [first = '', second = '', third = ''] = words;
  if (first === 'set') {
    const name = second === 'session' || second === 'local' ? third : second;
    // One setting: of several, or of a value that is computed, nothing is known.
    return HARMLESS.has(name.replace(/^@@(?:session\.)?/, '')) && !words.some((word) => WRITES.has(word) || word.startsWith('@') || word.includes('read_only'));
  }
  return (READS.has(first) || TRANSACTIONS.has(first)) && !words.some((word) => WRITES.has(word));
}
