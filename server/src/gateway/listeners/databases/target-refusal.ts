import type { Route } from '../../protocols/connector.ts';
import { refusalOf } from '../../protocols/ssh/ssh-errors.ts';
import { peerOf } from '../../protocols/ssh/transport.ts';
import { Refusal } from '../../refusal.ts';

/** The error with which a server rejected a session, without its text. */
export interface ServerAnswer {
  readonly isAboutAccount: boolean;
  readonly code: string;
}

/** SQLSTATE invalid_catalog_name, and ER_BAD_DB_ERROR. */
const MISSING: ReadonlySet<string> = new Set(['3D000', '1049']);

/** Converts a failed sign-in at a database to our own error. */
export function targetRefusalOf(
  error: unknown,
  answer: ServerAnswer | undefined,
  { target }: Route,
  isLate: boolean,
): unknown {
  const host = `${target.host}:${target.port}`;
  if (isLate) return new Refusal('connect_timeout', { host });
  if (answer?.isAboutAccount)
    return new Refusal('connect_credentials', { host, account: target.login.username });
  if (answer && MISSING.has(answer.code))
    return new Refusal('connect_database_missing', { host, code: answer.code });
  if (answer) return new Refusal('connect_database', { host, code: answer.code });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code))
    return new Refusal('connect_certificate', { host });
  if (error instanceof Error && error.message === 'the server has no TLS')
    return new Refusal('connect_certificate', { host });
  const refusal = refusalOf(error, peerOf(target));
  return refusal.problem.code === 'connect_protocol_error'
    ? new Refusal('database_protocol', { host })
    : refusal;
}
