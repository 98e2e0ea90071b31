import type { Watermark } from '@sallyport/contract';

/**
 * Opacity of the gray letters. Gray is visible on light and dark ground. At 0.24 a text with a
 * contrast of 7 keeps 4.5 under a letter; see `watermark.test.ts`.
 */
export const OPACITY: Readonly<Record<Watermark['strength'], number>> = {
  light: 0.1,
  medium: 0.17,
  strong: 0.23,
};
/** Level of red, green and blue of the letters. */
export const GRAY = 128;

const FONT = 14;
const LINE = 20;
const ANGLE = -Math.PI / 10;
const GAP = 56;

/** A picture that repeats over an area, and its size in CSS pixels. */
export interface Tile {
  readonly canvas: HTMLCanvasElement;
  readonly width: number;
  readonly height: number;
}

/** Draws the tile of a watermark with a time, at `scale` pixels per CSS pixel. */
export function drawTile({ text, strength }: Watermark, time: string, scale = 1): Tile {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  const lines = [text, time];
  const font = `${FONT}px system-ui, sans-serif`;
  if (context) context.font = font;
  const length = Math.max(...lines.map((line) => context?.measureText(line).width ?? 0));
  const [cos, sin] = [Math.cos(ANGLE), Math.abs(Math.sin(ANGLE))];
  const block = LINE * lines.length;
  const width = Math.ceil(length * cos + block * sin + GAP);
  const height = Math.ceil(length * sin + block * cos + GAP);
  [canvas.width, canvas.height] = [width * scale, height * scale];
  if (context) {
    context.scale(scale, scale);
    context.translate(width / 2, height / 2);
    context.rotate(ANGLE);
    context.font = font;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = `rgb(${GRAY} ${GRAY} ${GRAY} / ${OPACITY[strength]})`;
    for (const [at, line] of lines.entries())
      context.fillText(line, 0, (at - (lines.length - 1) / 2) * LINE);
  }
  return { canvas, width, height };
}

/** Returns the area of the canvas that a call of `drawImage` paints. */
function imageArea([image, ...numbers]: readonly unknown[]): readonly number[] {
  const places = numbers.map(Number);
  if (places.length >= 8) return places.slice(4, 8);
  const { width = 0, height = 0 } = image as { readonly width?: number; readonly height?: number };
  return [places[0] ?? 0, places[1] ?? 0, places[2] ?? width, places[3] ?? height];
}

/** Returns the area of the canvas that a call of `putImageData` paints. */
function pixelsArea([pixels, ...numbers]: readonly unknown[]): readonly number[] {
  const { width, height } = pixels as ImageData;
  const [x = 0, y = 0, left = 0, top = 0, wide = width, high = height] = numbers.map(Number);
  return [x + left, y + top, wide, high];
}

/**
 * Draws a watermark into the picture of a canvas: every area that its owner paints with `drawImage`
 * or `putImageData` is stamped in the same call. The owner must paint opaque pixels.
 */
export function markCanvas(canvas: HTMLCanvasElement, mark: Watermark, time: string): void {
  const context = canvas.getContext('2d');
  const pattern = context?.createPattern(drawTile(mark, time).canvas, 'repeat');
  if (!context || !pattern) return;
  const wrap = (name: 'drawImage' | 'putImageData', area: typeof imageArea) => {
    const paint = context[name];
    const painted = (...values: readonly unknown[]) => {
      Reflect.apply(paint, context, values);
      const [x = 0, y = 0, width = 0, height = 0] = area(values);
      context.save();
      context.fillStyle = pattern;
      context.fillRect(x, y, width, height);
      context.restore();
    };
    Object.defineProperty(context, name, { value: painted });
  };
  wrap('drawImage', imageArea);
  wrap('putImageData', pixelsArea);
}
