import type { Duplex } from 'node:stream';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { refusalOf } from '../ssh/ssh-errors.ts';
import { openTransport, peerOf, type Transport } from '../ssh/transport.ts';
import { MAX_ROW } from './driver.ts';

/** Errors of TLS that mean that the server did not prove who it is. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_TLS|EPROTO|ERR_SSL/;

/** Runs a sign-in over a new connection to the database of a route, within its time; nothing is left open when it fails. @throws Refusal */
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

/** The account or its password is wrong, by the codes of PostgreSQL, MySQL and Redis. */
const REJECTED = new Set([
  '28P01',
  '28000',
  'ER_ACCESS_DENIED_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  'WRONGPASS',
  'NOAUTH',
  'NOPERM',
]);

/** Why a database could not be opened, in our codes. Its own words are kept only where it has let somebody speak: it proved its certificate, or has none. */
function signInRefusalOf(error: unknown, { target, database }: Route): Refusal {
  if (error instanceof Refusal) return error;
  const host = `${target.host}:${target.port}`;
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
    ? new Refusal('connect_database', { host, code: 'protocol' })
    : refusal;
}

/** Follows what comes between two rows: a server that sends a row longer than anybody reads is cut off. Returns what is called at each row. */
export function limitRows(stream: Duplex, onFlood: () => void): () => void {
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ROW) onFlood();
  });
  return () => {
    bytes = 0;
  };
}
