export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const DIGITS = '0123456789';
export const ALNUM = UPPER + LOWER + DIGITS;

/** Makes random values. */
export class Maker {
  readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  below(max: number): number {
    return Math.floor(this.random() * max);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  of(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }

  alnum = (length: number) => this.of(ALNUM, length);
  hex = (length: number) => this.of('0123456789abcdef', length);
  word = (length: number) => this.of(`${ALNUM}-_`, length - 1) + this.of(DIGITS, 1);
  bytes = (length: number) => Buffer.from(Array.from({ length }, () => this.below(256)));
  base64 = (length: number) => this.bytes(length).toString('base64');
  base64url = (length: number) => this.bytes(length).toString('base64url');

  /** A password of 10 to 20 letters, digits and signs. */
  password(signs = '!#%*+-.=?^_~'): string {
    const length = 8 + this.below(11);
    return (
      this.of(UPPER + LOWER, 1) +
      this.of(ALNUM + signs, length) +
      this.of(DIGITS, 1) +
      this.of(LOWER, 1)
    );
  }

  /** A key in lines of 64 characters. */
  lines(bytes: number, newline = '\r\n'): string {
    return (this.base64(bytes).match(/.{1,64}/g) ?? []).join(newline);
  }
}

/** A generator of random numbers with a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
