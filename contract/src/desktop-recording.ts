import type { DesktopFacts } from './desktop-facts.ts';

/**
 * The file of a recorded desktop: one line of JSON, then blocks, at the end the index. Numbers are little-endian.
 *
 * A block: the mark `SDB1`, the length of its content as it is kept (u32), the length of its records (u32), the millisecond of its first record (u32), the
 * CRC-32 of the content as it is kept (u32), and the content: records in raw DEFLATE (RFC 1951), which browsers open by themselves.
 * The index has the same head with the mark `SDX1`; its content is the JSON of {@link RecordingIndex}. Behind it are the mark `SDE1` and where the index begins (u64).
 * A file that a crash has cut has no index; all of its whole blocks count.
 *
 * A record: its kind (u8), its millisecond since the beginning (u32), the length of its bytes (u32), the bytes.
 */
export const RECORDING_FORMAT = 'sallyport-desktop';
export const BLOCK_MARK = 0x31424453;
export const INDEX_MARK = 0x31584453;
export const END_MARK = 0x31454453;
export const BLOCK_HEAD_BYTES = 20;
export const RECORD_HEAD_BYTES = 9;
/** The records of one block are at most so long together. */
export const MAX_BLOCK_BYTES = 4 * 1024 * 1024;

/**
 * The kinds of records: bytes of the desktop's protocol up to the end of a message (`picture`), or up to the middle of one (`part`), where the pointer is
 * (x u16, y u16, buttons u8), notes in JSON, and keys where the setting asks for them ({@link RecordedKey}).
 */
export const RECORD = { picture: 1, pointer: 2, note: 3, part: 4, key: 5 } as const;

/** The first line of the file. */
export interface RecordingHeader {
  readonly format: typeof RECORDING_FORMAT;
  readonly version: 1;
  readonly title: string;
  /** Seconds of Unix time. */
  readonly timestamp: number;
}

/** A note: what the picture begins with, before its first bytes, and whether keys are recorded; and the end of the session. */
export type RecordingNote =
  | ({ readonly type: 'start'; readonly keys?: true } & DesktopFacts)
  | { readonly type: 'end' };

/** Where the blocks are: their byte and their first millisecond. */
export interface RecordingIndex {
  readonly blocks: readonly (readonly [offset: number, at: number])[];
  /** Milliseconds of the whole recording. */
  readonly duration: number;
}

/** The head of a block, or of the index. */
export interface BlockHead {
  readonly mark: number;
  readonly length: number;
  readonly plainLength: number;
  readonly at: number;
  readonly crc: number;
}

/** Reads the head of a block, which has `BLOCK_HEAD_BYTES`; undefined when it is none. */
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

/** One record of a block. */
export interface DesktopRecord {
  readonly kind: number;
  /** Milliseconds since the beginning. */
  readonly at: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The records of an opened block; what is cut at the end is left out. */
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

/** What the value of a recorded key is: an X keysym, a scan code of a PC keyboard (set 1, 0xe000 for the extended ones), or a unit of UTF-16. */
export const KEY_VALUE = { keysym: 1, scanCode: 2, character: 3 } as const;
const KEY_BYTES = 6;

/** A key that was pressed or let go at a desktop, as its protocol names it. */
export interface RecordedKey {
  readonly kind: (typeof KEY_VALUE)[keyof typeof KEY_VALUE];
  readonly isDown: boolean;
  readonly value: number;
}

/** The bytes of a record of a key: its kind (u8), 1 where it is pressed (u8), its value (u32). */
export function writeKey({ kind, isDown, value }: RecordedKey): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(KEY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, kind);
  view.setUint8(1, isDown ? 1 : 0);
  view.setUint32(2, value, true);
  return bytes;
}

/** Reads a record of a key; undefined for what is none. */
export function readKey(bytes: Uint8Array): RecordedKey | undefined {
  if (bytes.length !== KEY_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = Object.values(KEY_VALUE).find((known) => known === view.getUint8(0));
  return kind && { kind, isDown: view.getUint8(1) === 1, value: view.getUint32(2, true) };
}
