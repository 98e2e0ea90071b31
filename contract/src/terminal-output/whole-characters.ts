const LEAD = 0xc0;
const CONTINUATION = 0x80;
/** The most bytes of a character in UTF-8. */
const LONGEST = 4;
const NONE = new Uint8Array();

/**
 * Cuts a UTF-8 stream between characters, never inside of one. xterm.js 6.0.0 drops a character
 * that arrives in two parts when the first part ends with the byte 0x80: most punctuation of
 * Chinese and Japanese, quotation marks, and one in 64 of the other letters.
 */
export class WholeCharacters {
  #held: Uint8Array = NONE;

  /** Returns the stream so far without its last character if that is incomplete. */
  take(bytes: Uint8Array): Uint8Array {
    const all = this.#held.length === 0 ? bytes : joined(this.#held, bytes);
    const end = endOfCharacters(all);
    if (end === all.length) {
      this.#held = NONE;
      return all;
    }
    // A copy: `slice` of a Buffer would hold the memory of the whole part.
    this.#held = new Uint8Array(all.subarray(end));
    return all.subarray(0, end);
  }

  /** Drops the incomplete character: a gap in the stream follows. */
  forget(): void {
    this.#held = NONE;
  }
}

function endOfCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back < LONGEST && back <= length; back += 1) {
    const byte = bytes[length - back] ?? 0;
    if (byte < CONTINUATION) return length;
    if (byte >= LEAD) return back < bytesOf(byte) ? length - back : length;
  }
  return length;
}

/** Bytes of the character that begins with this byte. */
const bytesOf = (lead: number) => (lead >= 0xf0 ? LONGEST : lead >= 0xe0 ? 3 : 2);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
