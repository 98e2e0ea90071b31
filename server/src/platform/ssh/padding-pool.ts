/**
 * ssh2 asks the operating system for some bytes of padding for each packet, which costs more than the rest of the padding. Here they come from a pool that is filled
 * for some hundred packets at once; no byte is used twice. Loaded before ssh2, which takes the function when it loads.
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
