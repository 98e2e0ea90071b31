/** The color planes of a picture, rows from top to bottom. */
export interface Planes {
  readonly width: number;
  readonly height: number;
  readonly red: Uint8Array;
  readonly green: Uint8Array;
  readonly blue: Uint8Array;
}

export function blackPlanes(width: number, height: number): Planes {
  const plane = () => new Uint8Array(width * height);
  return { width, height, red: plane(), green: plane(), blue: plane() };
}

/** Crops a picture to its upper left corner: servers pad at the right and at the bottom. */
export function cropPlanes(planes: Planes, width: number, height: number): Planes {
  if (planes.width === width && planes.height === height) return planes;
  const crop = (plane: Uint8Array) => {
    const part = new Uint8Array(width * height);
    for (let row = 0; row < height; row++)
      part.set(plane.subarray(row * planes.width, row * planes.width + width), row * width);
    return part;
  };
  return {
    width,
    height,
    red: crop(planes.red),
    green: crop(planes.green),
    blue: crop(planes.blue),
  };
}

export function rowsOfPlanes(planes: Planes, from: number, count: number): Planes {
  const rows = (plane: Uint8Array) =>
    plane.subarray(from * planes.width, (from + count) * planes.width);
  return {
    width: planes.width,
    height: count,
    red: rows(planes.red),
    green: rows(planes.green),
    blue: rows(planes.blue),
  };
}

/** Bits per pixel. */
export type PixelFormat = 15 | 16 | 24 | 32;

export const bytesOfPixel = (format: PixelFormat): number => (format === 15 ? 2 : format / 8);

/** Splits the pixels of each row, from the top, into planes. */
export function planesOf(
  width: number,
  height: number,
  format: PixelFormat,
  rowOf: (row: number) => Uint32Array,
): Planes {
  const planes = blackPlanes(width, height);
  const { red, green, blue } = planes;
  // Inlined for each format: a call for each pixel would take most of the time.
  for (let row = 0, at = 0; row < height; row++)
    for (const pixel of rowOf(row)) {
      if (format === 16) {
        red[at] = widen((pixel >> 11) & 31, 5);
        green[at] = widen((pixel >> 5) & 63, 6);
        blue[at] = widen(pixel & 31, 5);
      } else if (format === 15) {
        red[at] = widen((pixel >> 10) & 31, 5);
        green[at] = widen((pixel >> 5) & 31, 5);
        blue[at] = widen(pixel & 31, 5);
      } else {
        red[at] = (pixel >> 16) & 255;
        green[at] = (pixel >> 8) & 255;
        blue[at] = pixel & 255;
      }
      at++;
    }
  return planes;
}

/** Widens 5 or 6 bits to 8 by repeating the high bits: white stays white. */
function widen(value: number, bits: number): number {
  return (value << (8 - bits)) | (value >> (2 * bits - 8));
}
