import { createHash } from 'node:crypto';
import type { Problem } from '@sallyport/contract';
import { makeEd25519, parseKey } from './ssh/keys.ts';

/** Returns the problem of an OpenSSH public key line; undefined if it is valid. */
export function publicKeyProblem(line: string): Problem | undefined {
  const parsed = parseKey(line.trim());
  return parsed instanceof Error || parsed.isPrivateKey() ? { code: 'not_public_key' } : undefined;
}

/** Returns the problem of a private key and its passphrase; undefined if the key opens. */
export function privateKeyProblem(
  text: string,
  passphrase: string | undefined,
): Problem | undefined {
  const parsed = parseKey(text, passphrase || undefined);
  return parsed instanceof Error || !parsed.isPrivateKey()
    ? { code: 'not_private_key' }
    : undefined;
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

/** A key pair in OpenSSH format. */
export interface SshKeyPair {
  readonly private: string;
  readonly public: string;
}

export function generateSshKeyPair(comment: string): SshKeyPair {
  for (;;) {
    const pair = makeEd25519(comment);
    // ssh2 1.17 drops a leading zero byte of the public key: one in 256 pairs cannot be read.
    if (!privateKeyProblem(pair.private, undefined)) return pair;
  }
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
  const parsed = parseKey(line.trim());
  return (
    !(parsed instanceof Error) && !parsed.isPrivateKey() && parsed.getPublicSSH().equals(publicKey)
  );
}
