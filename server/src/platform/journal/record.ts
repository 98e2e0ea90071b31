import { crc32 } from 'node:zlib';

/** Maximum bytes of a record. */
export const MAX_RECORD = 512 * 1024;
const CHECKSUM = 8;
const NEWLINE = 0x0a;

/** Encodes a record: checksum, entry as JSON, line feed. */
export function writeRecord(entry: unknown): Buffer {
  const json = JSON.stringify(entry);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

export interface ReadRecords<Entry> {
  /** Entries with the position after each. */
  readonly records: readonly { readonly entry: Entry; readonly end: number }[];
  /** Position after the last complete line; the start position if no line is complete. */
  readonly next: number;
  /** Number of complete lines with a wrong checksum, damaged by the disk. */
  readonly damaged: number;
}

/** Reads the complete records of a chunk that starts at position `from` of its segment. */
export function readRecords<Entry>(piece: Buffer, from: number): ReadRecords<Entry> {
  const records: { entry: Entry; end: number }[] = [];
  let damaged = 0;
  let start = 0;
  for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
    const json = piece.toString('utf8', start + CHECKSUM + 1, end);
    const isWhole =
      end - start > CHECKSUM &&
      piece.toString('latin1', start, start + CHECKSUM) === checksum(json);
    start = end + 1;
    if (isWhole) records.push({ entry: JSON.parse(json) as Entry, end: from + start });
    else damaged++;
  }
  return { records, next: from + start, damaged };
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM, '0');
