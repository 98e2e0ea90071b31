import { type KeyObject, randomBytes } from 'node:crypto';
import { writeOpenSshFile } from '@sallyport/ssh';

/** Length and bytes, as in RFC 4251, section 5. */
function text(...parts: readonly (string | Buffer)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Writes an Ed25519 key as OpenSSH does without a passphrase (PROTOCOL.key). */
function openSshKey(key: KeyObject): string {
  const { d = '', x = '' } = key.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  const type = 'ssh-ed25519';
  const publicKey = Buffer.concat([text(type), text(point)]);
  const check = randomBytes(4);
  const open = Buffer.concat([
    check,
    check,
    publicKey,
    text(seed, point),
    // No comment.
    text(),
  ]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, (8 - (open.length % 8)) % 8);
  return writeOpenSshFile(publicKey, Buffer.concat([open, padding]));
}

/** Writes a private key in a form that SSH clients read; undefined for another kind of key. */
export function toSshForm(key: KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return String(key.export({ type: 'pkcs1', format: 'pem' }));
    case 'ec':
      return String(key.export({ type: 'sec1', format: 'pem' }));
    case 'ed25519':
      return openSshKey(key);
    default:
      return undefined;
  }
}
