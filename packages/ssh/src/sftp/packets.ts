/** Bytes in several buffers, so that forwarded data is not copied into one. */
export type Pieces = readonly Buffer[];

/** Joins pieces into one buffer; a single piece is not copied. */
export function joined(pieces: Pieces): Buffer {
  const [first] = pieces;
  return first && pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** Returns the total number of bytes. */
export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Constants of SFTP version 3 (draft-ietf-secsh-filexfer-02). */
export const SFTP_VERSION = 3;

export const Packet = {
  INIT: 1,
  VERSION: 2,
  OPEN: 3,
  CLOSE: 4,
  READ: 5,
  WRITE: 6,
  LSTAT: 7,
  FSTAT: 8,
  SETSTAT: 9,
  FSETSTAT: 10,
  OPENDIR: 11,
  READDIR: 12,
  REMOVE: 13,
  MKDIR: 14,
  RMDIR: 15,
  REALPATH: 16,
  STAT: 17,
  RENAME: 18,
  READLINK: 19,
  SYMLINK: 20,
  STATUS: 101,
  HANDLE: 102,
  DATA: 103,
  NAME: 104,
  ATTRS: 105,
  EXTENDED: 200,
  EXTENDED_REPLY: 201,
} as const;

export const Status = {
  OK: 0,
  EOF: 1,
  NO_SUCH_FILE: 2,
  PERMISSION_DENIED: 3,
  FAILURE: 4,
  BAD_MESSAGE: 5,
  NO_CONNECTION: 6,
  CONNECTION_LOST: 7,
  UNSUPPORTED: 8,
} as const;

export const OpenFlag = {
  READ: 1,
  WRITE: 2,
  APPEND: 4,
  CREATE: 8,
  TRUNCATE: 16,
  EXCLUSIVE: 32,
} as const;

/** File type bits of the mode. */
export const FileType = {
  MASK: 0o170000,
  FOLDER: 0o040000,
  FILE: 0o100000,
  LINK: 0o120000,
} as const;

const Has = { SIZE: 1, OWNER: 2, MODE: 4, TIMES: 8, EXTENDED: 0x80000000 } as const;

/** File attributes of SFTP; the peer may omit any of them. */
export interface Attributes {
  readonly size?: number | undefined;
  readonly ownerId?: number | undefined;
  readonly groupId?: number | undefined;
  /** Includes the file type. */
  readonly mode?: number | undefined;
  /** Seconds since 1970. */
  readonly accessedAt?: number | undefined;
  readonly modifiedAt?: number | undefined;
}

/** The peer sent invalid SFTP. */
export class SftpFormatError extends Error {}

const NOTHING = Buffer.alloc(0);

/**
 * Reads the fields of one packet in order.
 * @throws SftpFormatError
 */
export class PacketReader {
  private bytes: Buffer;
  /** Pieces after `bytes`, until a field extends into them. */
  private rest: Pieces;
  private at = 0;

  constructor([first = NOTHING, ...rest]: Pieces) {
    this.bytes = first;
    this.rest = rest;
  }

  byte(): number {
    this.need(1);
    return this.bytes.readUInt8(this.at++);
  }

  uint32(): number {
    this.need(4);
    this.at += 4;
    return this.bytes.readUInt32BE(this.at - 4);
  }

  /** Reads an offset or size; rejects values above the safe integers of JavaScript. */
  uint64(): number {
    this.need(8);
    this.at += 8;
    const value = this.bytes.readBigUInt64BE(this.at - 8);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new SftpFormatError('a number is too large');
    return Number(value);
  }

  /** Like `uint64`, with the largest safe integer in place of larger values. */
  clamped(): number {
    this.need(8);
    this.at += 8;
    return Math.min(Number(this.bytes.readBigUInt64BE(this.at - 8)), Number.MAX_SAFE_INTEGER);
  }

  /** Returns a copy of the next bytes. */
  raw(length: number): Buffer {
    this.need(length);
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at));
  }

  /** Reads a byte string that shares memory with the packet. */
  string(): Buffer {
    const length = this.uint32();
    this.need(length);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Reads a byte string in its pieces, which share memory with the packet. */
  pieces(): Pieces {
    const length = this.uint32();
    if (this.at + length <= this.bytes.length || this.rest.length === 0) {
      this.need(length);
      this.at += length;
      return [this.bytes.subarray(this.at - length, this.at)];
    }
    const result = [this.bytes.subarray(this.at)];
    let missing = length - (this.bytes.length - this.at);
    let next = 0;
    for (; missing > 0 && next < this.rest.length; next++) {
      const piece = (this.rest[next] ?? NOTHING).subarray(0, missing);
      missing -= piece.length;
      result.push(piece);
    }
    if (missing > 0) throw new SftpFormatError('a packet is too short');
    const last = this.rest[next - 1] ?? NOTHING;
    this.at = result.at(-1)?.length ?? 0;
    this.bytes = last;
    this.rest = this.rest.slice(next);
    return result;
  }

  /**
   * Reads attributes. A size above the safe integers is rejected, or the largest of them with
   * `clampsSize`: a sparse file may have it, and the other files of its folder do not matter less.
   */
  attributes({ clampsSize = false } = {}): Attributes {
    const flags = this.uint32();
    const attributes: { -readonly [Name in keyof Attributes]: Attributes[Name] } = {};
    if (flags & Has.SIZE) attributes.size = clampsSize ? this.clamped() : this.uint64();
    if (flags & Has.OWNER)
      [attributes.ownerId, attributes.groupId] = [this.uint32(), this.uint32()];
    if (flags & Has.MODE) attributes.mode = this.uint32();
    if (flags & Has.TIMES)
      [attributes.accessedAt, attributes.modifiedAt] = [this.uint32(), this.uint32()];
    if (flags & Has.EXTENDED) {
      // Each pair takes at least eight bytes, so a wrong count fails at the end of the packet.
      for (let left = this.uint32(); left > 0; left--) {
        this.string();
        this.string();
      }
    }
    return attributes;
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length && this.rest.length === 0;
  }

  private need(count: number): void {
    if (this.at + count > this.bytes.length && this.rest.length > 0) {
      this.bytes = Buffer.concat([this.bytes, ...this.rest]);
      this.rest = [];
    }
    if (this.at + count > this.bytes.length) throw new SftpFormatError('a packet is too short');
  }
}

