import { createHash } from 'node:crypto';
import type { Problem } from '@sallyport/contract';
import { makeEd25519, parseKey } from './ssh/keys.ts';

/** What is wrong with an OpenSSH public key line; nothing when it can be read. */
export function publicKeyProblem(line: string): Problem | undefined {
  const parsed = parseKey(line.trim());
  return parsed instanceof Error || parsed.isPrivateKey() ? { code: 'not_public_key' } : undefined;
}

/** What is wrong with a private key and its passphrase; nothing when the key opens. */
export function privateKeyProblem(
  text: string,
  passphrase: string | undefined,
): Problem | undefined {
  const parsed = parseKey(text, passphrase || undefined);
  return parsed instanceof Error || !parsed.isPrivateKey()
    ? { code: 'not_private_key' }
    : undefined;
}

/** The public half of a private key, as a line of OpenSSH; undefined when the key does not open. */
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

/** Whether a private key needs a passphrase. */
export function isLocked(privateKey: string): boolean {
  return parseKey(privateKey) instanceof Error;
}

/** The two halves of a new key pair, in the format of OpenSSH. */
export interface SshKeyPair {
  readonly private: string;
  readonly public: string;
}

/** Makes an Ed25519 key pair. */
export function generateSshKeyPair(comment: string): SshKeyPair {
  for (;;) {
    const pair = makeEd25519(comment);
    // ssh2 1.17 drops a leading zero byte of the public key: one pair of 256 cannot be read.
    if (!privateKeyProblem(pair.private, undefined)) return pair;
  }
}

/** The comment and the MD5 fingerprint of a public key, as the profile shows them; blank without a key. */
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

/** Whether a stored public key line is the key that a connection proved, in the binary form of RFC 4253 §6.6. */
export function isSamePublicKey(line: string, publicKey: Buffer): boolean {
  const parsed = parseKey(line.trim());
  return (
    !(parsed instanceof Error) && !parsed.isPrivateKey() && parsed.getPublicSSH().equals(publicKey)
  );
}
