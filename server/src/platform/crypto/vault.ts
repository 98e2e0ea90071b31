import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { decryptSm4, encryptSm4, isSm4 } from './national.ts';

/**
 * Algorithms of new values. `national`: SM4-CBC with HMAC-SM3 instead of AES-256-GCM, HMAC-SM3
 * instead of HMAC-SHA-256. Values of both suites stay readable.
 */
export type Suite = 'international' | 'national';

/** Uses of data keys; each use has its own keys. */
export const PURPOSES = ['secrets', 'signatures', 'servers', 'recordings'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A key of 32 bytes with the id that sealed values name. */
export interface DataKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** A key outside of the database that wraps the data keys. */
export interface MasterKey {
  /** Its public name in the rows of the keys that it wraps. */
  readonly id: string;
  /** The key. Undefined if it never leaves the service that keeps it. */
  readonly bytes: Buffer | undefined;
  wrap(key: Buffer, context: string): Promise<string>;
  /** @throws Error if the text, the context or the key differs */
  unwrap(wrapped: string, context: string): Promise<Buffer>;
}

/** The data keys of an installation. A rotation changes them while the server runs. */
export interface KeyRing {
  /** The key that seals new values. */
  active(purpose: Purpose): DataKey;
  /** The key that a sealed value names. Undefined if it is unknown. */
  find(purpose: Purpose, id: string): Buffer | undefined;
}

/** Keys that servers of one installation share for one use. */
export interface SharedKeys {
  /** The key for new connections. */
  active(): DataKey;
  find(id: string): Buffer | undefined;
}

/** No data key has the id that a sealed value names. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey';
}

/** Seals values under the data keys of one purpose. */
export interface Sealer {
  /**
   * Encrypts a secret. `context` binds it to its table, column and row: elsewhere it does not open.
   */
  seal(plain: string, context: string): string;
  /**
   * Decrypts a secret.
   * @throws UnknownKey if it was sealed under another key; Error if it was changed or moved
   */
  open(sealed: string, context: string): string;
}

/** Seals secrets before they are stored and opens them when they are used. */
export interface Vault extends Sealer {
  /** Seals the keys of files. */
  readonly files: Sealer;
  /** Returns an HMAC of the text for one purpose. The text stays readable. */
  sign(text: string, context: string): string;
  /** Returns true if `sign` returned this signature under any data key of the installation. */
  isSignature(signature: string, text: string, context: string): boolean;
  /** Derives keys for another use, equal on all servers of the installation. */
  keysFor(use: string): SharedKeys;
}

/**
 * Id of the secret key where it is a data key itself. Up to version 2.1 it sealed all values; these
 * name the format instead of a key.
 */
export const DIRECT = 'v1';
const NAMED = 'v2';
const TAG_BYTES = 16;
const GCM = { authTagLength: TAG_BYTES };

/** Encrypts by a suite with a random nonce. Returns nonce and body as base64. */
export function encrypt(key: Buffer, plain: string, context: string, suite: Suite): string {
  if (suite === 'national') return encryptSm4(key, plain, context);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, GCM).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${nonce.toString('base64')}$${body.toString('base64')}`;
}

/** Decrypts the text of `encrypt`. @throws Error if the text, the context or the key differs */
export function decrypt(key: Buffer, text: string, context: string): string {
  if (isSm4(text)) return decryptSm4(key, text, context);
  const [nonce = '', body = ''] = text.split('$');
  const bytes = Buffer.from(body, 'base64');
  // A shorter tag is easier to forge.
  if (bytes.length < TAG_BYTES) throw new Error('this secret is too short to be a sealed one');
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), GCM).setAAD(
    Buffer.from(context),
  );
  decipher.setAuthTag(bytes.subarray(end));
  return decipher.update(bytes.subarray(0, end), undefined, 'utf8') + decipher.final('utf8');
}

/** Returns the id of the data key that a sealed text or a signature names. */
export function keyOf(text: string): { readonly id: string; readonly rest: string } {
  const [format = '', id = '', ...rest] = text.split('$');
  return format === NAMED ? { id, rest: rest.join('$') } : { id: DIRECT, rest: text };
}

/** Returns what starts each value that a data key seals. */
export const prefixOf = (id: string): string => (id === DIRECT ? `${DIRECT}$` : `${NAMED}$${id}$`);

/** Returns a key ring with a single key, as it was before there were data keys. */
export function directKey(key: Buffer): KeyRing {
  return {
    active: () => ({ id: DIRECT, bytes: key }),
    find: (_purpose, id) => (id === DIRECT ? key : undefined),
  };
}

/** Marks a signature by HMAC-SM3. */
const SM3_MARK = 'sm3.';

/** Creates a vault whose values name the data key that sealed them. */
export function createVault(keys: KeyRing, suite: Suite = 'international'): Vault {
  const derived = new Map<string, Buffer>();
  const derive = ({ id, bytes }: DataKey, use: string): Buffer => {
    const name = `${id} ${use}`;
    const known = derived.get(name) ?? Buffer.from(hkdfSync('sha256', bytes, '', use, 32));
    derived.set(name, known);
    return known;
  };
  const find = (purpose: Purpose, id: string): DataKey => {
    const bytes = keys.find(purpose, id);
    if (!bytes) throw new UnknownKey('this secret was sealed with an unknown key');
    return { id, bytes };
  };
  // Signatures use a derived key: a key that encrypts never signs.
  const digest = (key: DataKey, text: string, context: string, by: Suite) => {
    const code = createHmac(
      by === 'national' ? 'sm3' : 'sha256',
      derive(key, 'sallyport signatures'),
    )
      .update(`${context}\n${text}`)
      .digest('hex');
    return by === 'national' ? SM3_MARK + code : code;
  };
  const sealer = (purpose: Purpose): Sealer => ({
    seal(plain, context) {
      const { id, bytes } = keys.active(purpose);
      return prefixOf(id) + encrypt(bytes, plain, context, suite);
    },
    open(sealed, context) {
      const { id, rest } = keyOf(sealed);
      if (id !== DIRECT) return decrypt(find(purpose, id).bytes, rest, context);
      const [version, ...text] = rest.split('$');
      if (version !== DIRECT) throw new Error('this secret was sealed in an unknown way');
      return decrypt(find(purpose, DIRECT).bytes, text.join('$'), context);
    },
  });
  return {
    ...sealer('secrets'),
    files: sealer('recordings'),
    sign(text, context) {
      const key = keys.active('signatures');
      const name = key.id === DIRECT ? '' : prefixOf(key.id);
      return name + digest(key, text, context, suite);
    },
    isSignature(signature, text, context) {
      const { id, rest } = keyOf(signature);
      const bytes = keys.find('signatures', id);
      if (!bytes) return false;
      const by = rest.startsWith(SM3_MARK) ? 'national' : 'international';
      const expected = Buffer.from(digest({ id, bytes }, text, context, by));
      const actual = Buffer.from(rest);
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
    keysFor: (use) => ({
      active() {
        const { id, bytes } = keys.active('servers');
        return { id, bytes: derive({ id, bytes }, use) };
      },
      find(id) {
        const bytes = keys.find('servers', id);
        return bytes && derive({ id, bytes }, use);
      },
    }),
  };
}
