import { DATABASE_TYPES } from '@sallyport/contract';
import { PlainPassword, UnknownSignIn } from '@sallyport/sql-relays';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { refusalOf } from '../ssh/ssh-errors.ts';
import { openTransport, peerOf, type Transport } from '../ssh/transport.ts';

/** TLS errors that mean an unverified server. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_TLS|EPROTO|ERR_SSL/;

/**
 * Opens the route of a database and runs a sign-in with a timeout. Leaves nothing open on failure.
 * @throws Refusal
 */
export async function signInOver<T>(
  route: Route,
  signal: AbortSignal,
  signIn: (transport: Transport, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const transport = await openTransport(route, signal);
  route.onStage('authenticating', route.target.name);
  const within = AbortSignal.any([signal, AbortSignal.timeout(route.timeoutMs)]);
  try {
    return await untilAborted(signIn(transport, within), within);
  } catch (error) {
    transport.stream.destroy();
    transport.close();
    signal.throwIfAborted();
    const host = `${route.target.host}:${route.target.port}`;
    if (within.aborted) throw new Refusal('connect_timeout', { host });
    throw signInRefusalOf(error, route);
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, failed) => {
    signal.addEventListener('abort', () => failed(signal.reason), { once: true });
    work.then(done, failed);
  });
}

/**
 * The refusal of a server that asks for a kind of sign-in that we do not support, or for the
 * password in plain text without TLS.
 */
export function unknownSignInOf(error: unknown, { target, database }: Route): Refusal | undefined {
  if (error instanceof PlainPassword)
    return new Refusal('connect_plain_password', { host: `${target.host}:${target.port}` });
  const isUnknown =
    error instanceof UnknownSignIn ||
    (error instanceof Error && 'code' in error && error.code === 'AUTH_SWITCH_PLUGIN_ERROR');
  const type = DATABASE_TYPES.find(({ value }) => value === database?.type);
  return isUnknown && type
    ? new Refusal('connect_desktop_sign_in', {
        host: `${target.host}:${target.port}`,
        protocol: type.label.en,
      })
    : undefined;
}

/** Codes of PostgreSQL, MySQL and Redis for a wrong account or password. */
const REJECTED = new Set([
  '28P01',
  '28000',
  'ER_ACCESS_DENIED_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  'WRONGPASS',
  'NOAUTH',
  'NOPERM',
]);

/**
 * Maps an error to a Refusal. Keeps the database's own code only from a server with a verified
 * certificate, or one without TLS.
 */
function signInRefusalOf(error: unknown, route: Route): Refusal {
  const { target, database } = route;
  if (error instanceof Refusal) return error;
  const host = `${target.host}:${target.port}`;
  const unknown = unknownSignInOf(error, route);
  if (unknown) return unknown;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : '';
  if (REJECTED.has(code))
    return new Refusal('connect_credentials', {
      host,
      account: target.login.username || target.name,
    });
  if (
    database?.tls &&
    (CERTIFICATE.test(code) || /certificate|self.signed|altname|ssl|tls|secure/i.test(message))
  )
    return new Refusal('connect_certificate', { host });
  if (/^(?:[0-9A-Z]{5}|ER_\w+)$/.test(code)) return new Refusal('connect_database', { host, code });
  const refusal = refusalOf(error, peerOf(target));
  return refusal.problem.code === 'connect_protocol_error'
    ? new Refusal('database_protocol', { host })
    : refusal;
}
