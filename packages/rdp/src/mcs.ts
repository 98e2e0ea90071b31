import { BadPdu, ByteReader, u16be } from './byte-reader.ts';

/** First bytes of MCS PDUs (T.125) in the form that RDP uses. */
export const MCS = {
  erectDomain: 0x04,
  disconnect: 0x21,
  attachUser: 0x28,
  attachConfirm: 0x2e,
  joinRequest: 0x38,
  joinConfirm: 0x3e,
  sendRequest: 0x64,
  sendIndication: 0x68,
  connect: 0x7f,
} as const;

const X224_DATA = Buffer.from([2, 0xf0, 0x80]);
const HEAD = 7;
const MAX_DATA = 0x7fff;

/** Unwraps TPKT and X.224 data. @throws BadPdu */
export function mcsOf(pdu: Buffer): Buffer {
  if (pdu.length <= HEAD || pdu.readUInt8(0) !== 3 || !pdu.subarray(4, HEAD).equals(X224_DATA))
    throw new BadPdu('a TPKT carries no data');
  return pdu.subarray(HEAD);
}

/** Wraps a PDU in TPKT and X.224 data. */
export function tpkt(...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, HEAD);
  if (length > 0xffff) throw new BadPdu('a PDU is too long to be passed on');
  return Buffer.concat([Buffer.from([3, 0]), u16be(length), X224_DATA, ...parts]);
}

export interface ChannelData {
  /** MCS user id of the sender. */
  readonly initiator: number;
  readonly channel: number;
  readonly data: Buffer;
}

/** Parses a Send Data Request or Indication. @throws BadPdu */
export function readChannelData(mcs: Buffer): ChannelData {
  const reader = new ByteReader(mcs);
  reader.u8();
  const initiator = reader.u16be();
  const channel = reader.u16be();
  // Ignore the priority; both flags must mark a complete message.
  if ((reader.u8() & 0x30) !== 0x30) throw new BadPdu('data of a channel comes in parts');
  const length = readPerLength(reader);
  if (length !== reader.left) throw new BadPdu('data of a channel has another length');
  return { initiator, channel, data: reader.rest() };
}

export type SendKind = typeof MCS.sendRequest | typeof MCS.sendIndication;

/** Builds a Send Data Request or Indication. */
export function writeChannelData(
  kind: SendKind,
  { initiator, channel, data }: ChannelData,
): Buffer {
  if (data.length > MAX_DATA) throw new BadPdu('data of a channel is too long to be passed on');
  return tpkt(
    Buffer.from([kind]),
    u16be(initiator),
    u16be(channel),
    Buffer.from([0x70]),
    u16be(0x8000 | data.length),
    data,
  );
}

/**
 * Reads a PER length (X.691): one byte, or two bytes with the first bit set and 15 bits of length.
 * @throws BadPdu
 */
export function readPerLength(reader: ByteReader): number {
  const first = reader.u8();
  if (first < 0x80) return first;
  return ((first & 0x7f) << 8) | reader.u8();
}

/**
 * A settings block (MS-RDPBCGR 2.2.1.3.1, 2.2.1.4.1). `bytes` is a view of the PDU that includes
 * the header.
 */
export interface SettingsBlock {
  readonly kind: number;
  readonly bytes: Buffer;
}

/**
 * Parses the settings blocks of a Connect Initial (`Duca`) or Connect Response (`McDn`), which must
 * fill the rest of the PDU.
 * @throws BadPdu
 */
export function settingsOf(mcs: Buffer, key: 'Duca' | 'McDn'): SettingsBlock[] {
  const at = mcs.indexOf(key, 0, 'latin1');
  if (at < 0) throw new BadPdu('the settings are missing');
  const reader = new ByteReader(mcs.subarray(at + key.length));
  if (readPerLength(reader) !== reader.left) throw new BadPdu('the settings have another length');
  const body = reader.rest();
  const blocks: SettingsBlock[] = [];
  const kinds = new Set<number>();
  for (let from = 0; from < body.length; ) {
    const head = new ByteReader(body.subarray(from));
    const kind = head.u16();
    const length = head.u16();
    if (length < 4) throw new BadPdu('a block of the settings is too short');
    head.bytes(length - 4);
    if (kinds.has(kind)) throw new BadPdu('a block of the settings comes twice');
    kinds.add(kind);
    blocks.push({ kind, bytes: body.subarray(from, from + length) });
    from += length;
  }
  return blocks;
}
