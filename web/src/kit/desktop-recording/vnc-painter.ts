import CopyRect from '@novnc/novnc/core/decoders/copyrect.js';
import Hextile from '@novnc/novnc/core/decoders/hextile.js';
import Raw from '@novnc/novnc/core/decoders/raw.js';
import Rre from '@novnc/novnc/core/decoders/rre.js';
import Tight from '@novnc/novnc/core/decoders/tight.js';
import Zrle from '@novnc/novnc/core/decoders/zrle.js';
import { MAX_DESKTOP_PIXELS } from '@sallyport/contract';
import { RecordingError } from '../recording/recording.ts';
import { effectOf } from './effects.ts';
import { MessageSource } from './message-source.ts';
import type { Pixels } from './pixels.ts';

const TIGHT = 7;
/** Offset of the rectangle content in a message of one rectangle. */
const CONTENT_AT = 16;
const JPEG = 9;

/** Draws recorded VNC messages with the noVNC decoders of live desktops. */
export class VncPainter {
  readonly #pixels: Pixels;
  readonly #decoders: Readonly<Record<number, NovncDecoder>> = {
    0: new Raw(),
    1: new CopyRect(),
    2: new Rre(),
    5: new Hextile(),
    [TIGHT]: new Tight(),
    16: new Zrle(),
  };
  readonly #display: NovncDisplay;
  #opened: ImageData | undefined;

  constructor(pixels: Pixels) {
    this.#pixels = pixels;
    this.#display = {
      // biome-ignore lint/complexity/useMaxParams: the decoders of noVNC call it
      fillRect: (x, y, width, height, color) =>
        pixels.fill({ x, y, width, height }, Array.from(color)),
      // biome-ignore lint/complexity/useMaxParams: the decoders of noVNC call it
      copyImage: (fromX, fromY, x, y, width, height) =>
        pixels.copy(fromX, fromY, { x, y, width, height }),
      // biome-ignore lint/complexity/useMaxParams: the decoders of noVNC call it
      blitImage: (x, y, width, height, source, offset) =>
        pixels.put({ x, y, width, height }, source, offset),
      imageRect: (x, y, width, height) => {
        if (this.#opened?.width !== width || this.#opened.height !== height)
          throw new RecordingError('format');
        pixels.put({ x, y, width, height }, this.#opened.data);
      },
    };
  }

  /** Starts decoding the JPEG of a message, if it has one; browsers decode asynchronously. */
  prepare(message: Uint8Array<ArrayBuffer>): Promise<ImageData> | undefined {
    if (
      message.length <= CONTENT_AT ||
      new DataView(message.buffer, message.byteOffset).getInt32(12) !== TIGHT
    )
      return undefined;
    const source = new MessageSource(message, CONTENT_AT);
    if (source.rQshift8() >> 4 !== JPEG) return undefined;
    // A length in one to three bytes with seven bits each; the high bit marks a continuation.
    if (source.rQshift8() >= 0x80 && source.rQshift8() >= 0x80) source.rQskipBytes(1);
    return pixelsOf(message.slice(message.length - source.rQlen()));
  }

  /** Draws a complete message; `opened` is the result of `prepare`. @throws RecordingError */
  draw(message: Uint8Array<ArrayBuffer>, opened?: ImageData): void {
    const effect = effectOf('vnc', message);
    if (effect.kind === 'none') return;
    const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
    if (effect.kind === 'setting') {
      const { width = 0, height = 0 } = effect;
      if (width < 1 || height < 1 || width * height > MAX_DESKTOP_PIXELS)
        throw new RecordingError('format');
      this.#pixels.resize(width, height);
      return;
    }
    const decoder = this.#decoders[view.getInt32(12)];
    if (!decoder) throw new RecordingError('format');
    const { x, y, width, height } = effect.place;
    this.#opened = opened;
    decoder.decodeRect(
      x,
      y,
      width,
      height,
      new MessageSource(message, CONTENT_AT),
      this.#display,
      24,
    );
  }
}

/** Decodes a JPEG to pixels. */
async function pixelsOf(bytes: Uint8Array<ArrayBuffer>): Promise<ImageData> {
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' })).catch(() => {
    throw new RecordingError('format');
  });
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new RecordingError('format');
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return context.getImageData(0, 0, width, height);
}
