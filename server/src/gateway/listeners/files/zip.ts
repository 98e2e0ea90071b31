import { crc32 } from 'node:zlib';

export interface ZipEntry {
  /** Relative path with `/`; the path of a folder ends in `/`. */
  readonly name: string;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
  /** Permission bits. */
  readonly mode: number;
  /** Content of a file; absent for a folder. */
  readonly bytes?: AsyncIterable<Buffer>;
}

/**
 * PKWARE APPNOTE 6.3.9: version 4.5 supports ZIP64, 3 is Unix.
 * Flag bit 3: sizes follow the data. Bit 11: names are UTF-8.
 */
const VERSION = 45;
const MADE_BY = (3 << 8) | VERSION;
const FLAGS = 0x0808;
const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const END = 0x06054b50;
const MAX16 = 0xffff;
const MAX32 = 0xffff_ffff;
const FOLDER_MODE = 0o040000;
const FILE_MODE = 0o100000;

/** Encodes numbers in little-endian order, each with its byte count. */
function numbers(
  ...values: readonly (readonly [value: number | bigint, bytes: 2 | 4 | 8])[]
): Buffer {
  const buffer = Buffer.alloc(values.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of values) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(Number(value), at, bytes);
    at += bytes;
  }
  return buffer;
}

/**
 * Returns the DOS time of ZIP: since 1980, with a resolution of two seconds, in UTC because it has
 * no zone.
 */
function dosTime(seconds: number): readonly [time: number, date: number] {
  const date = new Date(Math.max(seconds, 315_532_800) * 1000);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 2107) return [0, 0x21];
  const day =
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return [
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    day,
  ];
}

/** Streams an uncompressed archive of any size. Memory holds only the list of entries. */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const central: Buffer[] = [];
  let offset = 0;
  for await (const { name, modifiedAt, mode, bytes } of entries) {
    const label = Buffer.from(name.toWellFormed().slice(0, 16_384));
    const [time, date] = dosTime(modifiedAt);
    // Announces 64-bit sizes after the data, so that readers know the width of the descriptor.
    const sizes64 = numbers([1, 2], [16, 2], [0, 8], [0, 8]);
    const isFolder = bytes === undefined;
    const flags = isFolder ? FLAGS & ~8 : FLAGS;
    const extra = isFolder ? Buffer.alloc(0) : sizes64;
    const unknown = isFolder ? 0 : MAX32;
    const header = numbers(
      [LOCAL, 4],
      [VERSION, 2],
      [flags, 2],
      [0, 2],
      [time, 2],
      [date, 2],
      [0, 4],
      [unknown, 4],
      [unknown, 4],
      [label.length, 2],
      [extra.length, 2],
    );
    const at = offset;
    yield Buffer.concat([header, label, extra]);
    offset += header.length + label.length + extra.length;
    let size = 0;
    let sum = 0;
    if (bytes) {
      for await (const chunk of bytes) {
        sum = crc32(chunk, sum);
        size += chunk.length;
        yield chunk;
      }
      const descriptor = numbers([DESCRIPTOR, 4], [sum, 4], [size, 8], [size, 8]);
      yield descriptor;
      offset += size + descriptor.length;
    }
    const wide = numbers([1, 2], [24, 2], [size, 8], [size, 8], [at, 8]);
    const attributes =
      (((isFolder ? FOLDER_MODE : FILE_MODE) | mode) * 0x10000 + (isFolder ? 0x10 : 0)) >>> 0;
    const record = numbers(
      [CENTRAL, 4],
      [MADE_BY, 2],
      [VERSION, 2],
      [flags, 2],
      [0, 2],
      [time, 2],
      [date, 2],
      [sum, 4],
      [MAX32, 4],
      [MAX32, 4],
      [label.length, 2],
      [wide.length, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [attributes, 4],
      [MAX32, 4],
    );
    central.push(Buffer.concat([record, label, wide]));
  }
  const begin = offset;
  for (const record of central) {
    yield record;
    offset += record.length;
  }
  const count = central.length;
  const end64 = numbers(
    [END64, 4],
    [44, 8],
    [MADE_BY, 2],
    [VERSION, 2],
    [0, 4],
    [0, 4],
    [count, 8],
    [count, 8],
    [offset - begin, 8],
    [begin, 8],
  );
  const locator = numbers([LOCATOR64, 4], [0, 4], [offset, 8], [1, 4]);
  const end = numbers(
    [END, 4],
    [0, 2],
    [0, 2],
    [MAX16, 2],
    [MAX16, 2],
    [MAX32, 4],
    [MAX32, 4],
    [0, 2],
  );
  yield Buffer.concat([end64, locator, end]);
}
