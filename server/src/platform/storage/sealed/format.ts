import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keyOf, type Sealer, UnknownKey } from '../../crypto/vault.ts';
import { StorageError } from '../storage.ts';

/**
 * The format of a sealed file:
 *
 *     magic | u32 chunk size | u16 length | sealed file key (text) | parts
 *
 * Each file has its own random key, which a data key of the purpose `recordings` seals for exactly
 * this name and chunk size. AES-256-GCM encrypts each part, with the number of the part as nonce.
 * A finished file has chunks of equal size; the last one may be shorter, and is marked as the last.
 * A growing file (chunk size 0) has frames: each append is one, with its length in front.
 * Integers are little-endian.
 */
const MAGIC = Buffer.from('SPSEAL1\n');
const FIXED = MAGIC.length + 6;
/** The longest beginning of a file that is needed to open it. */
export const MAX_HEADER = 1024;
/** Plain bytes of a chunk. Every file names its own size, so a later version may change this. */
export const CHUNK = 64 * 1024;
const MAX_CHUNK = 1024 * 1024;
/** The chunk size of a growing file. */
export const GROWING = 0;
export const TAG = 16;
const KEY_BYTES = 32;
/** Authenticated with each part, which is the last of its file or not. */
const [MORE, LAST] = [Buffer.from([0]), Buffer.from([1])];

/** Seals files while it is switched on, and opens them at any time. */
export interface FileSealer extends Sealer {
  /** Returns true if new files are sealed. */
  isOn(): boolean;
}

/** The beginning of a sealed file. */
export interface Header {
  readonly key: Buffer;
  /** Plain bytes of a chunk; `GROWING` for a growing file. */
  readonly chunk: number;
  /** Length of the header in bytes. */
  readonly length: number;
}

const contextOf = (name: string, chunk: number) => `recording.${chunk}.${name}`;

const damaged = (name: string, detail: string, cause?: unknown) =>
  new StorageError('damaged', `${name}: ${detail}`, cause);

/** Returns true if a file with this beginning is sealed. */
export const isSealed = (beginning: Buffer): boolean =>
  beginning.length >= MAGIC.length && beginning.subarray(0, MAGIC.length).equals(MAGIC);

/** Makes the header of a new file with a new key. */
export function newHeader(
  sealer: Sealer,
  name: string,
  chunk: number,
): Header & { readonly bytes: Buffer } {
  const key = randomBytes(KEY_BYTES);
  const text = Buffer.from(sealer.seal(key.toString('base64'), contextOf(name, chunk)));
  const bytes = Buffer.alloc(FIXED + text.length);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(chunk, MAGIC.length);
  bytes.writeUInt16LE(text.length, MAGIC.length + 4);
  text.copy(bytes, FIXED);
  if (bytes.length > MAX_HEADER) throw new Error('the key of a file is too long');
  return { bytes, key, chunk, length: bytes.length };
}

/** Returns the unopened parts of the header. @throws StorageError if it is not whole */
function parseHeader(beginning: Buffer, name: string) {
  const length = beginning.length < FIXED ? 0 : beginning.readUInt16LE(MAGIC.length + 4) + FIXED;
  if (!isSealed(beginning) || length <= FIXED || length > Math.min(beginning.length, MAX_HEADER))
    throw damaged(name, 'its header is not whole');
  const text = beginning.toString('latin1', FIXED, length);
  return { chunk: beginning.readUInt32LE(MAGIC.length), length, text };
}

/** Returns the id of the data key that a sealed file names. @throws StorageError */
export const keyIdOf = (beginning: Buffer, name: string): string =>
  keyOf(parseHeader(beginning, name).text).id;

/**
 * Reads the header at the beginning of a sealed file.
 * @throws StorageError `locked` if no key of this installation opens it; `damaged` if it was
 *   changed or belongs to a file of another name
 */
export function readHeader(sealer: Sealer, name: string, beginning: Buffer): Header {
  const { chunk, length, text } = parseHeader(beginning, name);
  if (chunk > MAX_CHUNK) throw damaged(name, 'its chunks are too long');
  try {
    const key = Buffer.from(sealer.open(text, contextOf(name, chunk)), 'base64');
    return { key, chunk, length };
  } catch (error) {
    if (error instanceof UnknownKey)
      throw new StorageError('locked', `${name}: this installation does not have its key`, error);
    throw damaged(name, 'its header was changed, or it is another file', error);
  }
}

/** The place of a part in its file. */
export interface Part {
  /** From 0. */
  readonly number: number;
  readonly isLast: boolean;
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64LE(BigInt(number), 4);
  return nonce;
}

/** Encrypts a part. Never call it twice for the same number of a file. */
export function sealPart(key: Buffer, plain: Uint8Array, { number, isLast }: Part): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number)).setAAD(isLast ? LAST : MORE);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a part. @throws StorageError `damaged` if it is not the part of this place */
export function openPart(key: Buffer, sealed: Buffer, part: Part, name: string): Buffer {
  const end = sealed.length - TAG;
  if (end < 0) throw damaged(name, 'its end is missing');
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(part.number), {
    authTagLength: TAG,
  }).setAAD(part.isLast ? LAST : MORE);
  decipher.setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  } catch (error) {
    throw damaged(name, `part ${part.number} was changed, moved or cut off`, error);
  }
}

/** The chunks of a finished file. */
export interface Chunks {
  /** Number of the last chunk. */
  readonly last: number;
  /** Plain bytes of the file. */
  readonly size: number;
  /** Returns the position of a chunk in the sealed file. */
  position(number: number): number;
}

/** Computes the chunks of a finished file from its size. @throws StorageError */
export function chunksOf({ chunk, length }: Header, sealedSize: number, name: string): Chunks {
  const whole = chunk + TAG;
  const body = sealedSize - length;
  const count = Math.max(1, Math.ceil(body / whole));
  if (chunk === GROWING || body - (count - 1) * whole < TAG)
    throw damaged(name, 'its end is missing');
  return {
    last: count - 1,
    size: body - count * TAG,
    position: (number) => length + number * whole,
  };
}
