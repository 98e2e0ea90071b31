import { randomFillSync } from 'node:crypto';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { loadCiphers } from './ciphers.ts';

const require = createRequire(import.meta.url);

interface Padded {
  new (seqno: number, onWrite: () => void): { allocPacket(payload: number): Buffer };
}

it("pads each packet with fresh random bytes and restores Node's function", () => {
  loadCiphers();
  const { NullCipher } = require('ssh2/lib/protocol/crypto.js') as { NullCipher: Padded };
  const cipher = new NullCipher(0, () => undefined);
  const paddings = Array.from({ length: 5000 }, () => {
    const packet = cipher.allocPacket(5);
    return packet.subarray(10).toString('hex');
  });
  expect(paddings.every((padding) => padding.length === 12)).toBe(true);
  // With six random bytes, two of five thousand paddings are equal once in twenty million runs.
  expect(new Set(paddings).size).toBe(paddings.length);
  expect((require('node:crypto') as { randomFillSync: unknown }).randomFillSync).toBe(
    randomFillSync,
  );
});
