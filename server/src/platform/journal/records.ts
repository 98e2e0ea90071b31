import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Sealer } from '../crypto/vault.ts';

/** Maximum bytes of a record. */
export const MAX_RECORD = 512 * 1024;
const CHECKSUM = 8;
const NEWLINE = 0x0a;
/** Context of the seal. */
const CONTEXT = 'journal';

/** Seals entries on disk while it is on, and opens them at any time. */
export interface EntrySealer extends Sealer {
  isOn(): boolean;
}

/** A record whose entry is sealed like the recordings. */
interface SealedRecord {
  readonly sealed: string;
}

/** Encodes a record: checksum, entry as JSON, line feed. Seals the entry while `sealer` is on. */
export function writeRecord(entry: unknown, sealer?: EntrySealer): Buffer {
  const plain = JSON.stringify(entry);
  const json = sealer?.isOn()
    ? JSON.stringify({ sealed: sealer.seal(plain, CONTEXT) } satisfies SealedRecord)
    : plain;
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

interface ReadRecords<Entry> {
  /** Entries with the position after each. */
  readonly records: readonly { readonly entry: Entry; readonly end: number }[];
  /** Position after the last complete line; the start position if no line is complete. */
  readonly next: number;
  /** Number of complete lines that cannot be read: damaged by the disk, or of an unknown key. */
  readonly damaged: number;
}

/** Reads the complete records of a chunk that starts at position `from` of its segment. */
export function readRecords<Entry>(
  piece: Buffer,
  from: number,
  sealer?: EntrySealer,
): ReadRecords<Entry> {
  const records: { entry: Entry; end: number }[] = [];
  let damaged = 0;
  let start = 0;
  for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
    const json = piece.toString('utf8', start + CHECKSUM + 1, end);
    const isWhole =
      end - start > CHECKSUM &&
      piece.toString('latin1', start, start + CHECKSUM) === checksum(json);
    start = end + 1;
    const plain = isWhole ? opened(JSON.parse(json), sealer) : undefined;
    if (plain === undefined) damaged++;
    else records.push({ entry: plain as Entry, end: from + start });
  }
  return { records, next: from + start, damaged };
}

/** Returns the entry of a record; undefined if its seal cannot be opened. */
function opened(value: unknown, sealer: EntrySealer | undefined): unknown {
  if (!isSealed(value)) return value;
  try {
    return sealer && JSON.parse(sealer.open(value.sealed, CONTEXT));
  } catch {
    return undefined;
  }
}

const isSealed = (value: unknown): value is SealedRecord =>
  typeof value === 'object' && value !== null && 'sealed' in value;

/** Reads a part of a file. */
export async function readBytes(
  path: string,
  { from, length }: { readonly from: number; readonly length: number },
): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM, '0');
