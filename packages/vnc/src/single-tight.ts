import { constants, deflateSync, inflateRawSync } from 'node:zlib';
import { UnknownData } from './stream-parser.ts';

/** Maximum distance of DEFLATE's back references, in bytes. */
const WINDOW = 32 * 1024;
const ZLIB_HEAD = 2;
const NOTHING = Buffer.alloc(0);
/** Shorter data is sent uncompressed. */
const LEAST_COMPRESSED = 12;

/** Layout of a compressed rectangle; undefined for fills and JPEG. */
export interface TightLayout {
  /** Bytes of control, filter and palette. */
  readonly head: number;
  readonly plainLength: number;
  /** Bytes of the length before the data. */
  readonly lengthBytes: number;
}

/**
 * Rewrites Tight rectangles to be self-contained. Tight compresses into four streams that depend on
 * earlier rectangles. After the rewrite a player can skip rectangles that are never visible. Their
 * data is stored without compression: the caller compresses many of them together.
 */
export class SingleTight {
  readonly #streams = [0, 1, 2, 3].map(() => ({ window: NOTHING, hasBegun: false }));

  /** Returns the self-contained content of a rectangle. @throws UnknownData */
  rewrite(content: Buffer, layout: TightLayout | undefined): Buffer {
    const control = content[0] ?? 0;
    for (const [index, stream] of this.#streams.entries())
      if (control & (1 << index)) Object.assign(stream, { window: NOTHING, hasBegun: false });
    if (!layout || layout.plainLength < LEAST_COMPRESSED)
      return Buffer.concat([Buffer.from([control & 0xf0]), content.subarray(1)]);
    const number = (control >> 4) & 3;
    const plain = this.#inflate(
      number,
      content.subarray(layout.head + layout.lengthBytes),
      layout.plainLength,
    );
    // Compressed together, rectangles of a text take a third to two thirds of the bytes that they
    // take one by one.
    const data = deflateSync(plain, {
      level: constants.Z_NO_COMPRESSION,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return Buffer.concat([
      Buffer.from([(control & 0xf0) | (1 << number)]),
      content.subarray(1, layout.head),
      compactLength(data.length),
      data,
    ]);
  }

  #inflate(number: number, data: Buffer, length: number): Buffer {
    const stream = this.#streams[number];
    if (!stream) throw new UnknownData('a stream of Tight');
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: length };
    let plain: Buffer;
    try {
      plain = inflateRawSync(
        stream.hasBegun ? data : data.subarray(ZLIB_HEAD),
        stream.window.length > 0 ? { ...options, dictionary: stream.window } : options,
      );
    } catch {
      throw new UnknownData('a rectangle of Tight that cannot be opened');
    }
    if (plain.length !== length) throw new UnknownData('a rectangle of Tight of another length');
    stream.hasBegun = true;
    stream.window = Buffer.from(
      plain.length >= WINDOW
        ? plain.subarray(-WINDOW)
        : Buffer.concat([stream.window, plain]).subarray(-WINDOW),
    );
    return plain;
  }
}

/** A length of one to three bytes, least significant first, seven bits in each but the last. */
function compactLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x4000) return Buffer.from([(length & 0x7f) | 0x80, length >> 7]);
  return Buffer.from([(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]);
}
