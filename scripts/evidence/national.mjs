// Verifies SM3 (GB/T 32905) and SM2 (GB/T 32918), in Node and in browsers, without packages. Only
// evidence of the mode of national cryptography needs this file.
import { fromHex, utf8 } from './timestamp.mjs';

const turn = (word, bits) => (word << (bits % 32)) | (word >>> (32 - (bits % 32) || 32));
const FIRST = '7380166f 4914b2b9 172442d7 da8a0600 a96f30bc 163138aa e38dee4d b0fb0e4e'.split(' ');

/** The digest SM3 of pieces. */
export class Sm3 {
  #state = Int32Array.from(FIRST, (word) => Number(`0x${word}`));
  #block = new Uint8Array(64);
  #length = 0;
  #words = new Int32Array(68);

  update(bytes) {
    for (let at = 0; at < bytes.length; at++) {
      this.#block[this.#length++ % 64] = bytes[at];
      if (this.#length % 64 === 0) this.#compress();
    }
    return this;
  }

  digest() {
    const bits = BigInt(this.#length) * 8n;
    this.update([0x80]);
    while (this.#length % 64 !== 56) this.update([0]);
    this.update(bytesOf(bits).subarray(24));
    return [...this.#state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #compress() {
    const words = this.#words;
    const view = new DataView(this.#block.buffer);
    for (let at = 0; at < 16; at++) words[at] = view.getInt32(4 * at);
    for (let at = 16; at < 68; at++) {
      const mixed = words[at - 16] ^ words[at - 9] ^ turn(words[at - 3], 15);
      words[at] =
        mixed ^ turn(mixed, 15) ^ turn(mixed, 23) ^ turn(words[at - 13], 7) ^ words[at - 6];
    }
    let [a, b, c, d, e, f, g, h] = this.#state;
    for (let at = 0; at < 64; at++) {
      const constant = turn(at < 16 ? 0x79cc4519 : 0x7a879d8a, at);
      const one = turn((turn(a, 12) + e + constant) | 0, 7);
      const early = at < 16;
      const left = early ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
      const right = early ? e ^ f ^ g : (e & f) | (~e & g);
      const first = (left + d + (one ^ turn(a, 12)) + (words[at] ^ words[at + 4])) | 0;
      const second = (right + h + one + words[at]) | 0;
      [a, b, c, d] = [first, a, turn(b, 9), c];
      [e, f, g, h] = [second ^ turn(second, 9) ^ turn(second, 17), e, turn(f, 19), g];
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) this.#state[at] ^= word;
  }
}

const P = 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn;
const N = 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123n;
const A = P - 3n;
const B = 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93n;
const G = [
  0x32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7n,
  0xbc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0n,
];
const mod = (number, by = P) => ((number % by) + by) % by;
const numberOf = (digits) => BigInt(`0x${digits}`);
const bytesOf = (number) => fromHex(number.toString(16).padStart(64, '0'));

function inverse(number) {
  let [one, other, first, second] = [mod(number), P, 1n, 0n];
  while (one > 1n) {
    const times = other / one;
    [one, other, first, second] = [other - times * one, one, second - times * first, first];
  }
  return mod(first);
}

/** Adds two points. Undefined is the point at infinity. */
function add(one, other) {
  if (!one || !other) return one ?? other;
  const [[x, y], [u, v]] = [one, other];
  if (x === u && mod(y + v) === 0n) return undefined;
  const slope = x === u ? (3n * x * x + A) * inverse(2n * y) : (v - y) * inverse(mod(u - x));
  const sum = mod(slope * slope - x - u);
  return [sum, mod(slope * (x - sum) - y)];
}

function multiply(times, point) {
  let [result, power] = [undefined, point];
  for (let left = times; left > 0n; left >>= 1n) {
    if (left & 1n) result = add(result, power);
    power = add(power, power);
  }
  return result;
}

/** Returns true if the key (04, x, y) signed the text as the user 1234567812345678. */
export function isSm2Signature(key, text, signature) {
  if (!/^04[0-9a-f]{128}$/.test(key) || !/^[0-9a-f]{128}$/.test(signature)) return false;
  const point = [numberOf(key.slice(2, 66)), numberOf(key.slice(66))];
  const [x, y] = point;
  if (x >= P || y >= P || mod(y * y - x * x * x - A * x - B) !== 0n) return false;
  const [r, s] = [numberOf(signature.slice(0, 64)), numberOf(signature.slice(64))];
  const sum = mod(r + s, N);
  if (r < 1n || r >= N || s < 1n || s >= N || sum === 0n) return false;
  const identity = new Sm3().update([0, 128]).update(utf8('1234567812345678'));
  for (const number of [A, B, ...G, ...point]) identity.update(bytesOf(number));
  const digest = new Sm3().update(bytesOf(numberOf(identity.digest()))).update(utf8(text));
  const [first] = add(multiply(s, G), multiply(sum, point)) ?? [];
  return first !== undefined && mod(numberOf(digest.digest()) + first, N) === r;
}

/** Verifies the signature of a manifest over the SM3 of all files, which pass through `file`. */
export function createSeal({ sm2, format, files, range }, report) {
  const [key, signature] = [String(sm2.public_key), String(sm2.signature)];
  const sums = new Map();
  return {
    file(name) {
      const sum = new Sm3();
      sums.set(name, sum);
      return sum;
    },
    end() {
      for (const { name, sm3 } of files)
        if (sums.has(name) && sums.get(name).digest() !== sm3)
          report.file(`${name} has another SM3 digest`);
      const lines = files.map(({ name, size, sm3 }) => `${sm3} ${size} ${name}\n`).join('');
      const text = `${format}\n${JSON.stringify(range)}\n${lines}`;
      if (isSm2Signature(key, text, signature))
        report.about(`Signed by SM2, by the key ${new Sm3().update(utf8(key)).digest()}`);
      else report.file('the signature by SM2 is wrong');
    },
  };
}

/** Recomputes the SM3 digests of a log and compares them with the signed heads. */
export function createSm3Chain({ log, heads, before }, report) {
  const signed = new Map();
  for (const { id, sm3, ...head } of [...heads.values()].flat()) {
    if (head.log !== log || !sm3) continue;
    if (!signed.has(sm3.sequence)) signed.set(sm3.sequence, []);
    signed.get(sm3.sequence).push({ id, digest: sm3.digest });
  }
  let [previous, first, last] = [before];
  return {
    add({ sequence, digest, text, sm3 }) {
      for (const head of signed.get(sequence) ?? [])
        if (head.digest !== sm3)
          report.witness(`${log}: row ${sequence} has another SM3 digest than witness ${head.id}`);
      if (sm3 !== undefined) {
        const sum = new Sm3().update(fromHex(String(previous ?? digest)));
        // The first digest takes over the SHA-256 of its row.
        if (previous !== undefined) sum.update(utf8(String(text)));
        if (sum.digest() !== sm3) report.row(`${log}: row ${sequence} has another SM3 digest`);
        first ??= sequence;
        last = sequence;
      }
      previous = sm3;
    },
    end() {
      if (last !== undefined) report.proof(`${log}: SM3 covers rows ${first} to ${last}`);
    },
  };
}
