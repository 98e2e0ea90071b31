import { createDiffieHellmanGroup, getDiffieHellman } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createGroupKeys } from './group-keys.ts';

const TWO = Buffer.from([2]);

describe.each(['modp14', 'modp16', 'modp18'])('keys in the group %s', (name) => {
  const prime = getDiffieHellman(name).getPrime();

  it('computes the secret of the other side', () => {
    for (let round = 0; round < 20; round += 1) {
      const other = createDiffieHellmanGroup(name);
      const otherValue = other.generateKeys();
      const keys = createGroupKeys(prime, TWO);
      const padded = Buffer.concat([Buffer.alloc(2), otherValue]);
      const expected = other.computeSecret(keys.publicValue).toString('hex');
      const secrets = [otherValue, padded].map((value) => keys.computeSecret(value));
      for (const secret of secrets) expect(secret.toString('hex')).toBe(expected);
    }
  });

  it('generates keys without a test of the prime', () => {
    const before = process.cpuUsage();
    createGroupKeys(prime, TWO);
    // A test of the prime takes 0.3 to 31 seconds.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
  });

  it('refuses public values outside of the group', () => {
    const keys = createGroupKeys(prime, TWO);
    for (const value of [Buffer.alloc(1), Buffer.from([1]), prime, Buffer.concat([prime, prime])])
      expect(() => keys.computeSecret(value)).toThrow();
  });
});
