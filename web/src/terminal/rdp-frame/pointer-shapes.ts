/** Kinds of updates that change the pointer (MS-RDPBCGR 2.2.9.1.2.1). */
const UPDATE = { hidden: 5, arrow: 6, color: 9, cached: 10, pointer: 11 } as const;
const MAX_SIDE = 96;

/** A pointer as pixels, top row first. */
export interface PointerShape {
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** Caches the pointer shapes that a server sends. IronRDP 0.7.0 ignores them. */
export class PointerShapes {
  readonly #cache = new Map<number, PointerShape>();

  /** Returns the pointer after a PDU, or undefined if the PDU does not change the pointer. */
  read(pdu: Uint8Array<ArrayBuffer>): PointerShape | 'none' | 'default' | undefined {
    if ((pdu[0] ?? 3) !== 0) return undefined;
    const head = (pdu[1] ?? 0) < 0x80 ? 2 : 3;
    const kind = pdu[head];
    const view = new DataView(
      pdu.buffer,
      pdu.byteOffset + head + 3,
      Math.max(0, pdu.length - head - 3),
    );
    if (kind === UPDATE.hidden) return 'none';
    if (kind === UPDATE.arrow) return 'default';
    if (kind === UPDATE.cached)
      return view.byteLength >= 2
        ? (this.#cache.get(view.getUint16(0, true)) ?? 'default')
        : undefined;
    if (kind === UPDATE.color) return this.#keep(view, 0, 24);
    if (kind === UPDATE.pointer && view.byteLength >= 2)
      return this.#keep(view, 2, view.getUint16(0, true));
    return undefined;
  }

  #keep(view: DataView<ArrayBuffer>, at: number, bits: number): PointerShape | 'default' {
    if (view.byteLength < at + 14) return 'default';
    const field = (index: number) => view.getUint16(at + index * 2, true);
    const [slot, x, y, width, height, maskLength, colorLength] = [
      field(0),
      field(1),
      field(2),
      field(3),
      field(4),
      field(5),
      field(6),
    ];
    const color = at + 14;
    const stride = Math.ceil((width * bits) / 16) * 2;
    const maskStride = Math.ceil(width / 16) * 2;
    const isWhole =
      color + colorLength + maskLength <= view.byteLength &&
      stride * height <= colorLength &&
      maskStride * height <= maskLength;
    if (
      width === 0 ||
      height === 0 ||
      width > MAX_SIDE ||
      height > MAX_SIDE ||
      !isWhole ||
      ![1, 24, 32].includes(bits)
    )
      return 'default';
    const pixels = new Uint8ClampedArray(width * height * 4);
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) {
        // Rows are stored bottom-up.
        const source = color + (height - 1 - row) * stride;
        const masked =
          (view.getUint8(color + colorLength + (height - 1 - row) * maskStride + (column >> 3)) >>
            (7 - (column & 7))) &
          1;
        pixels.set(
          pixelOf(view, { row: source, column, bits, masked }),
          (row * width + column) * 4,
        );
      }
    const shape = { width, height, x: Math.min(x, width - 1), y: Math.min(y, height - 1), pixels };
    this.#cache.set(slot, shape);
    return shape;
  }
}

interface PixelPlace {
  /** Offset of the row in bytes. */
  readonly row: number;
  readonly column: number;
  /** Bits per pixel. */
  readonly bits: number;
  /** 1 if the mask hides the pixel. */
  readonly masked: number;
}

/**
 * Returns red, green, blue and opacity. Inverting pixels are drawn black: a page cannot read the
 * screen below the pointer.
 */
function pixelOf(
  view: DataView,
  { row, column, bits, masked }: PixelPlace,
): readonly [number, number, number, number] {
  if (bits === 1) {
    const value = (view.getUint8(row + (column >> 3)) >> (7 - (column & 7))) & 1 ? 255 : 0;
    return masked ? [0, 0, 0, value] : [value, value, value, 255];
  }
  const at = row + (column * bits) / 8;
  const [blue, green, red] = [view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2)];
  if (bits === 32) {
    const opacity = view.getUint8(at + 3);
    if (opacity > 0) return [red, green, blue, opacity];
  }
  if (!masked) return [red, green, blue, 255];
  return [0, 0, 0, red | green | blue ? 255 : 0];
}

/** Returns the pointer as a CSS cursor. */
export function cursorOf(shape: PointerShape | 'none' | 'default'): string {
  if (typeof shape === 'string') return shape;
  const canvas = document.createElement('canvas');
  canvas.width = shape.width;
  canvas.height = shape.height;
  canvas
    .getContext('2d')
    ?.putImageData(new ImageData(shape.pixels, shape.width, shape.height), 0, 0);
  return `url(${canvas.toDataURL()}) ${shape.x} ${shape.y}, default`;
}
