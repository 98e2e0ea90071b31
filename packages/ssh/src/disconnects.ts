/**
 * Disconnects of our SSH server with a reason code and a text (RFC 4253, section 11.1). ssh2 leaves
 * the text empty. Texts are English: OpenSSH shows other characters as octal numbers.
 */
import { protocolOf, sendMessage } from './internals.ts';
import type { Connection } from './ssh2.ts';
import { counted } from './texts.ts';

/** Reason codes of a disconnect. */
export const DisconnectReason = {
  protocolError: 2,
  keyExchangeFailed: 3,
  serviceNotAvailable: 7,
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

/** Adds a text to each disconnect that ssh2 sends on this connection. */
export function wordDisconnects(connection: Connection): void {
  const protocol = protocolOf(connection);
  protocol.disconnect = (reason) => send(connection, reason, TEXTS[reason] ?? CLOSED);
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

/** A disconnect may also precede the end of a key exchange. */
const send = (connection: Connection, reason: number, text: string) =>
  sendMessage(protocolOf(connection), disconnectMessage(reason, text), true);
