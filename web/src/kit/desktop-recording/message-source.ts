import { RecordingError } from '../recording/recording.ts';

/**
 * A complete message in the interface that noVNC decoders read. Reading past its end reports
 * damage.
 */
export class MessageSource implements NovncSource {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = from;
  }

  rQwait(_what: string, length: number): boolean {
    if (this.rQlen() < length) throw new RecordingError('format');
    return false;
  }

  rQlen(): number {
    return this.#bytes.length - this.#at;
  }

  rQpeek8(): number {
    return this.#view.getUint8(this.#at);
  }

  rQpeekBytes(length: number, copy = true): Uint8Array {
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    return copy ? part.slice() : part;
  }

  rQskipBytes(length: number): void {
    this.#at += length;
  }

  rQshift8(): number {
    return this.#view.getUint8(this.#at++);
  }

  rQshift16(): number {
    this.#at += 2;
    return this.#view.getUint16(this.#at - 2);
  }

  rQshift32(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4);
  }

  rQshiftBytes(length: number, copy = true): Uint8Array {
    const part = this.rQpeekBytes(length, copy);
    this.#at += length;
    return part;
  }

  rQshiftTo(target: Uint8Array, length: number): void {
    target.set(this.rQshiftBytes(length, false));
  }
}
