import type { DesktopFacts } from './terminal-protocol.ts';

/**
 * The file of a desktop recording: a line of JSON, then blocks, then the index. Numbers are
 * little-endian.
 *
 * A block: the mark `SDB1`, stored length (u32), length of its records (u32), millisecond of its
 * first record (u32), CRC-32 of the stored content (u32), content. The content is records in raw
 * DEFLATE (RFC 1951), which browsers can inflate.
 *
 * The index has the same head with the mark `SDX1`; its content is the JSON of {@link
 * RecordingIndex}. After it follow the mark `SDE1` and the offset of the index (u64). A file
 * truncated by a crash has no index; all of its complete blocks are valid.
 *
 * A record: kind (u8), milliseconds since the start (u32), byte count (u32), bytes.
 */
export const RECORDING_FORMAT = 'sallyport-desktop';

export const BLOCK_MARK = 0x31424453;

export const INDEX_MARK = 0x31584453;

export const END_MARK = 0x31454453;

export const BLOCK_HEAD_BYTES = 20;

export const RECORD_HEAD_BYTES = 9;

/** Maximum bytes of the records in a block. */
export const MAX_BLOCK_BYTES = 4 * 1024 * 1024;

/**
 * Kinds of records.
 *
 * - `picture`: protocol bytes to the end of a message; `part`: to the middle of one
 * - `pointer`: x (u16), y (u16), buttons (u8)
 * - `note`: JSON
 * - `key`: {@link RecordedKey}, if the setting allows recording keys
 */
export const RECORD = { picture: 1, pointer: 2, note: 3, part: 4, key: 5 } as const;

export interface RecordingHeader {
  readonly format: typeof RECORDING_FORMAT;
  readonly version: 1;
  readonly title: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
}

/**
 * A note: the initial state of the picture, and whether keys are recorded; or the end of the
 * session.
 */
export type RecordingNote =
  | ({ readonly type: 'start'; readonly keys?: true } & DesktopFacts)
  | { readonly type: 'end' };

/** Offset and first millisecond of each block. */
export interface RecordingIndex {
  readonly blocks: readonly (readonly [offset: number, at: number])[];
  /** Duration in milliseconds. */
  readonly duration: number;
}

export interface BlockHead {
  readonly mark: number;
  readonly length: number;
  readonly plainLength: number;
  readonly at: number;
  readonly crc: number;
}

/** Reads a head of `BLOCK_HEAD_BYTES` bytes; undefined if malformed. */
export function readBlockHead(bytes: Uint8Array): BlockHead | undefined {
  if (bytes.length < BLOCK_HEAD_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [mark = 0, length = 0, plainLength = 0, at = 0, crc = 0] = [0, 4, 8, 12, 16].map((offset) =>
    view.getUint32(offset, true),
  );
  if (
    (mark !== BLOCK_MARK && mark !== INDEX_MARK) ||
    plainLength > MAX_BLOCK_BYTES ||
    length > 2 * MAX_BLOCK_BYTES
  )
    return undefined;
  return { mark, length, plainLength, at, crc };
}

export interface DesktopRecord {
  readonly kind: number;
  /** Milliseconds since the start. */
  readonly at: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Parses the records of a decompressed block; omits a truncated last one. */
export function readRecords(plain: Uint8Array<ArrayBuffer>): DesktopRecord[] {
  const records: DesktopRecord[] = [];
  const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
  for (let offset = 0; offset + RECORD_HEAD_BYTES <= plain.length; ) {
    const length = view.getUint32(offset + 5, true);
    const from = offset + RECORD_HEAD_BYTES;
    if (from + length > plain.length) break;
    records.push({
      kind: view.getUint8(offset),
      at: view.getUint32(offset + 1, true),
      bytes: plain.subarray(from, from + length),
    });
    offset = from + length;
  }
  return records;
}

/**
 * Type of a key value: an X keysym, a PC scan code (set 1, 0xe000 for extended keys), or a UTF-16
 * unit.
 */
export const KEY_VALUE = { keysym: 1, scanCode: 2, character: 3 } as const;

const KEY_BYTES = 6;

/** A key press or release, as in the desktop's protocol. */
export interface RecordedKey {
  readonly kind: (typeof KEY_VALUE)[keyof typeof KEY_VALUE];
  readonly isDown: boolean;
  readonly value: number;
}

/** Encodes a key record: kind (u8), 1 if pressed (u8), value (u32). */
export function writeKey({ kind, isDown, value }: RecordedKey): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(KEY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, kind);
  view.setUint8(1, isDown ? 1 : 0);
  view.setUint32(2, value, true);
  return bytes;
}

/** Decodes a key record; undefined if malformed. */
export function readKey(bytes: Uint8Array): RecordedKey | undefined {
  if (bytes.length !== KEY_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = Object.values(KEY_VALUE).find((known) => known === view.getUint8(0));
  return kind && { kind, isDown: view.getUint8(1) === 1, value: view.getUint32(2, true) };
}
