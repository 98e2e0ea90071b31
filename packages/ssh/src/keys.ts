import { loadCiphers } from './ciphers.ts';
import { keyGenerator, keyParser, protocolOf } from './internals.ts';
import { readSecurityKey, type UserKey } from './security-key.ts';
import type { Client, ssh2 } from './ssh2.ts';

type Utils = typeof ssh2.utils;

/** Parses a key in any format that ssh2 supports. Returns an error instead of throwing it. */
export const parseKey: Utils['parseKey'] = (data, passphrase) => {
  loadCiphers();
  return (keyParser() as Pick<Utils, 'parseKey'>).parseKey(data, passphrase);
};

/**
 * Reads a public key of a user, also one on a security device: an OpenSSH line, or the wire format
 * of a sign-in. Returns undefined if it is none.
 */
export function readUserKey(key: string | Buffer): UserKey | undefined {
  const text = typeof key === 'string' ? key.trim() : key;
  if (typeof text === 'string' && text.startsWith('sk-')) {
    const [type, body = ''] = text.split(/\s+/, 2);
    const read = readSecurityKey(Buffer.from(body, 'base64'));
    return read?.type === type ? read : undefined;
  }
  const securityKey = typeof text === 'string' ? undefined : readSecurityKey(text);
  if (securityKey) return securityKey;
  const parsed = parseKey(text);
  return parsed instanceof Error || parsed.isPrivateKey() ? undefined : parsed;
}

/** A key pair in OpenSSH format. */
export interface SshKeyPair {
  readonly private: string;
  readonly public: string;
}

/** Generates an Ed25519 key pair. */
export function generateSshKeyPair(comment: string): SshKeyPair {
  loadCiphers();
  const { generateKeyPairSync } = keyGenerator() as Pick<Utils, 'generateKeyPairSync'>;
  for (;;) {
    const pair = generateKeyPairSync('ed25519', { comment });
    // ssh2 1.17 drops a leading zero byte of the public key: one in 256 pairs cannot be read.
    const read = parseKey(pair.private);
    if (!(read instanceof Error) && read.isPrivateKey()) return pair;
  }
}

/**
 * Checks a signature algorithm before a user's key is offered or signs. ssh2 falls back to SHA-1
 * for servers without the extension of RFC 8308, section 3.1.
 */
export function watchSignatures(client: Client, isAllowed: (name: string) => boolean): void {
  const protocol = protocolOf(client);
  const sign = protocol.authPK.bind(protocol);
  protocol.authPK = (username, key, algorithm, ...rest) => {
    if (isAllowed(typeof algorithm === 'string' ? algorithm : key.type))
      sign(username, key, algorithm, ...rest);
  };
}
