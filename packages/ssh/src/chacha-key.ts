import { createDecipheriv } from 'node:crypto';
import { createRequire } from 'node:module';
import { having } from './internals.ts';
import { WireReader } from './wire-reader.ts';

const load = createRequire(import.meta.url);

/** Key derivation of OpenSSH files, which ssh2 uses as well. It returns 0 on success. */
const keyDerivation = () =>
  having<{
    pbkdf(
      passphrase: Buffer,
      passphraseLength: number,
      salt: Buffer,
      saltLength: number,
      derived: Buffer,
      derivedLength: number,
      rounds: number,
    ): number;
  }>(load('bcrypt-pbkdf'), 'pbkdf').pbkdf;

/** The first field of an OpenSSH private key. */
const MAGIC = 'openssh-key-v1\0';

/** Public fields of an OpenSSH private key, which need no passphrase (PROTOCOL.key). */
export interface OpenSshFile {
  readonly cipher: string;
  /** Rounds of bcrypt; 0 without a passphrase. */
  readonly rounds: number;
  readonly salt: Buffer;
  /** Algorithm of the key, such as `ssh-ed25519`. */
  readonly type: string;
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
}

/** Reads the public fields of an OpenSSH private key; undefined if they are incomplete. */
export function readOpenSshFile(text: string): OpenSshFile | undefined {
  try {
    const reader = new WireReader(Buffer.from(text.replaceAll(/-----[^-]*-----/g, ''), 'base64'));
    if (reader.bytes(MAGIC.length).toString() !== MAGIC) return undefined;
    const [cipher, derivation, options] = [reader.string(), reader.string(), reader.string()];
    const isDerived = derivation.toString() === 'bcrypt';
    const parameters = new WireReader(options);
    const salt = isDerived ? parameters.string() : Buffer.alloc(0);
    const rounds = isDerived ? parameters.number32() : 0;
    // The number of keys, which is 1.
    reader.number32();
    const publicKey = reader.string();
    const type = new WireReader(publicKey).string().toString();
    const privateKey = reader.string();
    return { cipher: cipher.toString(), rounds, salt, type, publicKey, privateKey };
  } catch {
    return undefined;
  }
}

const field = (...parts: (string | Buffer)[]): Buffer => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** Writes an OpenSSH private key without a passphrase. `privateKey` holds its private section. */
export function writeOpenSshFile(publicKey: Buffer, privateKey: Buffer): string {
  const one = Buffer.from([0, 0, 0, 1]);
  const all = Buffer.concat([
    Buffer.from(MAGIC),
    field('none'),
    field('none'),
    field(),
    one,
    field(publicKey),
    field(privateKey),
  ]);
  const lines = all.toString('base64').match(/.{1,70}/g) ?? [];
  const name = 'OPENSSH PRIVATE KEY';
  return `-----BEGIN ${name}-----\n${lines.join('\n')}\n-----END ${name}-----\n`;
}

const CHACHA = 'chacha20-poly1305@openssh.com';
/** OpenSSH derives two keys; the second one is for lengths of packets, which a file has not. */
const DERIVED_BYTES = 64;
/** Block 1 of the key stream, little endian, and a nonce of zeros: packet 0. */
const FIRST_BLOCK = Buffer.from([1, ...Buffer.alloc(15)]);

/**
 * Opens a private key that `ssh-keygen -Z chacha20-poly1305@openssh.com` wrote, which ssh2 cannot
 * read. Returns it without a passphrase; undefined for other ciphers. With a wrong passphrase the
 * result is no key: two numbers at the start of its private section differ.
 */
export function openChachaKey(file: OpenSshFile, passphrase: string): string | undefined {
  if (file.cipher !== CHACHA || file.rounds === 0) return undefined;
  const [given, derived] = [Buffer.from(passphrase), Buffer.alloc(DERIVED_BYTES)];
  const { length } = derived;
  const { salt, rounds } = file;
  if (keyDerivation()(given, given.length, salt, salt.length, derived, length, rounds) !== 0)
    return undefined;
  const decipher = createDecipheriv('chacha20', derived.subarray(0, 32), FIRST_BLOCK);
  return writeOpenSshFile(file.publicKey, decipher.update(file.privateKey));
}
