/**
 * Disconnects of our SSH server with a reason code and a text (RFC 4253, section 11.1). ssh2 leaves
 * the text empty. Texts are English: OpenSSH shows other characters as octal numbers.
 */
import { protocolOf, sendMessage } from './internals.ts';
import type { Connection } from './ssh2.ts';
import { counted } from './texts.ts';

/** Reason codes of a disconnect. */
export const DisconnectReason = {
  notAllowed: 1,
  protocolError: 2,
  keyExchangeFailed: 3,
  macError: 5,
  serviceNotAvailable: 7,
  connectionLost: 10,
  byApplication: 11,
  tooManyConnections: 12,
  noMoreMethods: 14,
} as const;

export type DisconnectReason = (typeof DisconnectReason)[keyof typeof DisconnectReason];

const DISCONNECT = 1;
/** Texts for the disconnects that ssh2 itself sends. */
const TEXTS: Readonly<Record<number, string>> = {
  [DisconnectReason.protocolError]: 'The client sent a message that the protocol does not allow.',
  [DisconnectReason.keyExchangeFailed]:
    'The key exchange failed. Client and server may have no algorithm in common.',
  [DisconnectReason.serviceNotAvailable]:
    'The client requested a service that is not available here.',
};
const CLOSED = 'The server closed the connection.';
/** Errors of ssh2 that end a connection without a disconnect. */
const SILENT_ENDS: readonly { error: RegExp; reason: DisconnectReason; text: string }[] = [
  {
    error: /^(Bad packet length|Invalid MAC|Unsupported state or unable to auth)/,
    reason: DisconnectReason.macError,
    text: 'The server received a damaged packet. The network may have changed it.',
  },
  {
    error: /^Keepalive timeout/,
    reason: DisconnectReason.connectionLost,
    text: 'The client did not answer the server.',
  },
  {
    error: /^(Invalid header|Header line|Max greeting|Greetings from)/,
    reason: DisconnectReason.protocolError,
    text: 'The first line of the client is not one of SSH.',
  },
];
const FAILED = 'The server failed to process a message of the client.';

/**
 * Adds a text to each disconnect that ssh2 sends on this connection, and sends a disconnect where
 * ssh2 closes without one.
 */
export function wordDisconnects(connection: Connection): void {
  const protocol = protocolOf(connection);
  protocol.disconnect = (reason) => send(connection, reason, TEXTS[reason] ?? CLOSED);
  connection.prependOnceListener('error', ({ message }: Error) => {
    const end = SILENT_ENDS.find(({ error }) => error.test(message));
    try {
      send(connection, end?.reason ?? DisconnectReason.byApplication, end?.text ?? FAILED);
    } catch {
      // ssh2 has sent its own disconnect, or the socket is closed.
    }
  });
}

/** Disconnects the client with a reason that clients show, and ends our side of the connection. */
export function endConnection(
  connection: Connection,
  reason: DisconnectReason,
  text: string,
): void {
  const protocol = protocolOf(connection);
  const { disconnect } = protocol;
  protocol.disconnect = () => send(connection, reason, text);
  try {
    connection.end();
  } finally {
    protocol.disconnect = disconnect;
  }
}

/** The bytes of a disconnect message. */
export function disconnectMessage(reason: number, text: string): Buffer {
  const head = Buffer.from([DISCONNECT, 0, 0, 0, 0]);
  head.writeUInt32BE(reason, 1);
  return Buffer.concat([head, counted(text), counted('en')]);
}

/** Block size and minimum padding of unencrypted packets (RFC 4253, section 6). */
const BLOCK = 8;
const MIN_PADDING = 4;
/** Packet length and padding length. */
const HEAD = 4 + 1;

/**
 * The bytes with which a server refuses a client before the key exchange: our first line and an
 * unencrypted disconnect. `ident` follows `SSH-2.0-`.
 */
export function refusal(ident: string, reason: DisconnectReason, text: string): Buffer {
  const payload = disconnectMessage(reason, text);
  const padding = BLOCK - ((HEAD + payload.length + MIN_PADDING) % BLOCK) + MIN_PADDING;
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(1 + payload.length + padding);
  head[HEAD - 1] = padding;
  const line = Buffer.from(`SSH-2.0-${ident}\r\n`);
  return Buffer.concat([line, head, payload, Buffer.alloc(padding)]);
}

/** A disconnect may also precede the end of a key exchange. */
const send = (connection: Connection, reason: number, text: string) =>
  sendMessage(protocolOf(connection), disconnectMessage(reason, text), true);
