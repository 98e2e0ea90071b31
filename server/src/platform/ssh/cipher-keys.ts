/**
 * ssh2 creates a cipher per packet from raw key bytes, which Node converts to a key object each
 * time: four fifths of the cost of a small packet. This module creates the key object once per
 * cipher (docs/adr/0016). It must load before ssh2, which captures these functions when it loads.
 */
import './refuse-native.ts';
import './padding-pool.ts';
import { createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';

/**
 * Key fields of ssh2's AES-GCM and ChaCha20-Poly1305 ciphers. Other ciphers are created once per
 * connection.
 */
const KEYS = [
  '_encKey',
  '_decipherKey',
  '_encKeyMain',
  '_encKeyPktLen',
  '_decKeyMain',
  '_decKeyPktLen',
];

type Make = (config: unknown) => object;

const crypto: unknown = createRequire(import.meta.url)('ssh2/lib/protocol/crypto.js');
if (!isModule(crypto)) throw new Error('ssh2 has changed inside');
for (const name of ['createCipher', 'createDecipher'] as const) {
  const make: Make = crypto[name];
  crypto[name] = (config) => withKeyObjects(make(config));
}

function withKeyObjects(cipher: object): object {
  for (const name of KEYS) {
    const key: unknown = Reflect.get(cipher, name);
    if (Buffer.isBuffer(key)) Reflect.set(cipher, name, createSecretKey(key));
  }
  return cipher;
}

function isModule(value: unknown): value is Record<'createCipher' | 'createDecipher', Make> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'createCipher' in value &&
    'createDecipher' in value
  );
}
