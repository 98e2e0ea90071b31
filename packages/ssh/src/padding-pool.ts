/**
 * ssh2 reads random padding from the operating system for each packet, which costs more than the
 * rest of the padding. This pool reads bytes for several hundred packets at once and uses each byte
 * once.
 */
import { randomFillSync } from 'node:crypto';
import { createRequire } from 'node:module';

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
export function withPaddingPool(load: () => unknown): void {
  const crypto = createRequire(import.meta.url)('node:crypto') as { randomFillSync: unknown };
  const before = crypto.randomFillSync;
  crypto.randomFillSync = fillFromPool;
  try {
    load();
  } finally {
    crypto.randomFillSync = before;
  }
}
