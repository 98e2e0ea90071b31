import type { Place } from './effects.ts';

const BYTES = 4;

/** Pixel buffer of a desktop in RGBA. Tracks the changed area until it is copied to the screen. */
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

  /** All pixels in RGBA. */
  get bytes(): Uint8ClampedArray<ArrayBuffer> {
    return this.#bytes;
  }

  /** Clears the buffer and sets its size. */
  clear(width: number, height: number): void {
    [this.#width, this.#height] = [width, height];
    this.#words = new Uint32Array(width * height);
    this.#bytes = new Uint8ClampedArray(this.#words.buffer);
    this.#changed = { left: 0, top: 0, right: width, bottom: height };
  }

  /** Resizes the desktop; the pixels inside both sizes stay. */
  resize(width: number, height: number): void {
    const { width: oldWidth, height: oldHeight } = this;
    const old = this.#words;
    this.clear(width, height);
    const columns = Math.min(width, oldWidth);
    for (let row = 0; row < Math.min(height, oldHeight); row++)
      this.#words.set(old.subarray(row * oldWidth, row * oldWidth + columns), row * width);
  }

  /** Fills an area with a color, given as red, green and blue bytes. */
  fill(place: Place, [red = 0, green = 0, blue = 0]: Iterable<number>): void {
    const { x, y, width, height } = this.#within(place);
    const color = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    for (let row = y; row < y + height; row++)
      this.#words.fill(color, row * this.#width + x, row * this.#width + x + width);
  }

  /** Copies an area; source and target may overlap. */
  copy(fromX: number, fromY: number, place: Place): void {
    const { x, y, width, height } = this.#within({
      ...place,
      width: Math.min(place.width, this.width - fromX),
      height: Math.min(place.height, this.height - fromY),
    });
    for (let done = 0; done < height; done++) {
      // Copy in the direction that reads each row before it is overwritten.
      const row = y > fromY ? height - 1 - done : done;
      const from = (fromY + row) * this.width + fromX;
      this.#words.copyWithin((y + row) * this.width + x, from, from + width);
    }
  }

  /** Draws RGBA pixels; `source` has rows of the width of the area. */
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

  /**
   * Copies the area changed since the last call to a canvas, and resizes the canvas to the desktop.
   */
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

  /** Clips an area to the desktop and marks it as changed. */
  #within({ x, y, width, height }: Place): Place {
    const part = {
      width: Math.min(width, this.#width - x),
      height: Math.min(height, this.#height - y),
    };
    // Entirely outside.
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
