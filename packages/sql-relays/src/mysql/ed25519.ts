import { createHash } from 'node:crypto';

/** MariaDB's authentication plugin with signatures. */
export const ED25519 = 'client_ed25519';

const P = 2n ** 255n - 19n;
/** The order of the base point. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const BITS = 255;

/** A point in extended coordinates (RFC 8032, 5.1.4): x = X/Z, y = Y/Z, x*y = T/Z. */
interface Point {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
  readonly t: bigint;
}

const mod = (value: bigint, by = P): bigint => ((value % by) + by) % by;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (
    let left = exponent, square = mod(base);
    left > 0n;
    left >>= 1n, square = mod(square * square)
  )
    if (left & 1n) result = mod(result * square);
  return result;
}

const inverse = (value: bigint): bigint => power(value, P - 2n);
const D2 = mod(2n * -121665n * inverse(121666n));
const BASE_Y = mod(4n * inverse(5n));
const BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202n;
const BASE: Point = { x: BASE_X, y: BASE_Y, z: 1n, t: mod(BASE_X * BASE_Y) };
const ZERO: Point = { x: 0n, y: 1n, z: 1n, t: 0n };

/** Adds two points; also doubles a point. */
function add(one: Point, other: Point): Point {
  const a = mod((one.y - one.x) * (other.y - other.x));
  const b = mod((one.y + one.x) * (other.y + other.x));
  const c = mod(one.t * D2 * other.t);
  const d = mod(2n * one.z * other.z);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return { x: mod(e * f), y: mod(g * h), z: mod(f * g), t: mod(e * h) };
}

/** Multiplies the base point by a secret scalar, with the same steps for each bit. */
function multiply(by: bigint): Buffer {
  let [low, high] = [ZERO, BASE];
  for (let bit = BITS; bit >= 0; bit--) {
    const isSet = ((by >> BigInt(bit)) & 1n) === 1n;
    const sum = add(low, high);
    const doubled = add(isSet ? high : low, isSet ? high : low);
    [low, high] = isSet ? [sum, doubled] : [doubled, sum];
  }
  const unit = inverse(low.z);
  const bytes = toBytes(mod(low.y * unit));
  bytes[31] = (bytes[31] ?? 0) | Number((mod(low.x * unit) & 1n) << 7n);
  return bytes;
}

const toBytes = (value: bigint): Buffer =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
const toNumber = (bytes: Buffer): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

function sha512(...parts: readonly Buffer[]): Buffer {
  const digest = createHash('sha512');
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/**
 * Answers a challenge: an Ed25519 signature whose seed is the password, of any length. Node signs
 * with 32-byte seeds only, and so do our packages.
 */
export function signEd25519(password: string, nonce: Buffer): Buffer {
  const secret = sha512(Buffer.from(password));
  const clamped = Buffer.from(secret.subarray(0, 32));
  clamped[0] = (clamped[0] ?? 0) & 248;
  clamped[31] = ((clamped[31] ?? 0) & 127) | 64;
  const scalar = toNumber(clamped);
  const nonceScalar = mod(toNumber(sha512(secret.subarray(32), nonce)), L);
  const point = multiply(nonceScalar);
  const challenge = toNumber(sha512(point, multiply(scalar), nonce));
  return Buffer.concat([point, toBytes(mod(nonceScalar + challenge * scalar, L))]);
}
