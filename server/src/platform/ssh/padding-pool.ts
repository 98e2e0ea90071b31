/**
 * ssh2 reads random padding from the operating system for each packet, which costs more than the
 * rest of the padding. This pool reads bytes for several hundred packets at once and uses each byte
 * once. Loads before ssh2, which captures the function when it loads.
 */
import { randomFillSync } from 'node:crypto';
import { createRequire } from 'node:module';
import { withLargePackets } from './packet-size.ts';

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

const require = createRequire(import.meta.url);
const crypto = require('node:crypto') as { randomFillSync: unknown };
const before = crypto.randomFillSync;
crypto.randomFillSync = fillFromPool;
try {
  withLargePackets(() => void require('ssh2/lib/protocol/crypto.js'));
} finally {
  crypto.randomFillSync = before;
}
