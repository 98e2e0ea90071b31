import { crc32 } from 'node:zlib';

/** The longest record, in bytes. */
export const MAX_RECORD = 512 * 1024;
const CHECKSUM = 8;
const NEWLINE = 0x0a;

/** A record as it is in a segment: checksum, entry as JSON, line feed. */
export function writeRecord(entry: unknown): Buffer {
  const json = JSON.stringify(entry);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** What was read of a segment. */
export interface ReadRecords<Entry> {
  /** Each with the position behind it. */
  readonly records: readonly { readonly entry: Entry; readonly end: number }[];
  /** Behind the last complete line; equal to the start when none is complete. */
  readonly next: number;
  /** Complete lines that are no records: the disk has damaged them. */
  readonly damaged: number;
}

/** Reads the complete records of a piece that begins at a position of a segment. */
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
