const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number++)
  if (PRIMES.every((prime) => number % prime !== 0)) PRIMES.push(number);
const fraction = (root) => ((root % 1) * 2 ** 32) | 0;
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const BLOCK = 64;

const turn = (word, bits) => (word >>> bits) | (word << (32 - bits));

/** SHA-256 (FIPS 180-4) of bytes that come in pieces, which Web Crypto does not offer. */
export class Sha256 {
  #state = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  #words = new Int32Array(64);
  #rest = new Uint8Array(BLOCK);
  #length = 0;

  update(bytes) {
    const used = this.#length % BLOCK;
    this.#length += bytes.length;
    let at = 0;
    if (used > 0) {
      at = Math.min(BLOCK - used, bytes.length);
      this.#rest.set(bytes.subarray(0, at), used);
      if (used + at < BLOCK) return this;
      this.#compress(this.#rest, 0);
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.#compress(bytes, at);
    this.#rest.set(bytes.subarray(at));
    return this;
  }

  /** Returns a sum that continues with other bytes. */
  copy() {
    const copy = new Sha256();
    copy.#state.set(this.#state);
    copy.#rest.set(this.#rest);
    copy.#length = this.#length;
    return copy;
  }

  /** Returns the digest in hexadecimal. Nothing can be added afterwards. */
  digest() {
    const used = this.#length % BLOCK;
    const bits = this.#length * 8;
    const end = new DataView(new ArrayBuffer((used < 56 ? BLOCK : 2 * BLOCK) - used));
    end.setUint8(0, 0x80);
    end.setUint32(end.byteLength - 8, Math.floor(bits / 2 ** 32));
    end.setUint32(end.byteLength - 4, bits % 2 ** 32);
    this.update(new Uint8Array(end.buffer));
    return [...this.#state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #compress(bytes, at) {
    const words = this.#words;
    for (let i = 0; i < 16; i++) {
      const from = at + 4 * i;
      words[i] =
        (bytes[from] << 24) | (bytes[from + 1] << 16) | (bytes[from + 2] << 8) | bytes[from + 3];
    }
    for (let i = 16; i < 64; i++) {
      const early = words[i - 15];
      const late = words[i - 2];
      const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
      words[i] = (((words[i - 16] + first) | 0) + ((words[i - 7] + second) | 0)) | 0;
    }
    const state = this.#state;
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let i = 0; i < 64; i++) {
      // Sums stay integers of 32 bits, which engines compute ten times as fast.
      const round = (h + ((ROUNDS[i] + words[i]) | 0)) | 0;
      const mixed = ((turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g))) | 0;
      const first = (round + mixed) | 0;
      const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}
