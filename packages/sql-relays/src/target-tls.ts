import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import { StreamEnded } from './byte-reader.ts';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Returns an error unless the certificate has the name of the server, or is one of the configured
 * certificates. MySQL 9.7.4 creates its own certificates, which have no name of the server: the
 * administrator enters that certificate next to its authority.
 */
export function checkIdentity(
  { serverName, authority }: TargetTls,
  certificate: PeerCertificate,
): Error | undefined {
  const isPinned = (authority.match(PEM) ?? []).some((pem) => isCertificate(pem, certificate));
  return isPinned ? undefined : checkServerIdentity(serverName, certificate);
}

/** An exception would end the process: Node calls the check outside of any promise. */
function isCertificate(pem: string, { raw }: PeerCertificate): boolean {
  try {
    return new X509Certificate(pem).raw.equals(raw);
  } catch {
    return false;
  }
}

/** The expected certificate. */
export interface TargetTls {
  /** Name that the certificate must have. */
  readonly serverName: string;
  /** PEM certificates; empty means the public authorities. */
  readonly authority: string;
  /** Receives the connection before its handshake. */
  readonly watch?: (socket: TLSSocket) => void;
}

/**
 * Begins TLS on a connection to a target, with a verified certificate.
 * @throws the TLS error, or the reason of the signal
 */
export function beginTls(stream: Duplex, tls: TargetTls, signal: AbortSignal): Promise<TLSSocket> {
  const { serverName, authority } = tls;
  return new Promise((done, failed) => {
    const socket = connectTls({
      socket: stream,
      host: serverName,
      ...(isIP(serverName) === 0 && { servername: serverName }),
      ...(authority !== '' && { ca: authority }),
      checkServerIdentity: (_, certificate) => checkIdentity(tls, certificate),
      minVersion: 'TLSv1.2',
    });
    tls.watch?.(socket);
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
