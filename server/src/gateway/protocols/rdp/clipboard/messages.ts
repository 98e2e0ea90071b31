import { BadPdu } from '../bad-pdu.ts';
import { ByteReader, u16, u32 } from '../byte-reader.ts';

/** Messages (MS-RDPECLIP 2.2.1). */
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
/** Kind, flags and length of a message. */
export const HEAD_BYTES = 8;
/** Flags of a piece (MS-RDPBCGR 2.2.6.1.1). */
export const PIECE = { first: 1, last: 2, shown: 0x10, compressed: 0x20_0000 } as const;
/** The most that one piece carries (MS-RDPBCGR 2.2.7.1.10). */
export const PIECE_BYTES = 1600;

/** General capabilities (2.2.2.1.1.1): long names of formats; files by their contents; no paths of where they are. */
const LONG_NAMES = 0x02;
const STREAMS = 0x04;
const NO_PATHS = 0x08;
const FLAGS_AT = 12;

/** A message as it is cut into pieces. */
export function messageOf(kind: number, flags: number, body: Buffer): Buffer {
  return Buffer.concat([u16(kind), u16(flags), u32(body.length), body]);
}

/** Whether a side can pass files by their contents. */
export function readCapabilities(body: Buffer): boolean {
  return body.length >= FLAGS_AT + 4 && (body.readUInt32LE(FLAGS_AT) & STREAMS) !== 0;
}

/** What we let a side do: neither locks nor files beyond 4 GiB are among it, because both need more than one list to be remembered, or larger numbers than servers take. */
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

/** Formats of texts: those that all servers know. */
export const TEXTS: ReadonlySet<number> = new Set([1, 7, 13]);
/** The names of lists of files, and of whether files are copied or moved; their numbers are those of each side. */
export const FILE_LIST = 'FileGroupDescriptorW';
export const DROP_EFFECT = 'Preferred DropEffect';
const MAX_FORMATS = 256;
const MAX_NAME = 256;

/** A format that one side offers. */
export interface Format {
  readonly id: number;
  readonly name: string;
}

/** Reads a list of formats. Names are long: both sides agreed to it. @throws BadPdu */
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

/** Writes one; names of formats that have a number everywhere are left out. */
export function writeFormats(formats: readonly Format[]): Buffer {
  return Buffer.concat(
    formats.flatMap(({ id, name }) => [
      u32(id),
      Buffer.from(TEXTS.has(id) ? '\0' : `${name}\0`, 'utf16le'),
    ]),
  );
}
