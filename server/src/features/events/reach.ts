import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { authoritiesOf } from '../../platform/outgoing.ts';

/** Within this time a receiver answers, from the name to the last byte. */
export const PATIENCE = 15_000;

/** Why an event was not taken; the message is for administrators. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
}

/** Connects to the first address that answers. */
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
      signal.throwIfAborted();
      problem ??= error;
    }
  }
  throw problem;
}

/**
 * Encrypts a connection; the certificate must be one of that name, signed by an authority that is
 * trusted.
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
    connectTls({ ...options, ...(isIP(plain) === 0 && { servername: plain }) }),
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
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', giveUp);
    socket.once('close', giveUp);
    socket.once(event, () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', giveUp);
      socket.off('close', giveUp);
      // Heard by who uses it; an error between two listeners must not end the process.
      socket.on('error', () => undefined);
      settle(socket);
    });
  });
}
