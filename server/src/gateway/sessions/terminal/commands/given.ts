import { EMULATOR_REMEMBERED_BYTES, EMULATOR_REMEMBERED_SIZES } from '../../../limits.ts';

const FIRST_BYTES = 512;

/** A new size, and behind how many bytes it came. */
interface Resized {
  readonly behind: number;
  readonly cols: number;
  readonly rows: number;
}

/** Everything that an emulator was given since it is there, as long as that is little: what it shows follows from it, so that the emulator itself can be made again. */
export class Given {
  private bytes: Buffer | undefined = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private length = 0;
  private readonly sizes: Resized[] = [];

  constructor(cols: number, rows: number) {
    this.sizes.push({ behind: 0, cols, rows });
  }

  /** Whether all of it is known. */
  get isWhole(): boolean {
    return this.bytes !== undefined;
  }

  /** The size that it began with. */
  get firstSize(): { readonly cols: number; readonly rows: number } {
    return this.sizes[0] as Resized;
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
    if (!this.bytes) return;
    if (this.sizes.length === EMULATOR_REMEMBERED_SIZES) this.forget();
    else this.sizes.push({ behind: this.length, cols, rows });
  }

  /** It does not follow any more from what is known. */
  forget(): void {
    this.bytes = undefined;
    this.sizes.length = 0;
  }

  /** Gives back the room that nothing has come for. */
  trim(): void {
    if (this.bytes && this.bytes.length > this.length)
      this.bytes = copyOf(this.bytes.subarray(0, this.length), this.length);
  }

  /** Gives all of it to an emulator of the first size, in its order. */
  replay(write: (data: Buffer) => void, resize: (cols: number, rows: number) => void): void {
    if (!this.bytes) return;
    let from = 0;
    for (const { behind, cols, rows } of this.sizes) {
      if (behind > from) write(this.bytes.subarray(from, behind));
      resize(cols, rows);
      from = behind;
    }
    if (this.length > from) write(this.bytes.subarray(from, this.length));
  }
}

function copyOf(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length);
  bytes.copy(copy);
  return copy;
}
