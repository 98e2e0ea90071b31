import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { StreamEnded } from '@sallyport/sql-relays';

/** Starts TLS with a client that requested it. @throws StreamEnded, or the reason of the signal */
export function answerTls(
  socket: Socket,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((done, failed) => {
    // The TLS socket reads from the socket itself.
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext,
      ALPNProtocols: ['postgresql'],
    });
    const gone = () => giveUp(new StreamEnded('TLS did not begin'));
    const abort = () => giveUp(signal.reason);
    const settle = () => {
      signal.removeEventListener('abort', abort);
      secured.off('close', gone);
      secured.off('error', gone);
    };
    const giveUp = (reason: unknown) => {
      settle();
      secured.on('error', () => undefined);
      secured.destroy();
      failed(reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    secured.once('close', gone);
    secured.once('error', gone);
    secured.once('secure', () => {
      settle();
      secured.on('error', () => undefined);
      done(secured);
    });
  });
}
