import { BadPdu, ByteReader, u16, u32 } from './byte-reader.ts';
import type { ScreenSize } from './settings.ts';

/** Types of share control PDUs (MS-RDPBCGR 2.2.8.1.1.1.1). */
export const SHARE = {
  demandActive: 1,
  confirmActive: 3,
  deactivateAll: 6,
  data: 7,
  redirect: 10,
} as const;

/** Types of share data PDUs (2.2.8.1.1.1.2). */
export const DATA = {
  update: 2,
  control: 20,
  pointer: 27,
  input: 28,
  synchronize: 31,
  refresh: 33,
  playSound: 34,
  suppressOutput: 35,
  shutdownRequest: 36,
  shutdownDenied: 37,
  saveSessionInfo: 38,
  fontList: 39,
  fontMap: 40,
  keyboardIndicators: 41,
  persistentBitmaps: 43,
  errorInfo: 47,
  statusInfo: 54,
} as const;

/** Marks T.128 flow control PDUs, which are skipped. */
const FLOW = 0x8000;
export const CONTROL_HEAD = 6;
const DATA_HEAD = 12;
const MAX_TOGETHER = 64;

export interface SharePdu {
  readonly kind: number;
  /** From the header on. */
  readonly bytes: Buffer;
  /** Set for data PDUs. */
  readonly data?: { readonly kind: number; readonly shareId: number; readonly body: Buffer };
}

/** Parses the share control PDUs of one message, which they must fill exactly. @throws BadPdu */
export function readShare(bytes: Buffer): SharePdu[] {
  const pdus: SharePdu[] = [];
  for (let from = 0; from < bytes.length; ) {
    if (pdus.length >= MAX_TOGETHER) throw new BadPdu('too many PDUs come together');
    const reader = new ByteReader(bytes.subarray(from));
    const total = reader.u16();
    if (total === FLOW) {
      from += Math.min(8, reader.left + 2);
      continue;
    }
    if (total < CONTROL_HEAD - 2) throw new BadPdu('a share control PDU is too short');
    const kind = reader.u16() & 15;
    if (total > bytes.length - from) throw new BadPdu('a share control PDU ends too early');
    const whole = bytes.subarray(from, from + total);
    from += total;
    pdus.push({ kind, bytes: whole, ...(kind === SHARE.data && { data: readData(whole) }) });
  }
  return pdus;
}

function readData(bytes: Buffer): NonNullable<SharePdu['data']> {
  const reader = new ByteReader(bytes);
  reader.bytes(CONTROL_HEAD);
  const shareId = reader.u32();
  reader.bytes(4);
  const kind = reader.u8();
  // We announce that we support no compression.
  if (reader.u8() & 0x20) throw new BadPdu('a PDU is compressed although that was not agreed on');
  reader.u16();
  return { kind, shareId, body: reader.rest() };
}

export function writeData(
  kind: number,
  { shareId, source }: { readonly shareId: number; readonly source: number },
  body: Buffer,
): Buffer {
  const length = CONTROL_HEAD + DATA_HEAD + body.length;
  return Buffer.concat([
    u16(length),
    u16(0x10 | SHARE.data),
    u16(source),
    u32(shareId),
    Buffer.from([0, 1]),
    u16(length - 14),
    Buffer.from([kind, 0, 0, 0]),
    body,
  ]);
}

/**
 * A whole Deactivate All (2.2.3.1). xrdp 0.9.21 and Windows send its first six bytes only, which
 * IronRDP 0.10 does not read.
 */
export const writeDeactivateAll = (share: {
  readonly shareId: number;
  readonly source: number;
}): Buffer =>
  Buffer.concat([
    ...[u16(CONTROL_HEAD + 7), u16(0x10 | SHARE.deactivateAll), u16(share.source)],
    ...[u32(share.shareId), u16(1), Buffer.from([0])],
  ]);

/** The share id of a PDU that begins a share. @throws BadPdu */
export function shareIdOf({ bytes }: SharePdu): number {
  if (bytes.length < CONTROL_HEAD + 4) throw new BadPdu('a share has no number');
  return bytes.readUInt32LE(CONTROL_HEAD);
}

