import { createSecretKey } from 'node:crypto';
import { cryptoModule, replaceCipherKeys } from './internals.ts';

/**
 * ssh2 creates a cipher per packet from raw key bytes, which Node converts to a key object each
 * time: four fifths of the cost of a small packet. Afterwards ssh2 creates the key object once per
 * cipher (docs/adr/0016).
 */
export function keepCipherKeys(): void {
  const crypto = cryptoModule();
  for (const name of ['createCipher', 'createDecipher'] as const) {
    const make = crypto[name];
    crypto[name] = (config) => {
      const cipher = make(config);
      replaceCipherKeys(cipher, createSecretKey);
      return cipher;
    };
  }
}