/** A field to encode: a number is a uint32. */
export type Part =
  | number
  | Buffer
  | { readonly uint64: number }
  | { readonly attributes: Attributes };

/** Encodes a packet: length, type, and fields in order. */
export function packetOf(type: number, ...parts: readonly Part[]): Buffer {
  let length = 1;
  for (const part of parts) length += lengthOfPart(part);
  const bytes = Buffer.allocUnsafe(4 + length);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt8(type, 4);
  let at = 5;
  for (const part of parts) at = write(bytes, part, at);
  return bytes;
}

/** Encodes a `DATA` packet as a header and the given pieces, without copying them. */
export function dataPacketOf(id: number, data: Pieces): Pieces {
  const length = lengthOf(data);
  const begin = Buffer.allocUnsafe(13);
  begin.writeUInt32BE(1 + 4 + 4 + length, 0);
  begin.writeUInt8(Packet.DATA, 4);
  begin.writeUInt32BE(id, 5);
  begin.writeUInt32BE(length, 9);
  return [begin, ...data];
}

function lengthOfPart(part: Part): number {
  if (typeof part === 'number') return 4;
  if (part instanceof Uint8Array) return 4 + part.length;
  return 'uint64' in part ? 8 : lengthOfAttributes(part.attributes);
}

function lengthOfAttributes({ size, ownerId, mode, modifiedAt }: Attributes): number {
  return (
    4 +
    (size === undefined ? 0 : 8) +
    (ownerId === undefined ? 0 : 8) +
    (mode === undefined ? 0 : 4) +
    (modifiedAt === undefined ? 0 : 8)
  );
}

function write(bytes: Buffer, part: Part, at: number): number {
  if (typeof part === 'number') return bytes.writeUInt32BE(part >>> 0, at);
  if (part instanceof Uint8Array) {
    bytes.writeUInt32BE(part.length, at);
    bytes.set(part, at + 4);
    return at + 4 + part.length;
  }
  return 'uint64' in part
    ? bytes.writeBigUInt64BE(BigInt(part.uint64), at)
    : writeAttributes(bytes, part.attributes, at);
}

function writeAttributes(
  bytes: Buffer,
  { size, ownerId, groupId = 0, mode, modifiedAt, accessedAt = modifiedAt }: Attributes,
  start: number,
): number {
  const flags =
    (size === undefined ? 0 : Has.SIZE) |
    (ownerId === undefined ? 0 : Has.OWNER) |
    (mode === undefined ? 0 : Has.MODE) |
    (modifiedAt === undefined ? 0 : Has.TIMES);
  let at = bytes.writeUInt32BE(flags, start);
  if (size !== undefined) at = bytes.writeBigUInt64BE(BigInt(size), at);
  if (ownerId !== undefined) at = bytes.writeUInt32BE(groupId, bytes.writeUInt32BE(ownerId, at));
  if (mode !== undefined) at = bytes.writeUInt32BE(mode, at);
  if (modifiedAt !== undefined)
    at = bytes.writeUInt32BE(modifiedAt, bytes.writeUInt32BE(accessedAt ?? modifiedAt, at));
  return at;
}
