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
