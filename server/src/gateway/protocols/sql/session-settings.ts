import { configAt, SCOPES, splitAtCommas } from './assignments.ts';
import type { Piece, Statement } from './spelling.ts';

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Names of settings of the read-only mode. They may be switched on only. */
const READ_ONLY = /read_only$/;
const ON = new Set(['on', 'true', 'yes', '1']);
/**
 * Settings of PostgreSQL that change the account of the statements or skip triggers, and those with
 * which a superuser damages or exposes data.
 */
const REFUSED_BY_POSTGRESQL = wordsOf(`
  role session_authorization session_replication_role allow_system_table_mods zero_damaged_pages
  ignore_checksum_failure lo_compat_privileges dynamic_library_path`);
/** Settings of MySQL and MariaDB that hide changes from replicas, or act on the server. */
const REFUSED_BY_MYSQL = wordsOf(`
  password sql_log_bin sql_log_off binlog_format gtid_next gtid_domain_id gtid_seq_no server_id
  pseudo_thread_id pseudo_slave_mode pseudo_replica_mode skip_replication wsrep_on wsrep_osu_method
  debug debug_dbug debug_sync`);
/** Scopes that reach other sessions. */
const SHARED = /^(?:@@)?(?:global|persist|persist_only)$/;
/** Modes of MySQL and MariaDB that our reader follows, or that leave the reading alone. */
const MODES = wordsOf(`
  allow_invalid_dates empty_string_is_null error_for_division_by_zero high_not_precedence
  ignore_space no_auto_create_user no_auto_value_on_zero no_backslash_escapes no_dir_in_create
  no_engine_substitution no_field_options no_key_options no_table_options no_zero_date
  no_unsigned_subtraction no_zero_in_date only_full_group_by pad_char_to_full_length
  pipes_as_concat real_as_float simultaneous_assignment strict_all_tables strict_trans_tables
  time_round_fractional time_truncate_fractional traditional`);
/**
 * Words of a value of `sql_mode`: the default, or a list that adds to the current one or replaces
 * parts of it, also as a subquery, which sqlx 0.8 sends. Whole known modes make no unknown one.
 */
const WORDS_OF_MODES = wordsOf(
  'default select concat concat_ws replace sql_mode @@sql_mode @@ @@session @@global',
);
/** Names of accounts that mean the same with and without quotes. */
const PLAIN_ACCOUNT = /^[a-z_][a-z0-9_]*$/;
const MARKS_OF_MODES = new Set(['(', ')', ',', '.']);

const isMark = (piece: Piece | undefined, mark: string): boolean =>
  piece?.kind === 'other' && piece.text === mark;
const isWord = (piece: Piece | undefined, word: string): boolean =>
  piece?.kind === 'word' && piece.text === word;
const isName = (piece: Piece | undefined): piece is Piece =>
  piece?.kind === 'word' || piece?.kind === 'name';

/** Returns true if a value is a single literal that means on. */
const isOn = ([value, ...more]: readonly Piece[]): boolean =>
  value !== undefined &&
  more.length === 0 &&
  value.kind !== 'other' &&
  ON.has(value.text.toLowerCase());

/**
 * Returns true for a SET or RESET of PostgreSQL that concerns the own session. It neither lifts the
 * read-only mode nor changes the account. `account` is the one that signed in: Flyway sets its role
 * again after each step.
 */
export function isPostgresSetting(pieces: readonly Piece[], account?: string): boolean {
  if (isWord(pieces[0], 'reset')) return isPostgresReset(pieces.slice(1));
  const hasScope = isWord(pieces[1], 'session') || isWord(pieces[1], 'local');
  // SESSION may be the scope, or part of the name.
  const isSpecial = ['authorization', 'characteristics'].some((word) => isWord(pieces[2], word));
  const rest = pieces.slice(hasScope && !isSpecial ? 2 : 1);
  if (rest.some((piece, at) => at < 2 && isWord(piece, 'authorization')))
    return rest.length === 3 && isWord(rest[2], 'default');
  if (isWord(rest[0], 'role')) return rest.length === 2 && isAccount(rest[1], account);
  // READ WRITE is refused by its words.
  if (isWord(rest[0], 'session')) return isWord(rest[1], 'characteristics');
  if (['transaction', 'constraints', 'names'].some((word) => isWord(rest[0], word))) return true;
  if (isWord(rest[0], 'time') && isWord(rest[1], 'zone')) return true;
  if (['schema', 'seed'].some((word) => isWord(rest[0], word)) && rest.length === 2) return true;
  const end = rest.findIndex((piece) => isMark(piece, '=') || isWord(piece, 'to'));
  return end > 0 && isOwnOfPostgres(rest.slice(0, end), rest.slice(end + 1));
}

/** Quoted names do not count: their pieces have lost the case of the letters. */
function isAccount(piece: Piece | undefined, account: string | undefined): boolean {
  if (account === undefined || !PLAIN_ACCOUNT.test(account)) return false;
  return (piece?.kind === 'word' || piece?.kind === 'string') && piece.text === account;
}

/** A RESET goes back to the values with which the session began. */
function isPostgresReset(rest: readonly Piece[]): boolean {
  return rest.length > 0 && !rest.some(({ text }) => text === 'transaction_read_only');
}

function isOwnOfPostgres(name: readonly Piece[], value: readonly Piece[]): boolean {
  if (!name.every((piece) => isName(piece) || isMark(piece, '.'))) return false;
  const whole = name.map(({ text }) => text).join('');
  // PostgreSQL sets one at a time; databases like it may take several.
  if (REFUSED_BY_POSTGRESQL.has(whole) || value.some((piece) => isMark(piece, '='))) return false;
  return !READ_ONLY.test(whole) || isOn(value);
}

