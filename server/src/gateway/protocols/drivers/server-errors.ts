import type { ErrorCode } from '@sallyport/contract';
import { MysqlRefused, SignInRefused } from '@sallyport/sql-relays';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';

/** The error of a database server: an SQLSTATE, a number of MySQL, or the first word of Redis. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the error of the server in an error of a driver or a listener. */
export function serverErrorOf(error: unknown): ServerError | undefined {
  if (error instanceof ServerError) return error;
  if (error instanceof SignInRefused || error instanceof MysqlRefused)
    return new ServerError(String(error.answer.code), error.answer.message);
  if (!(error instanceof Error)) return undefined;
  // mysql2 names the numbers of MariaDB by the list of MySQL, where they mean other errors.
  if ('sqlMessage' in error && 'errno' in error)
    return new ServerError(String(error.errno), String(error.sqlMessage));
  if ('severity' in error && 'code' in error)
    return new ServerError(String(error.code), error.message);
  return undefined;
}

/**
 * Errors with their own sentence, as `code message`: SQLSTATE of PostgreSQL, numbers of MySQL and
 * MariaDB, first words of Redis. Redis 7.0.15 sent those of Redis, and "Client sent AUTH" and
 * "invalid password" are of versions before 6.
 */
const SENTENCES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^(?:28P01|1045|1698|WRONGPASS|NOAUTH) /, 'connect_credentials'],
  // Other 28000 of PostgreSQL are about pg_hba.conf, the role, or a certificate of the client.
  [
    /^28000 (?:LDAP|PAM|RADIUS|BSD|GSSAPI|SSPI) authentication failed for user /,
    'connect_credentials',
  ],
  [/^ERR invalid (?:username-)?password/, 'connect_credentials'],
  [/^(?:3D000|1049) /, 'connect_database_missing'],
  [/^(?:53300|1040|1203|1226) |^ERR max number of clients/, 'connect_database_full'],
  [/^(?:57P03|LOADING|MASTERDOWN) /, 'connect_database_starting'],
  [/^ERR (?:AUTH <password> called|Client sent AUTH)/, 'connect_redis_no_password'],
  [/^DENIED /, 'connect_redis_protected'],
];
const MAX_WORDS = 200;
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Returns the first line of a server's text for our sentence. Servers may repeat our arguments,
 * such as Redis those of an unknown command, so the password is removed.
 */
function wordsOf({ message }: ServerError, { target }: Route): string {
  const [line = ''] = message.split(/[\r\n]/, 1);
  const text = line.replace(/,? with args beginning with.*$/i, '');
  const { password } = target.login;
  const words = (password ? text.replaceAll(password, '…') : text)
    .replace(CONTROLS, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}

/** Returns our sentence for an error of a server; `other` is the code for errors without one. */
export function serverRefusalOf(
  error: ServerError,
  route: Route,
  other: 'connect_database' | 'connect_redis_select' = 'connect_database',
): Refusal {
  const { target, database } = route;
  const sentence = SENTENCES.find(([pattern]) => pattern.test(`${error.code} ${error.message}`));
  return new Refusal(sentence?.[1] ?? other, {
    host: `${target.host}:${target.port}`,
    account: target.login.username || target.name,
    database: database?.name ?? '',
    code: error.code,
    message: wordsOf(error, route),
  });
}
