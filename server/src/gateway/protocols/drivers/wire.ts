import { DATABASE_TYPES } from '@sallyport/contract';
import { PlainPassword, UnknownSignIn } from '@sallyport/sql-relays';
import { certificateProblemOf } from '../../../platform/certificate-problem.ts';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { peerOf, refusalOf } from '../ssh/ssh-errors.ts';
import { openTransport, type Transport } from '../ssh/transport.ts';
import { serverErrorOf, serverRefusalOf } from './server-errors.ts';

/**
 * TLS 1.3 has an alert for a missing certificate of the client, which arrives after the handshake.
 * Valkey 9.1.2 sends it by default (`tls-auth-clients yes`).
 */
const CLIENT_CERTIFICATE = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
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
    throw databaseRefusalOf(error, route, within.aborted);
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
function unknownSignInOf(error: unknown, { target, database }: Route): Refusal | undefined {
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

/** Maps the failure of a sign-in at a database to a Refusal, for both ways in. */
export function databaseRefusalOf(error: unknown, route: Route, isLate = false): Refusal {
  const { target, database } = route;
  const host = `${target.host}:${target.port}`;
  if (isLate) return new Refusal('connect_timeout', { host });
  if (error instanceof Refusal) return error;
  const unknown = unknownSignInOf(error, route);
  if (unknown) return unknown;
  const answer = serverErrorOf(error);
  if (answer) return serverRefusalOf(answer, route);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : '';
  if (code === CLIENT_CERTIFICATE) return new Refusal('connect_client_certificate', { host });
  const refused = database?.tls ? certificateProblemOf(error, host) : undefined;
  if (refused) return new Refusal(refused.code, refused.params);
  if (
    database?.tls &&
    (CERTIFICATE.test(code) || /certificate|self.signed|altname|ssl|tls|secure/i.test(message))
  )
    return new Refusal('connect_certificate', { host });
  const refusal = refusalOf(error, peerOf(target));
  return refusal.problem.code === 'connect_protocol_error'
    ? new Refusal('database_protocol', { host })
    : refusal;
}
