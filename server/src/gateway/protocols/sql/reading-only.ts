import { splitAtCommas } from './assignments.ts';
import { RUNS_TEXT } from './literal-texts.ts';
import {
  isHarmlessConfig,
  isModeRestored,
  isMysqlSetting,
  isPostgresSetting,
} from './session-settings.ts';
import type { Piece, Statement } from './spelling.ts';
import type { Dialect } from './tokens.ts';

/** First words of statements that only read, whatever follows. */
const READS: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  mysql: new Set('select with show explain values table describe desc use help'.split(' ')),
  postgresql: new Set(
    [
      'select with show explain values table',
      // Cursors, and statements that were prepared.
      'declare fetch move close deallocate execute',
      // State of the client's own session.
      'listen unlisten discard',
    ]
      .join(' ')
      .split(' '),
  ),
};
/** Statements that only read in this form. */
const FORMS: Readonly<Record<Dialect, RegExp>> = {
  mysql: /^(?:unlock tables?$|checksum tables? |analyze (?:format = \w+ )?(?:select|with|values) )/,
  postgresql: /^(?:lock .* in access share mode(?: nowait)?$|prepare (?!transaction ))/,
};
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
const ENDS = new Set(['commit', 'rollback', 'end', 'abort']);
const CONTROL = new Set([...ENDS, 'begin', 'start', 'savepoint', 'release']);
/** First words of statements of PostgreSQL that run no function of the database. */
const SETTLES = new Set(['set', 'reset', 'show', 'close', 'deallocate', 'discard', 'unlisten']);
/** First words of statements of MySQL that run no function without parentheses or a table. */
const CALLS_NOTHING = new Set(['set', 'show', 'use', 'select', 'values', 'lock', 'unlock', 'help']);
const FETCHES = new Set(['from', 'table', 'join']);
/** Longer lists of tables count as writing. */
const MAX_FORM = 2_000;
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
/** Keywords that are functions before a parenthesis, where no statement may have one. */
const CALLED = new Set(['insert', 'replace', 'truncate']);
/** Functions that write, quoted or not. */
const FUNCTIONS = new Set(['nextval', 'setval', 'get_lock']);
/** PostgreSQL's functions that act on the server, and that read-only transactions allow. */
const EFFECTS =
  /^(?:pg_(?:switch_|reload_|rotate_|create_|drop_|copy_(?:physical|logical)_|promote$|wal_replay_(?:pause|resume)|backup_|start_backup|stop_backup|replication_(?:slot_advance|origin_)|logical_(?:emit_|slot_get_)|stat_reset|import_|file_(?:write|sync|rename|unlink)|notify$|log_|sync_|restore_|clear_|nextoid|terminate_|cancel_|prewarm|surgery|truncate_|(?:try_)?advisory_(?:xact_)?lock|background_|buffercache_(?:evict|mark)|stop_making_|\w+_reset(?:_|$))|binary_upgrade_|brin_(?:de)?summarize|gin_clean|dblink|autoprewarm_|sepgsql_(?:set|restore)con|lo_(?:create?|from|put|truncate|unlink|import|export)|lowrite$|heap_force_)/;
/** Functions of MySQL and its engines that act on the server, or on one that it links to. */
const EFFECTS_OF_MYSQL =
  /^(?:spider_(?:copy_tables|flush_table_mon_cache|ping_table)$|sys_set$|[bj]file_(?:make|convert|bjson)$|keyring_key_(?:store|remove|generate)$|group_replication_(?:set_|switch_to_|enable_|disable_|reset_)|asynchronous_connection_failover_(?:add|delete|reset)|version_tokens_(?:set|edit|delete|lock|unlock)|service_(?:get|release)_(?:read|write)_locks$|(?:set|read)_firewall_|mysql_firewall_flush|audit_log_(?:filter_(?:set|remove|flush)|rotate|encryption_password_set)|audit_api_message_emit|mask_dictionary_)/;

/**
 * Returns true if the words of a statement only read. Errs on the side of rejecting: an unquoted
 * name that equals a write keyword is rejected. It cannot see side effects of functions, so the
 * connection also uses the database's read-only mode. `account` is the one that signed in.
 */
export function isReadingOnly(
  { words, names, pieces }: Pick<Statement, 'words' | 'names' | 'pieces'>,
  dialect: Dialect,
  account?: string,
): boolean {
  const [first = ''] = words;
  const acts = (name: string) =>
    FUNCTIONS.has(name) ||
    EFFECTS.test(name) ||
    RUNS_TEXT.test(name) ||
    (dialect === 'mysql' && EFFECTS_OF_MYSQL.test(name));
  const isCopy = dialect === 'postgresql' && first === 'copy';
  if (writesBy(pieces, isCopy) || [...words, ...names, ...calledStrings(pieces)].some(acts))
    return false;
  if (dialect === 'postgresql' && !isHarmlessConfig(pieces)) return false;
  if (isCopy) return isCopyOut(pieces);
  if (first === 'set' || first === 'reset') {
    if (dialect === 'postgresql') return isPostgresSetting(pieces, account);
    return (
      first === 'set' && isMysqlSetting(pieces, (rest) => isReadingOnly(partOf(rest), dialect))
    );
  }
  if (READS[dialect].has(first) || isTransaction(pieces)) return true;
  return dialect === 'mysql' && first === 'lock' ? isLockToRead(pieces) : hasForm(pieces, dialect);
}

