import { BadPdu, ByteReader } from '../byte-reader.ts';
import { blackPlanes, bytesOfPixel, type PixelFormat, type Planes, putPixel } from './planes.ts';

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
  const above = () => (isFirstLine ? 0 : (pixels[at - width] ?? 0));
  const put = (pixel: number) => {
    if (at >= pixels.length) throw new BadPdu('a bitmap has more pixels than its size');
    pixels[at++] = pixel;
  };
  const putMasked = (mask: number, count: number) => {
    for (let bit = 0; bit < count; bit++) put((mask >> bit) & 1 ? above() ^ foreground : above());
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
      case 'background':
        for (let done = 0; done < length; done++)
          put(done === 0 && followsBackground ? above() ^ foreground : above());
        break;
      case 'foreground':
      case 'set-foreground':
        if (kind === 'set-foreground') foreground = readPixel();
        for (let done = 0; done < length; done++) put(above() ^ foreground);
        break;
      case 'mask':
      case 'set-mask':
        if (kind === 'set-mask') foreground = readPixel();
        for (let done = 0; done < length; done += 8)
          putMasked(reader.u8(), Math.min(8, length - done));
        break;
      case 'color': {
        const pixel = readPixel();
        for (let done = 0; done < length; done++) put(pixel);
        break;
      }
      case 'dithered': {
        const [first, second] = [readPixel(), readPixel()];
        for (let done = 0; done < length; done++) {
          put(first);
          put(second);
        }
        break;
      }
      case 'raw':
        for (let done = 0; done < length; done++) put(readPixel());
        break;
      case 'mask-3':
        putMasked(3, 8);
        break;
      case 'mask-5':
        putMasked(5, 8);
        break;
      case 'white':
        put(white);
        break;
      case 'black':
        put(0);
        break;
    }
  }
  if (at !== pixels.length) throw new BadPdu('a bitmap has fewer pixels than its size');
  return topDownPlanes(pixels, width, height, format);
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

/** Converts pixels from bottom-up to top-down planes. */
function topDownPlanes(
  pixels: Uint32Array,
  width: number,
  height: number,
  format: PixelFormat,
): Planes {
  const planes = blackPlanes(width, height);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      putPixel(
        planes,
        row * width + column,
        format,
        pixels[(height - 1 - row) * width + column] ?? 0,
      );
  return planes;
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
  const planes = blackPlanes(width, height);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      putPixel(
        planes,
        row * width + column,
        format,
        bytes.readUIntLE((height - 1 - row) * stride + column * size, Math.min(size, 3)),
      );
  return planes;
}
