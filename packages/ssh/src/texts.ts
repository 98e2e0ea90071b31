/** Texts of the SSH protocol that the library omits: reasons of rejected channels, and banners. */
import { protocolOf, sendMessage } from './internals.ts';
import type { Connection } from './ssh2.ts';

/** Reason codes of a failed channel open (RFC 4254, section 5.1). */
export const ChannelFailure = { prohibited: 1, connectFailed: 2, shortage: 4 } as const;

const BANNER = 53;

/**
 * Sends a text before authentication completes (RFC 4252, section 5.4). Clients show it unchanged,
 * unlike the instructions of a prompt.
 */
export function sendBanner(connection: Connection, text: string): void {
  sendMessage(
    protocolOf(connection),
    Buffer.concat([Buffer.from([BANNER]), counted(`${text}\r\n`), Buffer.alloc(4)]),
  );
}

/** Rejects a channel with a reason that clients show; `reject` is the library's function. */
export function refuseChannel(
  connection: Connection,
  reject: () => void,
  code: number,
  text: string,
): void {
  const protocol = protocolOf(connection);
  const fail = protocol.channelOpenFail;
  protocol.channelOpenFail = (recipient) => fail.call(protocol, recipient, code, text);
  try {
    reject();
  } finally {
    protocol.channelOpenFail = fail;
  }
}

/** A string of the protocol: its length, then its bytes. */
export function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