/** Returns true if a keyword makes the statement write. The first of COPY does not decide. */
const writesBy = (pieces: readonly Piece[], isCopy: boolean): boolean =>
  pieces.some(
    ({ kind, text }, at) =>
      kind === 'word' &&
      WRITES.has(text) &&
      !(isCopy && at === 0) &&
      !(text === 'create' && at === 1 && pieces[0]?.text === 'show') &&
      !(CALLED.has(text) && pieces[at + 1]?.text === '('),
  );

/** Strings before a parenthesis: names of functions at a MySQL server with ANSI_QUOTES. */
const calledStrings = (pieces: readonly Piece[]): readonly string[] =>
  pieces.flatMap(({ kind, text }, at) =>
    kind === 'string' && pieces[at + 1]?.text === '(' ? text.toLowerCase() : [],
  );

/** Returns true if a statement runs one that was prepared before, whatever that does. */
export const runsPrepared = ({ words }: Pick<Statement, 'words'>): boolean =>
  words.includes('execute');

/** Returns true if a statement ends a transaction, as opposed to a savepoint. */
export const endsTransaction = ({ words }: Pick<Statement, 'words'>): boolean =>
  ENDS.has(words[0] ?? '') && !words.includes('to');

/**
 * Returns true if a text of several statements could lift the read-only mode and then write: the
 * mode is set again between texts only. A transaction of PostgreSQL keeps its mode, and so do the
 * statements of one text that ends none. At MySQL each statement may be a transaction, and a mode
 * that only the server knows is checked after the text.
 */
export function isMixed(
  statements: readonly Pick<Statement, 'words' | 'pieces'>[],
  dialect: Dialect,
): boolean {
  const isControl = ({ words: [word = ''] }: Pick<Statement, 'words'>) =>
    CONTROL.has(word) || (dialect === 'postgresql' && SETTLES.has(word));
  if (dialect === 'mysql' && statements.slice(0, -1).some(isModeRestored)) return true;
  const first =
    dialect === 'mysql'
      ? statements.findIndex((statement) => !isControl(statement) && mayCall(statement))
      : statements.findIndex(endsTransaction);
  return first !== -1 && statements.slice(first + 1).some((statement) => !isControl(statement));
}

/** Returns true if a statement of MySQL may run a function or a view. */
const mayCall = ({ words, pieces }: Pick<Statement, 'words' | 'pieces'>): boolean =>
  !CALLS_NOTHING.has(words[0] ?? '') ||
  pieces.some(({ kind, text }) =>
    kind === 'word' ? FETCHES.has(text) && words[0] !== 'show' : kind === 'other' && text === '(',
  );

/** The part of a statement that begins with the first of these pieces. */
const partOf = (pieces: readonly Piece[]): Pick<Statement, 'words' | 'names' | 'pieces'> => {
  const textsOf = (kind: Piece['kind']) =>
    pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : []));
  return { words: textsOf('word'), names: textsOf('name'), pieces };
};

/** Only words count: a quoted name is none of the form. */
function hasForm(pieces: readonly Piece[], dialect: Dialect): boolean {
  if (pieces.length > MAX_FORM) return false;
  const texts = pieces.map(({ kind, text }) => (kind === 'word' || text === '=' ? text : '@'));
  return FORMS[dialect].test(texts.join(' '));
}

/** LOCK TABLES of MySQL, if it locks each table for reading. */
function isLockToRead(pieces: readonly Piece[]): boolean {
  if (pieces[1]?.kind !== 'word' || !/^tables?$/.test(pieces[1].text)) return false;
  return splitAtCommas(pieces.slice(2)).every((lock) =>
    lock.slice(1).some(({ kind, text }) => kind === 'word' && text === 'read'),
  );
}

/**
 * COPY to the client, as opposed to a file or program of the server. PostgreSQL reads TO STDIN like
 * TO STDOUT, and PDO of PHP sends it.
 */
function isCopyOut(pieces: readonly Piece[]): boolean {
  let depth = 0;
  const outer = pieces.filter(({ kind, text }) => {
    if (kind === 'other' && text === '(') depth += 1;
    else if (kind === 'other' && text === ')') depth -= 1;
    else return depth === 0;
    return false;
  });
  const isWord = (at: number, word: string) =>
    outer[at]?.kind === 'word' && outer[at].text === word;
  const to = outer.findIndex((_, at) => isWord(at, 'to') || isWord(at, 'from'));
  return isWord(to, 'to') && (isWord(to + 1, 'stdout') || isWord(to + 1, 'stdin'));
}
