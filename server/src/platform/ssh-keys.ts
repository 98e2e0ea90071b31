import { createHash } from 'node:crypto';
import type { Problem } from '@sallyport/contract';
import { parseKey, readUserKey } from '@sallyport/ssh';

/** Returns the problem of an OpenSSH public key line; undefined if it is valid. */
export function publicKeyProblem(line: string): Problem | undefined {
  const parsed = parseKey(line.trim());
  return parsed instanceof Error || parsed.isPrivateKey() ? { code: 'not_public_key' } : undefined;
}

/** Returns the problem of the line of a user's key, which may be on a security device. */
export function userKeyProblem(line: string): Problem | undefined {
  return readUserKey(line) ? undefined : { code: 'not_public_key' };
}

/**
 * Returns the public key of a private key as an OpenSSH line; undefined if the key does not open.
 */
export function publicKeyLine(
  privateKey: string,
  passphrase: string | undefined,
  comment: string,
): string | undefined {
  const parsed = parseKey(privateKey, passphrase || undefined);
  return parsed instanceof Error
    ? undefined
    : `${parsed.type} ${parsed.getPublicSSH().toString('base64')} ${comment}`.trim();
}

/** Returns true if a private key needs a passphrase. */
export function isLocked(privateKey: string): boolean {
  return parseKey(privateKey) instanceof Error;
}

/** Returns comment and MD5 fingerprint of a public key for the profile; blank without a key. */
export function describePublicKey(line: string | null): {
  public_key_comment: string;
  public_key_hash_md5: string;
} {
  const [, body = '', ...comment] = (line ?? '').trim().split(/\s+/);
  const digest = body
    ? createHash('md5')
        .update(Buffer.from(body, 'base64'))
        .digest('hex')
        .replace(/(..)(?=.)/g, '$1:')
    : '';
  return { public_key_comment: comment.join(' '), public_key_hash_md5: digest };
}

/**
 * Returns true if a stored public key line equals the key of a connection, in the binary form of
 * RFC 4253 §6.6.
 */
export function isSamePublicKey(line: string, publicKey: Buffer): boolean {
  return wireOf(line)?.equals(publicKey) ?? false;
}

/** Returns a public key in the binary form of RFC 4253 §6.6; undefined if the line is none. */
export const wireOf = (line: string): Buffer | undefined => readUserKey(line)?.getPublicSSH();

/** SHA-256 fingerprint of a public key, in OpenSSH notation: of its line or its binary form. */
export function fingerprintOf(key: Buffer | string): string {
  const wire = typeof key === 'string' ? Buffer.from(key.split(' ')[1] ?? '', 'base64') : key;
  return `SHA256:${createHash('sha256').update(wire).digest('base64').replace(/=+$/, '')}`;
}
