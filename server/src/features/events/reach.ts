import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { noteDates } from '../../platform/certificate-dates.ts';
import { authoritiesOf } from '../../platform/outgoing.ts';

/** Timeout of a delivery in milliseconds, from name resolution to the last byte. */
export const DELIVERY_TIMEOUT = 15_000;

/** The reason of a failed delivery. Administrators read the message. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
}

/** Connects to the first address that accepts. */
export async function openPlain(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  let problem: unknown;
  for (const host of addresses) {
    try {
      return await connected(connect({ host, port, noDelay: true }), 'connect', signal);
    } catch (error) {
      if (signal.aborted) throw error;
      problem ??= error;
    }
  }
  throw problem;
}

/**
 * Starts TLS on a connection. The certificate must match the host and be signed by a trusted
 * authority.
 */
export async function encrypt(
  socket: Socket,
  host: string,
  certificate: string,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const plain = host.replace(/^\[|\]$/g, '');
  const options = {
    socket,
    host: plain,
    ca: authoritiesOf(certificate),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  } as const;
  return connected(
    noteDates(connectTls({ ...options, ...(isIP(plain) === 0 && { servername: plain }) })),
    'secureConnect',
    signal,
  );
}

function connected<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  return new Promise((settle, fail) => {
    const giveUp = (reason: unknown) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      fail(reason instanceof Error ? reason : new DeliveryError('no answer'));
    };
    const abort = () => giveUp(new DeliveryError('no answer in time'));
    // The resolver of names may have used up the time.
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', giveUp);
    socket.once('close', giveUp);
    socket.once(event, () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', giveUp);
      socket.off('close', giveUp);
      // The caller adds its own listener. An error before that must not end the process.
      socket.on('error', () => undefined);
      settle(socket);
    });
  });
}
