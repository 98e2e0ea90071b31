/**
 * RC4, a stateful stream cipher (test vectors in RFC 6229). NTLM seals messages with it, always
 * inside TLS, and OpenSSL no longer offers it.
 */
export class Rc4 {
  readonly #state = Uint8Array.from({ length: 256 }, (_, index) => index);
  #i = 0;
  #j = 0;

  constructor(key: Buffer) {
    let j = 0;
    for (let i = 0; i < 256; i++) {
      j = (j + this.#at(i) + (key[i % key.length] ?? 0)) & 255;
      this.#swap(i, j);
    }
  }

  /** Encrypts or decrypts the next bytes. */
  apply(bytes: Buffer): Buffer {
    const result = Buffer.alloc(bytes.length);
    for (let index = 0; index < bytes.length; index++) {
      this.#i = (this.#i + 1) & 255;
      this.#j = (this.#j + this.#at(this.#i)) & 255;
      this.#swap(this.#i, this.#j);
      result[index] = (bytes[index] ?? 0) ^ this.#at((this.#at(this.#i) + this.#at(this.#j)) & 255);
    }
    return result;
  }

  #at(index: number): number {
    return this.#state[index] ?? 0;
  }

  #swap(i: number, j: number): void {
    const previous = this.#at(i);
    this.#state[i] = this.#at(j);
    this.#state[j] = previous;
  }
}

/**
 * MD4 (RFC 1320). NTLM hashes passwords with it, and OpenSSL no longer offers it. Cryptographically
 * broken.
 */
export function md4(message: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil((message.length + 9) / 64) * 64);
  message.copy(padded);
  padded.writeUInt8(0x80, message.length);
  padded.writeUInt32LE((message.length * 8) >>> 0, padded.length - 8);
  padded.writeUInt32LE(Math.floor(message.length / 0x2000_0000), padded.length - 4);
  let state: [number, number, number, number] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < padded.length; at += 64) {
    let [a, b, c, d] = state;
    for (const { mix, constant, order, shifts } of ROUNDS)
      for (let step = 0; step < 16; step++) {
        const word = padded.readUInt32LE(at + (order[step] ?? 0) * 4);
        const sum = (a + mix(b, c, d) + word + constant) | 0;
        const shift = shifts[step % 4] ?? 0;
        [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
      }
    state = [(state[0] + a) | 0, (state[1] + b) | 0, (state[2] + c) | 0, (state[3] + d) | 0];
  }
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeInt32LE(word | 0, index * 4);
  return digest;
}

const ROUNDS = [
  {
    mix: (b: number, c: number, d: number) => (b & c) | (~b & d),
    constant: 0,
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
  },
  {
    mix: (b: number, c: number, d: number) => (b & c) | (b & d) | (c & d),
    constant: 0x5a827999,
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
  },
  {
    mix: (b: number, c: number, d: number) => b ^ c ^ d,
    constant: 0x6ed9eba1,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
  },
] as const;
