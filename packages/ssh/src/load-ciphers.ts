import { createSecretKey } from 'node:crypto';
import { cryptoModule, replaceCipherKeys } from './internals.ts';
import { withLargePackets } from './packet-size.ts';
import { withPaddingPool } from './padding-pool.ts';

const REFUSED = /[\\/](sshcrypto|cpufeatures)\.node$/;

/**
 * Prevents ssh2 from loading native ciphers that it finds in node_modules. Node aborts the process
 * when V8 collects such a cipher outside JavaScript (docs/adr/0016), and an older installation may
 * have left them. ssh2 then uses Node's ciphers.
 */
export function refuseNative(): void {
  const load = process.dlopen;
  process.dlopen = (module: object, filename: string, flags?: number): void => {
    if (REFUSED.test(filename))
      throw new Error(`${filename} is a native part of ssh2, which is not used`);
    Reflect.apply(
      load,
      process,
      flags === undefined ? [module, filename] : [module, filename, flags],
    );
  };
}

let isLoaded = false;

/**
 * Loads ssh2's module of ciphers with its repairs. Every other module of ssh2 loads it, also the
 * parser of keys, so this call comes first.
 */
export function loadCiphers(): void {
  if (isLoaded) return;
  isLoaded = true;
  refuseNative();
  withLargePackets(() => withPaddingPool(cryptoModule));
}

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
