/** Text that stays in its own memory between two parts of the output. */
const MAX_OWN = 8 * 1024;
/** Memory up to this size is kept for the next long text. */
const MAX_SPARE = 512 * 1024;
const NONE = Buffer.alloc(0);
/** Memory for a long text, which all texts use in turn: each for one part of the output. */
let spare: Buffer = NONE;

function borrow(bytes: number): Buffer {
  const taken = spare;
  if (taken.length < bytes) return Buffer.allocUnsafeSlow(bytes);
  spare = NONE;
  return taken;
}

/** Memory of a text that is long while a part of the output is read, and short afterwards. */
export class TextMemory {
  bytes: Buffer = Buffer.allocUnsafeSlow(1024);
  private own: Buffer = this.bytes;

  /** Makes room for `more` bytes after the first `length`, which stay. */
  reserve(length: number, more: number): void {
    if (length + more <= this.bytes.length) return;
    const larger = borrow(2 * (length + more));
    this.bytes.copy(larger, 0, 0, length);
    this.bytes = larger;
  }

  /** Puts a short text in its own memory, so another text can use that of the long one. */
  release(length: number): void {
    const { bytes } = this;
    if (bytes === this.own || length > MAX_OWN) return;
    if (this.own.length < length) this.own = Buffer.allocUnsafeSlow(2 * length);
    bytes.copy(this.own, 0, 0, length);
    this.bytes = this.own;
    if (bytes.length > spare.length && bytes.length <= MAX_SPARE) spare = bytes;
  }
}
