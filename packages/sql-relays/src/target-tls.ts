import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { StreamEnded } from './byte-reader.ts';

/** The expected certificate. */
export interface TargetTls {
  /** Name that the certificate must have. */
  readonly serverName: string;
  /** PEM; empty means the public authorities. */
  readonly authority: string;
}

/**
 * Begins TLS on a connection to a target, with a verified certificate.
 * @throws the TLS error, or the reason of the signal
 */
export function beginTls(
  stream: Duplex,
  { serverName, authority }: TargetTls,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((done, failed) => {
    const socket = connectTls({
      socket: stream,
      host: serverName,
      ...(isIP(serverName) === 0 && { servername: serverName }),
      ...(authority !== '' && { ca: authority }),
      minVersion: 'TLSv1.2',
    });
    const abort = () => giveUp(signal.reason);
    const gone = () => giveUp(new StreamEnded('the connection was closed'));
    const giveUp = (reason: unknown) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      failed(reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', giveUp);
    socket.once('close', gone);
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', giveUp);
      socket.off('close', gone);
      done(socket);
    });
  });
}
