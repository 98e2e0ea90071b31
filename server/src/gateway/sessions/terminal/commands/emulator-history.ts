import { EMULATOR_REMEMBERED_BYTES, EMULATOR_REMEMBERED_SIZES } from '../../../limits.ts';

const FIRST_BYTES = 512;

/** A resize, with the number of bytes before it. */
interface Resize {
  readonly after: number;
  readonly cols: number;
  readonly rows: number;
}

/**
 * All input of an emulator, up to a limit. The screen follows from it, so the emulator can be
 * recreated.
 */
export class EmulatorHistory {
  private bytes: Buffer | undefined = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private length = 0;
  private readonly sizes: Resize[] = [];

  /** Cells of the current screen. */
  cells: number;

  constructor(cols: number, rows: number) {
    this.sizes.push({ after: 0, cols, rows });
    this.cells = cols * rows;
  }

  /** False once input exceeded the limit. */
  get isWhole(): boolean {
    return this.bytes !== undefined;
  }

  get firstSize(): { readonly cols: number; readonly rows: number } {
    return this.sizes[0] as Resize;
  }

  add(data: Buffer | string): void {
    if (!this.bytes || data.length === 0) return;
    const more = typeof data === 'string' ? Buffer.from(data) : data;
    const length = this.length + more.length;
    if (length > EMULATOR_REMEMBERED_BYTES) {
      this.forget();
      return;
    }
    if (length > this.bytes.length)
      this.bytes = copyOf(
        this.bytes,
        Math.min(EMULATOR_REMEMBERED_BYTES, 2 ** Math.ceil(Math.log2(length))),
      );
    more.copy(this.bytes, this.length);
    this.length = length;
  }

  resize(cols: number, rows: number): void {
    this.cells = cols * rows;
    if (!this.bytes) return;
    if (this.sizes.length === EMULATOR_REMEMBERED_SIZES) this.forget();
    else this.sizes.push({ after: this.length, cols, rows });
  }

  /** Drops the history: the screen no longer follows from it. */
  forget(): void {
    this.bytes = undefined;
    this.sizes.length = 0;
  }

  /** Releases unused capacity. */
  trim(): void {
    if (this.bytes && this.bytes.length > this.length)
      this.bytes = copyOf(this.bytes.subarray(0, this.length), this.length);
  }

  /** Replays the input in order into an emulator of the first size. */
  replay(write: (data: Buffer) => void, resize: (cols: number, rows: number) => void): void {
    if (!this.bytes) return;
    let from = 0;
    for (const { after, cols, rows } of this.sizes) {
      if (after > from) write(this.bytes.subarray(from, after));
      resize(cols, rows);
      from = after;
    }
    if (this.length > from) write(this.bytes.subarray(from, this.length));
  }
}

function copyOf(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length);
  bytes.copy(copy);
  return copy;
}
