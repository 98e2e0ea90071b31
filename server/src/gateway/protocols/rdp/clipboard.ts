import { BadPdu } from './bad-pdu.ts';
import { ByteReader, u16, u32 } from './byte-reader.ts';

/** The name of the channel (MS-RDPECLIP 1.5). */
export const CLIPBOARD_CHANNEL = 'cliprdr';

/** Messages (MS-RDPECLIP 2.2.1). */
const MESSAGE = { ready: 1, formats: 2, formatsAnswer: 3, request: 4, answer: 5, capabilities: 7, lock: 10, unlock: 11 } as const;
const OK = 1;
const FAILED = 2;
/** Formats of texts: those that all servers know. */
const TEXTS: ReadonlySet<number> = new Set([1, 7, 13]);
/** Long names of formats; neither files nor locks (2.2.2.1.1.1). */
const LONG_NAMES = 0x02;
/** Flags of a piece (MS-RDPBCGR 2.2.6.1.1). */
const PIECE = { first: 1, last: 2, shown: 0x10, compressed: 0x20_0000 } as const;
const PIECE_BYTES = 1600;
/** The most bytes of a message: a text of two million characters. */
const MAX_MESSAGE = 4 * 1024 * 1024;

/** Which texts may pass. */
export interface TextRights {
  /** Out of the desktop. */
  readonly copy: boolean;
  /** Into it. */
  readonly paste: boolean;
}

/** What becomes of a message: pieces for the other side, and pieces that answer the one who sent it. */
export interface Passed {
  readonly on: readonly Buffer[];
  readonly back: readonly Buffer[];
}

/** Passes texts of the clipboard as far as the rights allow, and no files, pictures or other formats. Where a text may not pass, the other side hears of no content. */
export class ClipboardFilter {
  #rights: TextRights;
  readonly #joined = { client: new Pieces(), server: new Pieces() };

  constructor(rights: TextRights) {
    this.#rights = rights;
  }

  setRights(rights: TextRights): void {
    this.#rights = rights;
  }

  /** Reads a piece of one side. @throws BadPdu */
  read(from: 'client' | 'server', bytes: Buffer): Passed {
    const message = this.#joined[from].push(bytes);
    if (!message) return { on: [], back: [] };
    const reader = new ByteReader(message);
    const kind = reader.u16();
    const flags = reader.u16();
    const length = reader.u32();
    if (length > reader.left) throw new BadPdu('a message of the clipboard ends too early');
    const body = reader.bytes(length);
    // A text of the server is one that goes out.
    const mayOffer = from === 'server' ? this.#rights.copy : this.#rights.paste;
    switch (kind) {
      case MESSAGE.ready:
        return { on: pieces(MESSAGE.ready, 0, Buffer.alloc(0)), back: [] };
      case MESSAGE.capabilities:
        return { on: pieces(MESSAGE.capabilities, 0, capabilities()), back: [] };
      case MESSAGE.formats:
        // The browser's first list tells the server that somebody is there: it must come, even if it is empty.
        if (!mayOffer && from === 'server') return { on: [], back: pieces(MESSAGE.formatsAnswer, OK, Buffer.alloc(0)) };
        return { on: pieces(MESSAGE.formats, 0, mayOffer ? textFormats(body) : Buffer.alloc(0)), back: [] };
      case MESSAGE.formatsAnswer:
        return { on: pieces(MESSAGE.formatsAnswer, flags & FAILED ? FAILED : OK, Buffer.alloc(0)), back: [] };
      case MESSAGE.request: {
        // Who asks wants the text of the other side.
        const mayAsk = from === 'server' ? this.#rights.paste : this.#rights.copy;
        if (mayAsk && body.length === 4 && TEXTS.has(body.readUInt32LE(0))) return { on: pieces(MESSAGE.request, 0, body), back: [] };
        return { on: [], back: pieces(MESSAGE.answer, FAILED, Buffer.alloc(0)) };
      }
      case MESSAGE.answer:
        if (mayOffer && flags & OK) return { on: pieces(MESSAGE.answer, OK, body), back: [] };
        return { on: pieces(MESSAGE.answer, FAILED, Buffer.alloc(0)), back: [] };
      // Files are not offered, so nothing of them has to be answered.
      default:
        return { on: [], back: [] };
    }
  }
}

function capabilities(): Buffer {
  return Buffer.concat([u16(1), u16(0), u16(1), u16(12), u32(2), u32(LONG_NAMES)]);
}

/** A list of formats with the texts of it alone. Names are long: both sides agreed to it. */
function textFormats(body: Buffer): Buffer {
  return Buffer.concat(
    longFormats(body)
      .filter((format) => TEXTS.has(format))
      .map((format) => Buffer.concat([u32(format), u16(0)])),
  );
}

const MAX_FORMATS = 256;

function longFormats(body: Buffer): number[] {
  const formats: number[] = [];
  const reader = new ByteReader(body);
  while (reader.left > 0) {
    if (formats.push(reader.u32()) > MAX_FORMATS) throw new BadPdu('the clipboard offers too many formats');
    while (reader.u16() !== 0);
  }
  return formats;
}

/** Joins the pieces of messages. */
class Pieces {
  #parts: Buffer[] = [];
  #total = 0;
  #bytes = 0;

  push(bytes: Buffer): Buffer | undefined {
    const reader = new ByteReader(bytes);
    const total = reader.u32();
    const flags = reader.u32();
    if (flags & PIECE.compressed) throw new BadPdu('a message of a channel is compressed although that was not agreed on');
    if (total > MAX_MESSAGE) throw new BadPdu('a message of the clipboard is too long');
    if (flags & PIECE.first) {
      this.#parts = [];
      this.#bytes = 0;
      this.#total = total;
    } else if (this.#parts.length === 0) throw new BadPdu('a piece of a channel belongs to no message');
    const part = reader.rest();
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes > this.#total) throw new BadPdu('a message of a channel is longer than it says');
    if ((flags & PIECE.last) === 0) return undefined;
    if (this.#bytes !== this.#total) throw new BadPdu('a message of a channel is shorter than it says');
    const message = Buffer.concat(this.#parts);
    this.#parts = [];
    return message;
  }
}

function pieces(kind: number, flags: number, body: Buffer): Buffer[] {
  const message = Buffer.concat([u16(kind), u16(flags), u32(body.length), body]);
  const count = Math.ceil(message.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, index) => {
    const marks = (index === 0 ? PIECE.first : 0) | (index === count - 1 ? PIECE.last : 0);
    return Buffer.concat([u32(message.length), u32(marks | (count > 1 ? PIECE.shown : 0)), message.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES)]);
  });
}
