import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { certificateProblemOf } from './certificate-problem.ts';

/** Maximum certificates of a chain. */
const MAX_CHAIN = 10;
/** Timeout of a second connection in milliseconds. */
const SECOND_TIMEOUT = 5_000;
/** Problems that have a date. */
const DATED: readonly (string | undefined)[] = [
  'connect_certificate_expired',
  'connect_certificate_early',
];

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

/**
 * Finds the date for an error of a client that does not show us its connection: connects once more.
 * Returns the message of the error with the date; '' for other errors, and if it is not found.
 */
export async function datesOfRefusal(
  error: unknown,
  connect: (signal: AbortSignal) => TLSSocket | Promise<TLSSocket>,
): Promise<string> {
  if (!DATED.includes(certificateProblemOf(error, '')?.code)) return '';
  const signal = AbortSignal.timeout(SECOND_TIMEOUT);
  const late = new Promise<''>((settle) => {
    signal.addEventListener('abort', () => settle(''), { once: true });
  });
  let socket: TLSSocket | undefined;
  const handshake = async () => {
    const opened = noteDates(await connect(signal));
    socket = opened;
    return new Promise<string>((settle) => {
      opened.once('error', ({ message }) => settle(message));
      opened.once('secureConnect', () => settle(''));
      opened.once('close', () => settle(''));
    });
  };
  try {
    const message = await Promise.race([handshake().catch(() => ''), late]);
    return DATED.includes(certificateProblemOf(message, '')?.code) ? message : '';
  } finally {
    socket?.destroy();
  }
}
