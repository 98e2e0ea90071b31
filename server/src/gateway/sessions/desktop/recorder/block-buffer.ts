import { RECORD_HEAD_BYTES } from '@sallyport/contract';
import { DESKTOP_BLOCK } from '../../../limits.ts';

const FIRST_BYTES = 1024;
/** Buffers of full blocks that wait for their next use, shared by all recordings. */
const MAX_SPARE = 16;
const spare: Buffer[] = [];

/** The records of one block, copied into one buffer that grows. */
export class BlockBuffer {
  #bytes: Buffer | undefined;
  #filled = 0;

  get filled(): number {
    return this.#filled;
  }

  add(kind: number, at: number, bytes: Buffer): void {
    const from = this.#filled;
    const end = from + RECORD_HEAD_BYTES + bytes.length;
    const buffer = this.#room(end);
    buffer.writeUInt8(kind, from);
    buffer.writeUInt32LE(at, from + 1);
    buffer.writeUInt32LE(bytes.length, from + 5);
    buffer.set(bytes, from + RECORD_HEAD_BYTES);
    this.#filled = end;
  }

  /** Returns the records and begins a new block. The caller releases them when they are stored. */
  take(): Buffer {
    const plain = this.#bytes?.subarray(0, this.#filled) ?? Buffer.alloc(0);
    this.#bytes = undefined;
    this.#filled = 0;
    return plain;
  }

  /** Takes back the buffer of a block, which the caller does not use any more. */
  static release(plain: Buffer): void {
    if (plain.buffer.byteLength === DESKTOP_BLOCK && spare.length < MAX_SPARE)
      spare.push(Buffer.from(plain.buffer));
  }

  #room(bytes: number): Buffer {
    const before = this.#bytes;
    if (before && before.length >= bytes) return before;
    const size = Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(bytes)));
    // Not of Node's pool, whose buffers others use too.
    const buffer =
      (size === DESKTOP_BLOCK ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(size);
    before?.copy(buffer, 0, 0, this.#filled);
    this.#bytes = buffer;
    return buffer;
  }
}
