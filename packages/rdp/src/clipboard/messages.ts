import { BadPdu, ByteReader, u16, u32 } from '../byte-reader.ts';

/** Device names of Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i;
/**
 * Characters that are unsafe on some system: control characters, path and pattern characters, lone
 * surrogates, and bidirectional controls.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}<>:"/|?*\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const DRIVE = /^[a-z]:/i;
const MAX_DEPTH = 32;

/**
 * Sanitizes a path of a file list, with `\` as separator (MS-RDPECLIP 2.2.5.2.3.1): replaces unsafe
 * characters by `_`. Undefined for absolute paths, drives and `..`.
 */
export function safeName(name: string): string | undefined {
  const steps = name.split('\\');
  if (DRIVE.test(name) || name.startsWith('/') || steps.length > MAX_DEPTH) return undefined;
  const safe: string[] = [];
  for (const step of steps) {
    // Windows strips trailing dots and spaces, so `.. ` equals `..`.
    if (/^[. ]*$/.test(step)) return undefined;
    safe.push(step.replace(UNSAFE, '_').replace(/[. ]$/, '_').replace(DEVICE, '$&_'));
  }
  return safe.join('\\');
}

/** Bytes of the name field, with its terminator (MS-RDPECLIP 2.2.5.2.3.1). */
const NAME_BYTES = 520;
/** Flags for the valid fields of an entry: attributes, write time, size, progress dialog. */
const HAS = { attributes: 0x4, written: 0x20, size: 0x40, progress: 0x4000 } as const;
const FOLDER = 0x10;
const PLAIN = 0x80;

export interface OfferedFile {
  /** Sanitized path, with `\` as separator. */
  readonly name: string;
  readonly isFolder: boolean;
  /** Undefined if the list has no size. */
  readonly size: number | undefined;
  /** FILETIME: units of 100 nanoseconds since 1601. */
  readonly written: Buffer | undefined;
}

/**
 * Parses a file list. Undefined if a name leaves its folder, or above `most` files.
 * @throws BadPdu
 */
export function readFileList(body: Buffer, most: number): OfferedFile[] | undefined {
  const reader = new ByteReader(body);
  const count = reader.u32();
  if (count > most) return undefined;
  const files: OfferedFile[] = [];
  for (let index = 0; index < count; index++) {
    const file = readEntry(reader);
    if (!file) return undefined;
    files.push(file);
  }
  if (reader.left > 0) throw new BadPdu('a list of files has another length');
  return files;
}

function readEntry(reader: ByteReader): OfferedFile | undefined {
  const has = reader.u32();
  reader.bytes(32);
  const attributes = reader.u32();
  reader.bytes(16);
  const written = reader.bytes(8);
  const high = reader.u32();
  const low = reader.u32();
  const units = reader.bytes(NAME_BYTES).toString('utf16le');
  const end = units.indexOf('\0');
  if (end < 0) throw new BadPdu('the name of a file does not end');
  const name = safeName(units.slice(0, end));
  if (name === undefined) return undefined;
  return {
    name,
    isFolder: (has & HAS.attributes) !== 0 && (attributes & FOLDER) !== 0,
    size: has & HAS.size ? high * 2 ** 32 + low : undefined,
    written: has & HAS.written ? Buffer.from(written) : undefined,
  };
}

export function writeFileList(files: readonly OfferedFile[]): Buffer {
  return Buffer.concat([u32(files.length), ...files.map(writeEntry)]);
}

function writeEntry({ name, isFolder, size, written }: OfferedFile): Buffer {
  const field = Buffer.alloc(NAME_BYTES);
  field.write(name, 0, NAME_BYTES - 2, 'utf16le');
  return Buffer.concat([
    u32(
      HAS.attributes |
        HAS.progress |
        (size === undefined ? 0 : HAS.size) |
        (written ? HAS.written : 0),
    ),
    Buffer.alloc(32),
    u32(isFolder ? FOLDER : PLAIN),
    Buffer.alloc(16),
    written ?? Buffer.alloc(8),
    u32(Math.floor((size ?? 0) / 2 ** 32)),
    u32((size ?? 0) % 2 ** 32),
    field,
  ]);
}

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
