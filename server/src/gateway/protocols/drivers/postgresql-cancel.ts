import { cancelAtPostgres } from '@sallyport/sql-relays';
import type { Route } from '../connector.ts';
import { openTransport } from '../ssh/transport.ts';

/** Timeout of a cancel request. */
const WITHIN_MS = 10_000;

/**
 * Sends a cancel request over a new connection, and waits until the server has handled it.
 * `cancelKey`: process id and secret, as in the BackendKeyData message of the session.
 * @throws the error of the connection
 */
export async function cancelOverRoute(route: Route, cancelKey: Buffer): Promise<void> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const { stream, close } = await openTransport({ ...route, onStage: () => undefined }, signal);
  try {
    stream.on('error', () => undefined);
    await cancelAtPostgres(stream, route.database?.tls, cancelKey, signal);
  } finally {
    stream.destroy();
    close();
  }
}
