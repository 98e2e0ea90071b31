import { BadPdu, ByteReader, u32 } from './byte-reader.ts';

/** Marks of a piece of a static channel (MS-RDPBCGR 2.2.6.1.1). */
const PIECE = { first: 1, last: 2, shown: 0x10, compressed: 0x20_0000 } as const;
/** Maximum bytes of a piece (MS-RDPBCGR 2.2.7.1.10). */
const PIECE_BYTES = 1600;

/** Joins the pieces of a server's messages on a static channel that the gateway speaks itself. */
export class ChannelReader {
  readonly #maxBytes: number;
  /** The message that is being joined, with its announced length. */
  #message: Buffer | undefined;
  #bytes = 0;

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
      this.#message = Buffer.allocUnsafe(total);
      this.#bytes = 0;
    }
    const message = this.#message;
    if (!message) throw new BadPdu('a piece of a channel belongs to no message');
    const part = reader.rest();
    if (this.#bytes + part.length > message.length)
      throw new BadPdu('a message of a channel is longer than it says');
    this.#bytes += part.copy(message, this.#bytes);
    if ((marks & PIECE.last) === 0) return undefined;
    if (this.#bytes !== message.length)
      throw new BadPdu('a message of a channel is shorter than it says');
    this.#message = undefined;
    return message;
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
