import type { ErrorCode } from '@sallyport/contract';
import { MysqlRefused, SignInRefused } from '@sallyport/sql-relays';
import { peerWords } from '../../peer-words.ts';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';

/** Maximum characters of a code: servers may send any text in its place. */
const MAX_CODE = 32;

/** The error of a database server: an SQLSTATE, a number of MySQL, or the first word of Redis. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = codeOf(code);
  }
}

/** Returns a code of a server for one of our sentences. */
export const codeOf = (code: string): string => peerWords(code.slice(0, MAX_CODE));

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
    // Some servers that speak like PostgreSQL send no SQLSTATE (Buena Vista 0.5).
    return new ServerError(String(error.code ?? error.severity), error.message);
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

/** The text of a server without the arguments of an unknown command, which Redis repeats. */
const wordsOf = ({ message }: ServerError, { target }: Pick<Route, 'target'>): string =>
  peerWords(message.replace(/,? with args beginning with.*$/ims, ''), target.login.password);

/** Returns our sentence for an error of a server; `other` is the code for errors without one. */
export function serverRefusalOf(
  error: ServerError,
  route: Pick<Route, 'target' | 'database'>,
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