/**
 * Returns true if a startup parameter of PostgreSQL sets what SET may not. The server reads
 * `options` like a command line: a switch, then `name=value`, where `-` means `_` and a backslash
 * quotes the next character.
 */
export function hasRefusedParameter(parameters: ReadonlyMap<string, string>): boolean {
  const names = [...REFUSED_BY_POSTGRESQL];
  return [...parameters].some(([key, value]) => {
    if (REFUSED_BY_POSTGRESQL.has(key.toLowerCase())) return true;
    const options = value.replaceAll('\\', '').replaceAll('-', '_').toLowerCase();
    return key === 'options' && names.some((name) => options.includes(`${name}=`));
  });
}

/**
 * Returns true if each `set_config` of a statement names a setting that SET may set. Its value may
 * be computed, unless it is that of the read-only mode.
 */
export function isHarmlessConfig(pieces: readonly Piece[]): boolean {
  return pieces.every((piece, at) => {
    if (!isName(piece) || piece.text !== 'set_config') return true;
    const config = configAt(pieces, at);
    if (!config?.value) return false;
    return isOwnOfPostgres(
      [{ kind: 'word', text: config.name }],
      config.isLiteral ? [config.value] : [],
    );
  });
}

/**
 * Returns true for a SET of MySQL or MariaDB whose assignments all concern the own session, and
 * neither lift the read-only mode nor change how a text is read. `reads` decides the statement of
 * SET STATEMENT.
 */
export function isMysqlSetting(
  pieces: readonly Piece[],
  reads: (statement: readonly Piece[]) => boolean,
): boolean {
  let rest = pieces.slice(1);
  let mayRestore = true;
  if (isWord(rest[0], 'statement')) {
    mayRestore = false;
    const end = rest.findIndex((piece) => isWord(piece, 'for'));
    const statement = rest.slice(end + 1);
    if (end < 2 || isWord(statement[0], 'set') || !reads(statement)) return false;
    rest = rest.slice(1, end);
  }
  const scope = isWord(rest[0], 'session') || isWord(rest[0], 'local') ? 1 : 0;
  // SET TRANSACTION lists modes; READ WRITE is refused by its words.
  if (isWord(rest[scope], 'transaction') && rest[scope + 1]?.kind === 'word') return true;
  return splitAtCommas(rest).every(
    (part) => isOwnAssignment(part) || (mayRestore && restoresMode(part)),
  );
}

/**
 * Returns true if a SET of MySQL or MariaDB takes `sql_mode` from a variable of the user. Programs
 * save the mode in one and set it again. Only the server knows its value.
 */
export const isModeRestored = ({ words, pieces }: Pick<Statement, 'words' | 'pieces'>): boolean =>
  words[0] === 'set' && splitAtCommas(pieces.slice(1)).some(restoresMode);

function restoresMode(part: readonly Piece[]): boolean {
  const at = part.findIndex(({ text }) => !SCOPES.has(text));
  const target = part[at];
  if (!isName(target) || target.text.replace(/^@@/, '') !== 'sql_mode') return false;
  if (part.slice(0, at).some(({ text }) => SHARED.test(text)) || !hasValue(part, at + 1))
    return false;
  const [value, name, ...more] = part.slice(at + (isMark(part[at + 1], '=') ? 2 : 3));
  if (value?.kind !== 'word' || more.length > 0) return false;
  // The name of a user variable may be quoted.
  return value.text === '@' ? name !== undefined : !name && /^@[^@]/.test(value.text);
}

function isOwnAssignment(part: readonly Piece[]): boolean {
  const [first] = part;
  if (first?.kind !== 'word') return isAssignment(part, 0);
  if (first.text.startsWith('@') && !first.text.startsWith('@@'))
    // The name of a user variable may be quoted.
    return hasValue(part, first.text === '@' ? 2 : 1);
  const at = part.findIndex(({ text }) => !SCOPES.has(text));
  if (part.slice(0, at).some(({ text }) => SHARED.test(text))) return false;
  // The character set is decided by its own rules.
  if (first.text === 'names' || first.text === 'charset') return true;
  if (first.text === 'character' && isWord(part[1], 'set')) return true;
  return isAssignment(
    part,
    part.findIndex(({ text }) => !SCOPES.has(text)),
  );
}

/** Returns true if a value follows, after `=` or `:=`, that assigns to user variables only. */
function hasValue(part: readonly Piece[], at: number): boolean {
  const isAssigned = (index: number) => isMark(part[index], ':') && isMark(part[index + 1], '=');
  if (!isMark(part[at], '=') && !isAssigned(at)) return false;
  const isOfUser = (index: number) =>
    /^@[^@]/.test(part[index]?.text ?? '') || part[index - 1]?.text === '@';
  return part.every((_, index) => index <= at || !isAssigned(index) || isOfUser(index - 1));
}

function isAssignment(part: readonly Piece[], at: number): boolean {
  const target = part[at];
  if (!isName(target) || !hasValue(part, at + 1)) return false;
  const name = target.text.replace(/^@@/, '');
  const value = part.slice(at + (isMark(part[at + 1], '=') ? 2 : 3));
  if (REFUSED_BY_MYSQL.has(name)) return false;
  if (name === 'sql_mode') return isReadableMode(value);
  return !READ_ONLY.test(name) || isOn(value);
}

/** Returns true if all modes of a value are known: others change what quotes and blocks mean. */
const isReadableMode = (value: readonly Piece[]): boolean =>
  value.every(({ kind, text }) =>
    kind === 'string'
      ? text
          .toLowerCase()
          .split(',')
          .every((mode) => mode.trim() === '' || MODES.has(mode.trim()))
      : kind === 'other'
        ? MARKS_OF_MODES.has(text)
        : WORDS_OF_MODES.has(text),
  );
