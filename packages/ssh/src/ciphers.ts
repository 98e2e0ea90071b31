import { createSecretKey, randomFillSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type CipherConfig, GcmCipher, isGcm } from './gcm-cipher.ts';
import { changeChunks, cryptoModule, PACKET_LIMIT, replaceCipherKeys } from './internals.ts';
import { withOwnMemory } from './own-memory.ts';
import { copyIfShared } from './shared-reads.ts';

/**
 * ssh2 reads random padding from the operating system for each packet, which costs more than the
 * rest of the padding. This pool reads bytes for several hundred packets at once and uses each byte
 * once.
 */
const POOL = 4096;
const pool = Buffer.alloc(POOL);
let used = POOL;

function fillFromPool(buffer: Buffer, offset = 0, size = buffer.length - offset): Buffer {
  if (size > POOL) return randomFillSync(buffer, offset, size);
  if (used + size > POOL) {
    randomFillSync(pool);
    used = 0;
  }
  pool.copy(buffer, offset, used, used + size);
  pool.fill(0, used, used + size);
  used += size;
  return buffer;
}

/** Runs `load`, during which ssh2 captures Node's function. */
function withPaddingPool(load: () => unknown): void {
  const crypto = createRequire(import.meta.url)('node:crypto') as { randomFillSync: unknown };
  const before = crypto.randomFillSync;
  crypto.randomFillSync = fillFromPool;
  try {
    load();
  } finally {
    crypto.randomFillSync = before;
  }
}

/**
 * ssh2 silently closes a connection on a packet above 35,000 bytes; OpenSSH accepts 256 KiB. The
 * limit is a constant, which this module patches to that of OpenSSH while ssh2 loads.
 */
const MAX_PACKET_BYTES = 256 * 1024;

/**
 * Runs `load`, during which ssh2 reads that file. Without module hooks (Node below 23.5) ssh2 keeps
 * its limit.
 */
function withLargePackets(load: () => void): void {
  if (typeof modules.registerHooks !== 'function') {
    load();
    return;
  }
  const hooks = modules.registerHooks({
    load(url, context, next) {
      if (!url.endsWith(PACKET_LIMIT.file)) return next(url, context);
      const source = readFileSync(fileURLToPath(url), 'utf8');
      if (!source.includes(PACKET_LIMIT.text)) throw new Error('ssh2 has changed inside');
      const changed = source.replace(
        PACKET_LIMIT.text,
        `const MAX_PACKET_SIZE = ${MAX_PACKET_BYTES};`,
      );
      return { format: 'commonjs', source: changed, shortCircuit: true };
    },
  });
  try {
    load();
  } finally {
    hooks.deregister();
  }
}

const REFUSED = /[\\/](sshcrypto|cpufeatures)\.node$/;

/**
 * Prevents ssh2 from loading native ciphers that it finds in node_modules. Node aborts the process
 * when V8 collects such a cipher outside JavaScript (docs/adr/0006), and an older installation may
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
 * cipher (docs/adr/0006). Deciphers other than AES-GCM keep encrypted bytes until the rest of their
 * packet arrives, so they get a copy of shared memory (docs/performance.md).
 */
export function keepCipherKeys(): void {
  const crypto = cryptoModule();
  const { createCipher, createDecipher } = crypto;
  crypto.createCipher = (config) => {
    const gcm = gcmCipherOf(config);
    if (gcm) return gcm;
    const cipher = withOwnMemory(() => createCipher(config));
    replaceCipherKeys(cipher, createSecretKey);
    return cipher;
  };
  crypto.createDecipher = (config) => {
    const decipher = withOwnMemory(() => createDecipher(config));
    replaceCipherKeys(decipher, createSecretKey);
    changeChunks(decipher, copyIfShared);
    return decipher;
  };
}

function gcmCipherOf({ outbound }: CipherConfig): GcmCipher | undefined {
  if (!outbound || !isGcm(outbound.cipherInfo.sslName)) return undefined;
  return new GcmCipher({
    name: outbound.cipherInfo.sslName,
    key: createSecretKey(outbound.cipherKey),
    nonce: outbound.cipherIV,
    firstSequence: outbound.seqno,
    onWrite: outbound.onWrite,
    fillRandom: fillFromPool,
  });
}
