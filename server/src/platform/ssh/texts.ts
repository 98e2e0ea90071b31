/** Texts of the SSH protocol that the library omits: reasons of rejected channels, and banners. */
import './key-exchange.ts';
import { createRequire } from 'node:module';
import type { Connection } from './ssh2.ts';

/** Reason codes of a failed channel open (RFC 4254, section 5.1). */
export const ChannelFailure = { prohibited: 1, connectFailed: 2, shortage: 4 } as const;

const BANNER = 53;

interface Writer {
  readonly allocStart: number;
  alloc(size: number): Buffer;
  finalize(packet: Buffer): Buffer;
}

/** Members of ssh2's internal protocol object. */
interface Protocol {
  readonly _packetRW: { readonly write: Writer };
  channelOpenFail(recipient: number, reason: number, description: string): void;
}

const { sendPacket } = createRequire(import.meta.url)('ssh2/lib/protocol/utils.js') as {
  sendPacket(protocol: Protocol, packet: Buffer): boolean;
};

/**
 * Sends a text before authentication completes (RFC 4252, section 5.4). Clients show it unchanged,
 * unlike the instructions of a prompt.
 */
export function sendBanner(connection: Connection, text: string): void {
  const protocol = protocolOf(connection);
  const body = Buffer.concat([Buffer.from([BANNER]), counted(`${text}\r\n`), Buffer.alloc(4)]);
  const { write } = protocol._packetRW;
  const start = write.allocStart;
  const packet = write.alloc(body.length);
  body.copy(packet, start);
  sendPacket(protocol, write.finalize(packet));
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

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function protocolOf(connection: Connection): Protocol {
  const protocol: unknown = Reflect.get(connection, '_protocol');
  if (!isProtocol(protocol)) throw new Error('ssh2 has changed inside');
  return protocol;
}

function isProtocol(value: unknown): value is Protocol {
  return (
    typeof value === 'object' &&
    value !== null &&
    '_packetRW' in value &&
    'channelOpenFail' in value
  );
}
