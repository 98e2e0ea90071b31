import { BadPdu, ByteReader } from '../byte-reader.ts';
import { bytesOfPixel, type PixelFormat, type Planes, planesOf } from './planes.ts';

/**
 * Decodes interleaved RLE of 15, 16 or 24 bits (MS-RDPBCGR 3.1.9). Rows run from bottom to top.
 * @throws BadPdu
 */
export function readInterleaved(
  bytes: Buffer,
  width: number,
  height: number,
  format: 15 | 16 | 24,
): Planes {
  const reader = new ByteReader(bytes);
  const pixels = new Uint32Array(width * height);
  const white = format === 24 ? 0xff_ffff : format === 16 ? 0xffff : 0x7fff;
  const readPixel = format === 24 ? () => reader.u16() | (reader.u8() << 16) : () => reader.u16();
  let at = 0;
  let foreground = white;
  /** A background run after another one begins with a foreground pixel. */
  let isBackgroundRun = false;
  /**
   * An order that begins in the first line has no line above, even where it continues into the
   * second.
   */
  let isFirstLine = true;
  /** Returns the index of the first of the next pixels. */
  const take = (count: number): number => {
    at += count;
    if (at > pixels.length) throw new BadPdu('a bitmap has more pixels than its size');
    return at - count;
  };
  const fill = (pixel: number, count: number) => {
    const from = take(count);
    pixels.fill(pixel, from, at);
  };
  /** Repeats the pixels of the line above with some bits changed. */
  const putAbove = (change: number, count: number) => {
    if (isFirstLine) return fill(change, count);
    for (let to = take(count); to < at; to++) pixels[to] = (pixels[to - width] ?? 0) ^ change;
  };
  const putMasked = (mask: number, count: number) => {
    for (let bit = 0; bit < count; bit++) putAbove((mask >> bit) & 1 ? foreground : 0, 1);
  };
  while (reader.left > 0) {
    if (isFirstLine && at >= width) {
      isFirstLine = false;
      isBackgroundRun = false;
    }
    const { kind, length } = readOrder(reader);
    const followsBackground = isBackgroundRun;
    isBackgroundRun = kind === 'background';
    switch (kind) {
      case 'background': {
        const first = followsBackground && length > 0 ? 1 : 0;
        putAbove(foreground, first);
        putAbove(0, length - first);
        break;
      }
      case 'foreground':
      case 'set-foreground':
        if (kind === 'set-foreground') foreground = readPixel();
        putAbove(foreground, length);
        break;
      case 'mask':
      case 'set-mask':
        if (kind === 'set-mask') foreground = readPixel();
        for (let done = 0; done < length; done += 8)
          putMasked(reader.u8(), Math.min(8, length - done));
        break;
      case 'color':
        fill(readPixel(), length);
        break;
      case 'dithered': {
        const [first, second] = [readPixel(), readPixel()];
        for (let to = take(2 * length); to < at; to += 2) {
          pixels[to] = first;
          pixels[to + 1] = second;
        }
        break;
      }
      case 'raw':
        for (let to = take(length); to < at; to++) pixels[to] = readPixel();
        break;
      case 'mask-3':
        putMasked(3, 8);
        break;
      case 'mask-5':
        putMasked(5, 8);
        break;
      case 'white':
        fill(white, 1);
        break;
      case 'black':
        fill(0, 1);
        break;
    }
  }
  if (at !== pixels.length) throw new BadPdu('a bitmap has fewer pixels than its size');
  return planesOf(width, height, format, (row) => {
    const from = (height - 1 - row) * width;
    return pixels.subarray(from, from + width);
  });
}

type Order =
  | 'background'
  | 'foreground'
  | 'mask'
  | 'color'
  | 'raw'
  | 'set-foreground'
  | 'set-mask'
  | 'dithered'
  | 'mask-3'
  | 'mask-5'
  | 'white'
  | 'black';

const REGULAR: readonly Order[] = ['background', 'foreground', 'mask', 'color', 'raw'];
const LITE: Readonly<Record<number, Order>> = {
  12: 'set-foreground',
  13: 'set-mask',
  14: 'dithered',
};
const MEGA: Readonly<Record<number, Order>> = {
  240: 'background',
  241: 'foreground',
  242: 'mask',
  243: 'color',
  244: 'raw',
  246: 'set-foreground',
  247: 'set-mask',
  248: 'dithered',
};
const SINGLE: Readonly<Record<number, Order>> = {
  249: 'mask-3',
  250: 'mask-5',
  253: 'white',
  254: 'black',
};

/** Reads the header of an order: its kind, and its length in pixels. */
function readOrder(reader: ByteReader): { readonly kind: Order; readonly length: number } {
  const code = reader.u8();
  const single = SINGLE[code];
  if (single) return { kind: single, length: 0 };
  const mega = MEGA[code];
  if (mega) return { kind: mega, length: reader.u16() };
  const lite = LITE[code >> 4];
  const kind = lite ?? (code < 0xa0 ? REGULAR[code >> 5] : undefined);
  if (!kind) throw new BadPdu('a bitmap has an order that is unknown');
  const short = lite ? code & 15 : code & 31;
  const isMask = kind === 'mask' || kind === 'set-mask';
  if (isMask) return { kind, length: short === 0 ? reader.u8() + 1 : short * 8 };
  return { kind, length: short === 0 ? reader.u8() + (lite ? 16 : 32) : short };
}

/**
 * Decodes an uncompressed bitmap: rows from bottom to top, padded to a multiple of four bytes
 * (MS-RDPBCGR 2.2.9.1.1.3.1.2.2).
 * @throws BadPdu
 */
export function readRaw(bytes: Buffer, width: number, height: number, format: PixelFormat): Planes {
  const size = bytesOfPixel(format);
  // Some servers omit the padding.
  const stride =
    bytes.length === width * size * height ? width * size : Math.ceil((width * size) / 4) * 4;
  if (bytes.length < stride * height) throw new BadPdu('a bitmap has fewer pixels than its size');
  const pixels = new Uint32Array(width);
  return planesOf(width, height, format, (row) => {
    let from = (height - 1 - row) * stride;
    for (let column = 0; column < width; column++, from += size) {
      const pixel = (bytes[from] ?? 0) | ((bytes[from + 1] ?? 0) << 8);
      pixels[column] = size === 2 ? pixel : pixel | ((bytes[from + 2] ?? 0) << 16);
    }
    return pixels;
  });
}
