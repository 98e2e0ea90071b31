import type { Place } from './effects.ts';

const BYTES = 4;

/** The pixels of a desktop in memory: red, green, blue, opacity. What was drawn is remembered as one place, until it is taken to the screen. */
export class Pixels {
  #width: number;
  #height: number;
  #bytes: Uint8ClampedArray<ArrayBuffer>;
  #words: Uint32Array<ArrayBuffer>;
  #changed: { left: number; top: number; right: number; bottom: number } | null = null;

  constructor(width: number, height: number) {
    [this.#width, this.#height] = [width, height];
    this.#words = new Uint32Array(width * height);
    this.#bytes = new Uint8ClampedArray(this.#words.buffer);
  }

  get width(): number {
    return this.#width;
  }

  get height(): number {
    return this.#height;
  }

  /** All pixels, as they are. */
  get bytes(): Uint8ClampedArray<ArrayBuffer> {
    return this.#bytes;
  }

  /** Nothing is drawn any more, in a size. */
  clear(width: number, height: number): void {
    [this.#width, this.#height] = [width, height];
    this.#words = new Uint32Array(width * height);
    this.#bytes = new Uint8ClampedArray(this.#words.buffer);
    this.#changed = { left: 0, top: 0, right: width, bottom: height };
  }

  /** Makes the desktop larger or smaller; what lies in both sizes stays. */
  resize(width: number, height: number): void {
    const { width: oldWidth, height: oldHeight } = this;
    const old = this.#words;
    this.clear(width, height);
    const columns = Math.min(width, oldWidth);
    for (let row = 0; row < Math.min(height, oldHeight); row++)
      this.#words.set(old.subarray(row * oldWidth, row * oldWidth + columns), row * width);
  }

  /** Draws one color; its bytes are red, green and blue. */
  fill(place: Place, [red = 0, green = 0, blue = 0]: Iterable<number>): void {
    const { x, y, width, height } = this.#within(place);
    const color = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    for (let row = y; row < y + height; row++)
      this.#words.fill(color, row * this.#width + x, row * this.#width + x + width);
  }

  /** Draws what is at another place, which may overlap. */
  copy(fromX: number, fromY: number, place: Place): void {
    const { x, y, width, height } = this.#within({
      ...place,
      width: Math.min(place.width, this.width - fromX),
      height: Math.min(place.height, this.height - fromY),
    });
    for (let done = 0; done < height; done++) {
      // From the side that is not written on before it is read.
      const row = y > fromY ? height - 1 - done : done;
      const from = (fromY + row) * this.width + fromX;
      this.#words.copyWithin((y + row) * this.width + x, from, from + width);
    }
  }

  /** Draws pixels, of which `source` has a row of the place's width for each of its rows. */
  put(place: Place, source: Uint8Array | Uint8ClampedArray, offset = 0): void {
    const { x, y, width, height } = this.#within(place);
    for (let row = 0; row < height; row++) {
      const from = offset + row * place.width * BYTES;
      this.#bytes.set(
        source.subarray(from, from + width * BYTES),
        ((y + row) * this.width + x) * BYTES,
      );
    }
  }

  /** Takes what was drawn since the last time to a canvas of any size, which gets that of the desktop. */
  show(canvas: HTMLCanvasElement): void {
    const context = canvas.getContext('2d');
    if (!context) return;
    if (canvas.width !== this.width || canvas.height !== this.height) {
      canvas.width = this.width;
      canvas.height = this.height;
      this.#changed = { left: 0, top: 0, right: this.width, bottom: this.height };
    }
    const changed = this.#changed;
    this.#changed = null;
    if (changed)
      context.putImageData(
        new ImageData(this.#bytes, this.#width, this.#height),
        0,
        0,
        changed.left,
        changed.top,
        changed.right - changed.left,
        changed.bottom - changed.top,
      );
  }

  /** The part of a place that is on the desktop; it counts as changed. */
  #within({ x, y, width, height }: Place): Place {
    const part = {
      width: Math.min(width, this.#width - x),
      height: Math.min(height, this.#height - y),
    };
    // Nothing of it is there.
    if (part.width <= 0 || part.height <= 0) return { x, y, width: 0, height: 0 };
    const place = { x, y, ...part };
    const before = this.#changed ?? { left: x, top: y, right: x, bottom: y };
    this.#changed = {
      left: Math.min(before.left, x),
      top: Math.min(before.top, y),
      right: Math.max(before.right, x + place.width),
      bottom: Math.max(before.bottom, y + place.height),
    };
    return place;
  }
}
