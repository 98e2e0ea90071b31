import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** Maximum certificates of a chain. */
const MAX_CHAIN = 10;

/** Returns when a chain stopped or starts to be valid. */
function datesOf(certificate: DetailedPeerCertificate): string {
  const now = Date.now();
  let one: DetailedPeerCertificate | undefined = certificate;
  for (let depth = 0; one?.valid_to && depth < MAX_CHAIN; depth++) {
    const [from, until] = [new Date(one.valid_from), new Date(one.valid_to)];
    if (until.getTime() < now) return `; valid until ${until.toISOString()}`;
    if (from.getTime() > now) return `; valid from ${from.toISOString()}`;
    // The issuer of a root is the root.
    one = one.issuerCertificate === one ? undefined : one.issuerCertificate;
  }
  return '';
}

/**
 * Adds the date to the error of a connection whose certificate has expired or is not valid yet.
 * Call before the handshake: the error of Node has no date, and Node closes the connection first.
 */
export function noteDates<Socket extends Duplex | null | undefined>(socket: Socket): Socket {
  if (!(socket instanceof TLSSocket)) return socket;
  // Runs before Node verifies the certificate in its own listener.
  socket.prependOnceListener('secure', () => {
    const certificate = socket.getPeerCertificate(true);
    socket.prependOnceListener('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'CERT_HAS_EXPIRED' || error.code === 'CERT_NOT_YET_VALID')
        error.message += datesOf(certificate);
    });
  });
  return socket;
}

/** Adds the dates to the errors of connections with these settings. */
export const withDates = <Tls extends object>(tls: Tls | undefined) =>
  tls && { ...tls, watch: noteDates };

/** An agent whose errors have the dates of refused certificates. */
export class DatingAgent extends Agent {
  override createConnection(
    ...args: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    return noteDates(super.createConnection(...args));
  }
}
