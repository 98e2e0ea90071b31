import { BadPdu, ByteReader, u32 } from '../byte-reader.ts';

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