/**
 * Capability sets (2.2.1.13.1.1.1) that a browser may confirm. The excluded ones leave bitmaps as
 * the only drawing method.
 */
const CAPABILITY = { general: 1, bitmap: 2, order: 3 } as const;
const KEPT: ReadonlySet<number> = new Set([
  1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 19, 20, 26,
]);
const MAX_CAPABILITIES = 64;
/** Alpha may be skipped; colors are never lossy (2.2.7.1.2). */
const SKIP_ALPHA = 0x08;

/** The name of our client, and the offset of the capability sets that follow it. */
const CLIENT_NAME = Buffer.from('SALLYPORT\0');
export const CONFIRMED_SETS = CONTROL_HEAD + 6 + 4 + CLIENT_NAME.length + 4;

/**
 * Rewrites a browser's Confirm Active to self-contained bitmaps only. RemoteFX, surfaces and orders
 * build on earlier data, so a late watcher could never receive the full picture.
 *
 * @throws BadPdu
 */
export function rewriteConfirmActive({ bytes }: SharePdu, colors: number): Buffer {
  const reader = new ByteReader(bytes);
  const head = reader.bytes(CONTROL_HEAD);
  const identity = reader.bytes(6);
  const sourceLength = reader.u16();
  reader.u16();
  reader.bytes(sourceLength);
  const count = reader.u16();
  reader.u16();
  if (count > MAX_CAPABILITIES) throw new BadPdu('the browser confirms too many capabilities');
  const kept: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    const kind = reader.u16();
    const length = reader.u16();
    if (length < 4) throw new BadPdu('a capability is too short');
    const set = Buffer.concat([u16(kind), u16(length), reader.bytes(length - 4)]);
    if (KEPT.has(kind)) kept.push(plain(kind, set, colors));
  }
  const name = CLIENT_NAME;
  const sets = Buffer.concat([u16(kept.length), u16(0), ...kept]);
  const body = Buffer.concat([identity, u16(name.length), u16(sets.length), name, sets]);
  return Buffer.concat([u16(CONTROL_HEAD + body.length), head.subarray(2), body]);
}

function plain(kind: number, set: Buffer, colors: number): Buffer {
  if (kind === CAPABILITY.general && set.length >= 16) {
    // Disable auto-reconnect.
    set.writeUInt16LE(set.readUInt16LE(14) & ~0x0008, 14);
  } else if (kind === CAPABILITY.bitmap && set.length >= 24) {
    set.writeUInt16LE(colors, 4);
    set.writeUInt8(SKIP_ALPHA, 23);
  } else if (kind === CAPABILITY.order && set.length >= 68) set.fill(0, 36, 68);
  return set;
}

/**
 * Returns the size of the desktop in a Demand Active (2.2.7.1.2); undefined if it names none.
 * @throws BadPdu
 */
export function sizeOfShare({ bytes }: SharePdu): ScreenSize | undefined {
  const reader = new ByteReader(bytes);
  reader.bytes(CONTROL_HEAD + 4);
  const sourceLength = reader.u16();
  reader.u16();
  reader.bytes(sourceLength);
  const count = reader.u16();
  reader.u16();
  for (let index = 0; index < Math.min(count, MAX_CAPABILITIES); index++) {
    const kind = reader.u16();
    const length = reader.u16();
    if (length < 4) throw new BadPdu('a capability is too short');
    const set = reader.bytes(length - 4);
    if (kind !== CAPABILITY.bitmap || set.length < 12) continue;
    return { width: set.readUInt16LE(8), height: set.readUInt16LE(10) };
  }
  return undefined;
}

/** Body of a refresh request for the whole screen (2.2.11.2). */
export function refreshBody(width: number, height: number): Buffer {
  return Buffer.concat([
    Buffer.from([1, 0, 0, 0]),
    u16(0),
    u16(0),
    u16(width - 1),
    u16(height - 1),
  ]);
}
