import { BadPdu, ByteReader, u16, u32 } from '../byte-reader.ts';

/** Message types (MS-RDPECLIP 2.2.1). */
export const MESSAGE = {
  ready: 1,
  formats: 2,
  formatsAnswer: 3,
  request: 4,
  answer: 5,
  capabilities: 7,
  contentsRequest: 8,
  contents: 9,
} as const;
export const OK = 1;
export const FAILED = 2;
/** Bytes of type, flags and length. */
export const HEAD_BYTES = 8;
/** Flags of a channel chunk (MS-RDPBCGR 2.2.6.1.1). */
export const PIECE = { first: 1, last: 2, shown: 0x10, compressed: 0x20_0000 } as const;
/** Maximum bytes of a chunk (MS-RDPBCGR 2.2.7.1.10). */
export const PIECE_BYTES = 1600;

/** General capabilities (2.2.2.1.1.1): long format names, file streams, no file paths. */
const LONG_NAMES = 0x02;
const STREAMS = 0x04;
const NO_PATHS = 0x08;
const FLAGS_AT = 12;

/** Serializes a message, before it is split into chunks. */
export function messageOf(kind: number, flags: number, body: Buffer): Buffer {
  return Buffer.concat([u16(kind), u16(flags), u32(body.length), body]);
}

/** Returns true if a side supports file streams. */
export function readCapabilities(body: Buffer): boolean {
  return body.length >= FLAGS_AT + 4 && (body.readUInt32LE(FLAGS_AT) & STREAMS) !== 0;
}

/**
 * Capabilities that we offer to a side. No locks, which would need several remembered lists; no
 * files above 4 GiB, which servers do not support.
 */
export function writeCapabilities(hasFiles: boolean): Buffer {
  return Buffer.concat([
    u16(1),
    u16(0),
    u16(1),
    u16(FLAGS_AT),
    u32(2),
    u32(LONG_NAMES | (hasFiles ? STREAMS | NO_PATHS : 0)),
  ]);
}

/** Text formats that all servers support. */
export const TEXTS: ReadonlySet<number> = new Set([1, 7, 13]);
/** Format names of file lists and of the drop effect; each side assigns their ids. */
export const FILE_LIST = 'FileGroupDescriptorW';
export const DROP_EFFECT = 'Preferred DropEffect';
const MAX_FORMATS = 256;
const MAX_NAME = 256;

export interface Format {
  readonly id: number;
  readonly name: string;
}

/** Parses a format list with long names, which are always negotiated. @throws BadPdu */
export function readFormats(body: Buffer): Format[] {
  const formats: Format[] = [];
  const reader = new ByteReader(body);
  while (reader.left > 0) {
    const id = reader.u32();
    const units: number[] = [];
    for (let unit = reader.u16(); unit !== 0; unit = reader.u16())
      if (units.push(unit) > MAX_NAME) throw new BadPdu('the name of a format is too long');
    if (formats.push({ id, name: String.fromCharCode(...units) }) > MAX_FORMATS)
      throw new BadPdu('the clipboard offers too many formats');
  }
  return formats;
}

/** Serializes a format list; standard formats have no name. */
export function writeFormats(formats: readonly Format[]): Buffer {
  return Buffer.concat(
    formats.flatMap(({ id, name }) => [
      u32(id),
      Buffer.from(TEXTS.has(id) ? '\0' : `${name}\0`, 'utf16le'),
    ]),
  );
}
