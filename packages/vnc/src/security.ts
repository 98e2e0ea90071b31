import { createCipheriv } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Incoming } from './stream-parser.ts';

/**
 * VeNCrypt types with a certificate. The TLS types encrypt anonymously, for any man in the middle;
 * Plain does not encrypt.
 */
const CERTIFIED = { none: 260, vnc: 261, plain: 262 } as const;
/** Limit; nine types are defined. */
const MAX_KINDS = 32;
const VERSION = Buffer.from([0, 2]);

/** Sign-in inside the encryption. */
export type SignInKind = 'none' | 'vnc' | 'plain';

/** A stream with its reader and its sign-in. */
export interface VncStream {
  readonly stream: Duplex;
  readonly incoming: Incoming;
  readonly kind: SignInKind;
}

/** The server encrypts without a certificate. */
export class NotCertified extends Error {
  /** True if the server offers other security types. */
  readonly hasMore: boolean;

  constructor(hasMore: boolean) {
    super('the server shows no certificate');
    this.hasMore = hasMore;
  }
}

const NAMES: ReadonlyMap<number, SignInKind> = new Map([
  [CERTIFIED.none, 'none'],
  [CERTIFIED.vnc, 'vnc'],
  [CERTIFIED.plain, 'plain'],
]);

/**
 * Negotiates the VeNCrypt version; returns the certified sign-ins in the server's order. The caller
 * has already chosen VeNCrypt.
 */
export async function readCertified(
  incoming: Incoming,
  stream: Duplex,
): Promise<readonly SignInKind[]> {
  const version = await incoming.take(2);
  stream.write(VERSION);
  if (version.compare(VERSION) < 0 || (await incoming.take(1))[0] !== 0)
    throw new Error('another version of VeNCrypt');
  const count = (await incoming.take(1))[0] ?? 0;
  if (count === 0 || count > MAX_KINDS) throw new Error('a list of kinds that is none');
  const list = await incoming.take(count * 4);
  return Array.from({ length: count }, (_, index) =>
    NAMES.get(list.readUInt32BE(index * 4)),
  ).filter((kind) => kind !== undefined);
}

/**
 * Chooses a type. Returns false for a server without a certificate file: it still offers the type.
 */
export async function chooseCertified(
  incoming: Incoming,
  stream: Duplex,
  kind: SignInKind,
): Promise<boolean> {
  const choice = Buffer.alloc(4);
  choice.writeUInt32BE(CERTIFIED[kind]);
  stream.write(choice);
  return (await incoming.take(1))[0] === 1;
}

/** The answer of type Plain: name and password. */
export function plainAnswer(username: string, password: string): Buffer {
  const [name, secret] = [Buffer.from(username, 'utf8'), Buffer.from(password, 'utf8')];
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(name.length, 0);
  lengths.writeUInt32BE(secret.length, 4);
  return Buffer.concat([lengths, name, secret]);
}

/**
 * VNC authentication (RFC 6143, section 7.2.2): encrypts the 16-byte challenge with DES, keyed by
 * the first eight bytes of the password.
 */
export function answerChallenge(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(8);
  Buffer.from(password, 'latin1').copy(key, 0, 0, 8);
  // VNC uses the bits of each key byte in reverse order.
  for (const [index, byte] of key.entries()) key[index] = mirrored(byte);
  // Triple DES with one repeated key equals single DES, which OpenSSL no longer offers.
  const cipher = createCipheriv(
    'des-ede3-ecb',
    Buffer.concat([key, key, key]),
    null,
  ).setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}

function mirrored(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) result |= 0x80 >> bit;
  return result;
}
