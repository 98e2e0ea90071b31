/**
 * ssh2 makes a cipher for each packet from the bytes of the key, which Node turns into a key object each time: four fifths of what a small
 * packet costs. Here the key object is made once for each cipher (docs/adr/0016). Loaded before ssh2, which takes these functions when it loads.
 */
import './refuse-native.ts';
import './padding-pool.ts';
import { createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';

/** Where the ciphers of ssh2 keep their keys: AES-GCM and ChaCha20-Poly1305. The others make one cipher for the whole connection. */
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
