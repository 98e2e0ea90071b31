import { once } from 'node:events';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Route } from '../connector.ts';
import { openTransport } from '../ssh/transport.ts';

/** Codes of requests before the sign-in (PostgreSQL, "Message Formats"). */
const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
/** Timeout of a cancel request. */
const WITHIN_MS = 10_000;

/**
 * Sends a cancel request over a new connection. The result shows only in the running statement.
 * @throws the error of the connection
 */
export async function cancelRequest(
  route: Route,
  processId: number,
  secretKey: number | Buffer,
): Promise<void> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const { stream, close } = await openTransport({ ...route, onStage: () => undefined }, signal);
  try {
    stream.on('error', () => undefined);
    const tls = route.database?.tls;
    let wire: Duplex = stream;
    if (tls) {
      stream.write(message(SSL_REQUEST, Buffer.alloc(0)));
      const [answer] = (await once(stream, 'data', { signal })) as [Buffer];
      if (answer.toString('latin1') !== 'S') return;
      const secure = connectTls({
        socket: stream,
        host: tls.serverName,
        minVersion: 'TLSv1.2',
        ...(isIP(tls.serverName) === 0 && { servername: tls.serverName }),
        ...(tls.authority && { ca: tls.authority }),
      });
      await once(secure, 'secureConnect', { signal });
      wire = secure;
    }
    const key = typeof secretKey === 'number' ? number(secretKey) : secretKey;
    const closed = once(wire, 'close', { signal });
    wire.resume();
    wire.end(message(CANCEL_REQUEST, Buffer.concat([number(processId), key])));
    // The server closes the connection after handling the request.
    await closed;
  } finally {
    stream.destroy();
    close();
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
}

function message(code: number, body: Buffer): Buffer {
  return Buffer.concat([number(8 + body.length), number(code), body]);
}
