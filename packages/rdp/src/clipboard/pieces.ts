import { BadPdu, ByteReader, u16, u32 } from '../byte-reader.ts';
import { HEAD_BYTES, MESSAGE, messageOf, PIECE, PIECE_BYTES } from './messages.ts';

/**
 * Maximum bytes of a reassembled message and of one file range: a text of two million characters.
 */
export const MAX_MESSAGE = 4 * 1024 * 1024;
const STREAM_BYTES = 4;
/** Maximum number of messages that wait for the current one. */
const MAX_QUEUED = 64;

/** Parsed input: a whole message, or the contents of a file in chunks. */
export type Arrived =
  | {
      readonly type: 'message';
      readonly kind: number;
      readonly flags: number;
      readonly body: Buffer;
    }
  | {
      readonly type: 'contents';
      readonly flags: number;
      readonly streamId: number;
      readonly length: number;
    }
  | { readonly type: 'part'; readonly bytes: Buffer }
  | { readonly type: 'end' };

/**
 * Reassembles the chunks of one side. File contents are streamed, so that at most one chunk is
 * buffered.
 */
export class PieceReader {
  #parts: Buffer[] = [];
  #total = 0;
  #bytes = 0;
  /** Remaining bytes of the contents; undefined outside of them. */
  #left: number | undefined;
  #isOpen = false;

  /** Feeds a chunk. @throws BadPdu */
  push(piece: Buffer): Arrived[] {
    const reader = new ByteReader(piece);
    const total = reader.u32();
    const marks = reader.u32();
    if (marks & PIECE.compressed)
      throw new BadPdu('a message of a channel is compressed although that was not agreed on');
    if (total > MAX_MESSAGE + HEAD_BYTES + PIECE_BYTES)
      throw new BadPdu('a message of the clipboard is too long');
    if (marks & PIECE.first) this.#begin(total);
    else if (!this.#isOpen) throw new BadPdu('a piece of a channel belongs to no message');
    const part = reader.rest();
    this.#bytes += part.length;
    if (this.#bytes > this.#total)
      throw new BadPdu('a message of a channel is longer than it says');
    const isLast = (marks & PIECE.last) !== 0;
    if (isLast && this.#bytes !== this.#total)
      throw new BadPdu('a message of a channel is shorter than it says');
    const arrived = this.#left === undefined ? this.#join(part) : this.#take(part);
    if (!isLast) return arrived;
    this.#isOpen = false;
    if (this.#left !== undefined) {
      this.#left = undefined;
      return [...arrived, { type: 'end' }];
    }
    return [this.#whole()];
  }

  #begin(total: number): void {
    if (this.#left !== undefined) throw new BadPdu('the contents of a file do not end');
    this.#isOpen = true;
    this.#parts = [];
    this.#bytes = 0;
    this.#total = total;
  }

  /** Buffers a chunk until the header shows whether the message is file contents. */
  #join(part: Buffer): Arrived[] {
    this.#parts.push(part);
    if (
      this.#bytes < HEAD_BYTES + STREAM_BYTES ||
      this.#bytes - part.length >= HEAD_BYTES + STREAM_BYTES
    )
      return [];
    const joined = Buffer.concat(this.#parts);
    this.#parts = [joined];
    if (joined.readUInt16LE(0) !== MESSAGE.contents) return [];
    const length = joined.readUInt32LE(4);
    if (length < STREAM_BYTES || HEAD_BYTES + length > this.#total)
      throw new BadPdu('the contents of a file have another length');
    this.#parts = [];
    this.#left = length - STREAM_BYTES;
    const contents = {
      type: 'contents',
      flags: joined.readUInt16LE(2),
      streamId: joined.readUInt32LE(HEAD_BYTES),
      length: this.#left,
    } as const;
    return [contents, ...this.#take(joined.subarray(HEAD_BYTES + STREAM_BYTES))];
  }

  /** Bytes after the declared length are padding. */
  #take(part: Buffer): Arrived[] {
    const bytes = part.subarray(0, this.#left);
    this.#left = (this.#left ?? 0) - bytes.length;
    return bytes.length > 0 ? [{ type: 'part', bytes }] : [];
  }

  #whole(): Arrived {
    const reader = new ByteReader(Buffer.concat(this.#parts));
    this.#parts = [];
    const kind = reader.u16();
    const flags = reader.u16();
    const length = reader.u32();
    if (length > reader.left) throw new BadPdu('a message of the clipboard ends too early');
    if (kind === MESSAGE.contents) throw new BadPdu('the contents of a file are of none');
    return { type: 'message', kind, flags, body: reader.bytes(length) };
  }
}

/**
 * Splits messages to one side into chunks. Other messages wait during file contents: chunks of two
 * messages must not mix.
 */
export class PieceWriter {
  readonly #send: (piece: Buffer) => void;
  #queued: Buffer[] = [];
  #held: Buffer = Buffer.alloc(0);
  #total = 0;
  #sent = 0;

  constructor(send: (piece: Buffer) => void) {
    this.#send = send;
  }

  /** Sends a message, or queues it behind the current one. @throws BadPdu if the queue is full */
  message(kind: number, flags: number, body: Buffer): void {
    const message = messageOf(kind, flags, body);
    if (this.#sent < this.#total) {
      if (this.#queued.push(message) > MAX_QUEUED) throw new BadPdu('too many messages wait');
    } else this.#whole(message);
  }

  /** Begins file contents, which `part` completes. */
  contents(flags: number, streamId: number, length: number): void {
    const head = Buffer.concat([
      u16(MESSAGE.contents),
      u16(flags),
      u32(length + STREAM_BYTES),
      u32(streamId),
    ]);
    this.#begin(head.length + length);
    this.part(head);
  }

  /** Sends more bytes of the current message. */
  part(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    while (
      this.#held.length >= PIECE_BYTES ||
      (this.#held.length > 0 && this.#sent + this.#held.length === this.#total)
    ) {
      const piece = this.#held.subarray(0, PIECE_BYTES);
      this.#held = this.#held.subarray(piece.length);
      const marks =
        (this.#sent === 0 ? PIECE.first : 0) | (this.#total > PIECE_BYTES ? PIECE.shown : 0);
      this.#sent += piece.length;
      this.#send(
        Buffer.concat([
          u32(this.#total),
          u32(marks | (this.#sent === this.#total ? PIECE.last : 0)),
          piece,
        ]),
      );
    }
    if (this.#sent < this.#total) return;
    const [next] = this.#queued.splice(0, 1);
    if (next) this.#whole(next);
  }

  #whole(message: Buffer): void {
    this.#begin(message.length);
    this.part(message);
  }

  #begin(total: number): void {
    this.#total = total;
    this.#sent = 0;
  }
}
