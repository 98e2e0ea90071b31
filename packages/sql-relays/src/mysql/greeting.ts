import { BodyReader, ProtocolViolation } from '../byte-reader.ts';
import { CAPABILITY, readCounted } from './packets.ts';

export interface Greeting {
  readonly capabilities: number;
  readonly connectionId: number;
  readonly nonce: Buffer;
  readonly plugin: string;
}

/** Parses the handshake packet of a server (protocol 10). @throws ProtocolViolation */
export function readGreeting(payload: Buffer): Greeting {
  const reader = new BodyReader(payload);
  if (reader.uint8() !== 10) throw new ProtocolViolation('another version of the protocol');
  reader.zeroEnded();
  const connectionId = reader.uintLE(4);
  const first = reader.bytes(8);
  reader.uint8();
  const low = reader.uintLE(2);
  reader.bytes(3);
  const capabilities = low + reader.uintLE(2) * 0x10000;
  const length = reader.uint8();
  reader.bytes(10);
  const rest = reader.bytes(Math.max(13, length - 8));
  const nonce = Buffer.concat([first, rest.subarray(0, 12)]);
  const pluginName =
    (capabilities & CAPABILITY.pluginAuth) !== 0 && reader.left > 0
      ? reader.rest()
      : Buffer.alloc(0);
  const end = pluginName.indexOf(0);
  return {
    capabilities,
    connectionId,
    nonce,
    plugin: pluginName.subarray(0, end < 0 ? pluginName.length : end).toString('latin1'),
  };
}

/** utf8mb4_general_ci. Both sides always use it, because the guard reads statements as UTF-8. */
const UTF8MB4 = 45;

/** Builds the handshake packet of a server. */
export function greeting(
  { capabilities, connectionId, nonce, plugin }: Greeting,
  version: string,
): Buffer {
  const numbers = Buffer.alloc(4);
  numbers.writeUInt32LE(connectionId);
  const low = Buffer.alloc(2);
  low.writeUInt16LE(capabilities & 0xffff);
  const high = Buffer.alloc(2);
  high.writeUInt16LE(capabilities >>> 16);
  return Buffer.concat([
    Buffer.from([10]),
    Buffer.from(`${version}\0`),
    numbers,
    nonce.subarray(0, 8),
    Buffer.from([0]),
    low,
    // Status flag: autocommit.
    Buffer.from([UTF8MB4, 2, 0]),
    high,
    Buffer.from([21]),
    Buffer.alloc(10),
    nonce.subarray(8),
    Buffer.from([0]),
    Buffer.from(`${plugin}\0`),
  ]);
}

/** The handshake response of a client. Without a username it requests TLS first. */
export interface Response {
  readonly capabilities: number;
  readonly username: string | undefined;
  readonly answer: Buffer;
  readonly database: string;
  readonly plugin: string;
}

const HEAD = 32;

/** Parses the response of a client, or its TLS request. @throws ProtocolViolation */
export function readResponse(payload: Buffer): Response {
  const reader = new BodyReader(payload);
  const capabilities = reader.uintLE(4);
  if ((capabilities & CAPABILITY.protocol41) === 0)
    throw new ProtocolViolation('a client before the protocol 4.1');
  // Skip the maximum packet size and the requested character set.
  reader.bytes(28);
  if (payload.length === HEAD)
    return { capabilities, username: undefined, answer: Buffer.alloc(0), database: '', plugin: '' };
  const username = reader.text();
  let answer: Buffer;
  if ((capabilities & CAPABILITY.pluginAuthLength) !== 0)
    answer = readCounted(reader) ?? Buffer.alloc(0);
  else if ((capabilities & CAPABILITY.secureConnection) !== 0)
    answer = reader.bytes(reader.uint8());
  else answer = reader.zeroEnded();
  const optional = (capability: number) =>
    (capabilities & capability) !== 0 && reader.left > 0 ? reader.text() : '';
  const database = optional(CAPABILITY.connectWithDatabase);
  const plugin = optional(CAPABILITY.pluginAuth);
  return { capabilities, username, answer, database, plugin };
}

/** The start of a handshake response; on its own it is the TLS request. */
export function responseHead(capabilities: number): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(capabilities >>> 0, 0);
  head.writeUInt32LE(0x40000000, 4);
  head.writeUInt8(UTF8MB4, 8);
  return head;
}
