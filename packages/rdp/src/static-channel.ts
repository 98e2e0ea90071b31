import { BadPdu, ByteReader, u32 } from './byte-reader.ts';

/** Marks of a piece of a static channel (MS-RDPBCGR 2.2.6.1.1). */
const PIECE = { first: 1, last: 2, shown: 0x10, compressed: 0x20_0000 } as const;
/** Maximum bytes of a piece (MS-RDPBCGR 2.2.7.1.10). */
const PIECE_BYTES = 1600;
/** Bytes for a message at its beginning: a server may announce a long one and send none of it. */
const FIRST_BYTES = 4096;

/** Joins the pieces of a server's messages on a static channel that the gateway speaks itself. */
export class ChannelReader {
  readonly #maxBytes: number;
  /** The beginning of the message that is being joined, in memory that grows with it. */
  #message: Buffer | undefined;
  #bytes = 0;
  /** The announced length. */
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Feeds a piece. Returns the message that it completes. @throws BadPdu */
  push(piece: Buffer): Buffer | undefined {
    const reader = new ByteReader(piece);
    const total = reader.u32();
    const marks = reader.u32();
    if (marks & PIECE.compressed)
      throw new BadPdu('a message of a channel is compressed although that was not agreed on');
    if (marks & PIECE.first) {
      if (total > this.#maxBytes) throw new BadPdu('a message of a channel is too long');
      this.#message = Buffer.allocUnsafe(Math.min(total, FIRST_BYTES));
      this.#bytes = 0;
      this.#total = total;
    }
    if (!this.#message) throw new BadPdu('a piece of a channel belongs to no message');
    const part = reader.rest();
    const bytes = this.#bytes + part.length;
    if (bytes > this.#total) throw new BadPdu('a message of a channel is longer than it says');
    const message = this.#room(this.#message, bytes);
    part.copy(message, this.#bytes);
    this.#bytes = bytes;
    this.#message = message;
    if ((marks & PIECE.last) === 0) return undefined;
    if (bytes !== this.#total) throw new BadPdu('a message of a channel is shorter than it says');
    this.#message = undefined;
    return message;
  }

  /** Returns the message with room for `bytes`. */
  #room(message: Buffer, bytes: number): Buffer {
    if (bytes <= message.length) return message;
    const larger = Buffer.allocUnsafe(Math.min(this.#total, Math.max(bytes, 2 * message.length)));
    message.copy(larger, 0, 0, this.#bytes);
    return larger;
  }
}

/** Splits a message into pieces for a static channel. */
export function channelPieces(message: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const isLong = message.length > PIECE_BYTES;
  for (let at = 0; at < message.length; at += PIECE_BYTES) {
    const piece = message.subarray(at, at + PIECE_BYTES);
    const marks =
      (at === 0 ? PIECE.first : 0) |
      (at + piece.length === message.length ? PIECE.last : 0) |
      (isLong ? PIECE.shown : 0);
    pieces.push(Buffer.concat([u32(message.length), u32(marks), piece]));
  }
  return pieces;
}
