import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const NATIVE = 'mysql_native_password';
export const CACHING_SHA2 = 'caching_sha2_password';
/** Sends the password itself; allowed over TLS only. */
export const CLEAR = 'mysql_clear_password';

const NONCE_BYTES = 20;

const hash = (name: string, ...parts: readonly Buffer[]): Buffer => {
  const digest = createHash(name);
  for (const part of parts) digest.update(part);
  return digest.digest();
};
const xor = (one: Buffer, other: Buffer): Buffer =>
  Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));

/** Creates a challenge. It must not contain zero bytes. */
export function makeNonce(): Buffer {
  return Buffer.from(randomBytes(NONCE_BYTES).map((byte) => 33 + (byte % 94)));
}

/** The client's answer to a challenge; empty for an empty password. */
export function scramble(
  plugin: typeof NATIVE | typeof CACHING_SHA2,
  password: string,
  nonce: Buffer,
): Buffer {
  if (password === '') return Buffer.alloc(0);
  const name = plugin === NATIVE ? 'sha1' : 'sha256';
  const once = hash(name, Buffer.from(password));
  const twice = hash(name, once);
  return xor(once, plugin === NATIVE ? hash(name, nonce, twice) : hash(name, twice, nonce));
}

/** Verifies an answer against the double hash of the password. */
export function isProved(
  plugin: typeof NATIVE | typeof CACHING_SHA2,
  answer: Buffer,
  nonce: Buffer,
  twice: Buffer,
): boolean {
  const name = plugin === NATIVE ? 'sha1' : 'sha256';
  if (answer.length !== twice.length) return false;
  // The protocol hashes the nonce first for SHA-1 and last for SHA-256. sqlx hashes it first for
  // both, which proves the same.
  const masks = [
    hash(name, nonce, twice),
    ...(plugin === NATIVE ? [] : [hash(name, twice, nonce)]),
  ];
  return masks.map((mask) => timingSafeEqual(hash(name, xor(answer, mask)), twice)).includes(true);
}
