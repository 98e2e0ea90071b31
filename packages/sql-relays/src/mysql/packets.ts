import { BodyReader, ProtocolViolation } from '../byte-reader.ts';

export const CAPABILITY = {
  longPassword: 1,
  foundRows: 2,
  longFlag: 4,
  connectWithDatabase: 8,
  localFiles: 0x80,
  ignoreSpace: 0x100,
  protocol41: 0x200,
  interactive: 0x400,
  tls: 0x800,
  transactions: 0x2000,
  secureConnection: 0x8000,
  multiStatements: 0x10000,
  multiResults: 0x20000,
  preparedMultiResults: 0x40000,
  pluginAuth: 0x80000,
  connectAttributes: 0x100000,
  pluginAuthLength: 0x200000,
} as const;

/** Flags for compressed packets, zlib and zstd. */
export const COMPRESSED = 0x20 | 0x4000000;

/**
 * Flags that change the replies to commands, so both sides of a relay must agree. No other flags
 * are offered: results end with EOF packets, and sessions are not tracked.
 */
export const RELAYED =
  CAPABILITY.longPassword |
  CAPABILITY.foundRows |
  CAPABILITY.longFlag |
  CAPABILITY.localFiles |
  CAPABILITY.ignoreSpace |
  CAPABILITY.protocol41 |
  CAPABILITY.interactive |
  CAPABILITY.transactions |
  CAPABILITY.multiStatements |
  CAPABILITY.multiResults |
  CAPABILITY.preparedMultiResults;

export const COMMAND = {
  quit: 0x01,
  initDatabase: 0x02,
  query: 0x03,
  fieldList: 0x04,
  statistics: 0x09,
  ping: 0x0e,
  changeUser: 0x11,
  prepare: 0x16,
  execute: 0x17,
  longData: 0x18,
  closeStatement: 0x19,
  resetStatement: 0x1a,
  setOption: 0x1b,
  fetch: 0x1c,
  resetConnection: 0x1f,
} as const;

export const MORE_RESULTS = 0x08;
/** Maximum payload of a packet. A payload of exactly this length continues in the next packet. */
export const FULL_PACKET = 0xffffff;

export function packet(sequence: number, ...parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(
    parts.reduce((sum, part) => sum + part.length, 0),
    0,
    3,
  );
  header.writeUInt8(sequence & 0xff, 3);
  return Buffer.concat([header, ...parts]);
}

export function errorPacket(sequence: number, code: number, state: string, text: string): Buffer {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(code);
  return packet(
    sequence,
    Buffer.from([0xff]),
    number,
    Buffer.from(`#${state.padEnd(5).slice(0, 5)}${text}`, 'utf8'),
  );
}

/** Builds an OK packet without rows. */
export function okPacket(sequence: number, status: number): Buffer {
  return packet(sequence, Buffer.from([0, 0, 0, status & 0xff, status >> 8, 0, 0]));
}

/** Reads a length-encoded integer; undefined for NULL. @throws ProtocolViolation */
export function readLength(reader: BodyReader): number | undefined {
  const first = reader.uint8();
  if (first < 0xfb) return first;
  if (first === 0xfb) return undefined;
  if (first === 0xfc) return reader.uintLE(2);
  if (first === 0xfd) return reader.uintLE(3);
  if (first === 0xff) throw new ProtocolViolation('not a length');
  const long = reader.bytes(8).readBigUInt64LE();
  if (long > BigInt(Number.MAX_SAFE_INTEGER)) throw new ProtocolViolation('a length is too large');
  return Number(long);
}

/** Reads length-encoded bytes; undefined for NULL. @throws ProtocolViolation */
export function readCounted(reader: BodyReader): Buffer | undefined {
  const length = readLength(reader);
  return length === undefined ? undefined : reader.bytes(length);
}

/** Parses an ERR packet. @throws ProtocolViolation */
export function readErrorPacket(payload: Buffer): {
  readonly code: number;
  readonly message: string;
} {
  const reader = new BodyReader(payload);
  reader.uint8();
  const code = reader.uintLE(2);
  const rest = reader.rest();
  return { code, message: (rest[0] === 0x23 ? rest.subarray(6) : rest).toString('utf8') };
}

/** Parses affected rows and status flags of an OK packet. @throws ProtocolViolation */
export function readOkPacket(payload: Buffer): { readonly rows: number; readonly status: number } {
  const reader = new BodyReader(payload);
  reader.uint8();
  const rows = readLength(reader) ?? 0;
  readLength(reader);
  return { rows, status: reader.uintLE(2) };
}

/** Reads the name from a column definition. @throws ProtocolViolation */
export function readColumnName(payload: Buffer): string {
  const reader = new BodyReader(payload);
  for (let part = 0; part < 4; part++) readCounted(reader);
  return readCounted(reader)?.toString('utf8') ?? '';
}
