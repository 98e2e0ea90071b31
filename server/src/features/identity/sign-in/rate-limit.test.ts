import { describe, expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

const from = (ip: string) => ({ request: { ip } });

describe('a limit by address', () => {
  it('passes a burst, then requests at the refill rate, and says when to retry', async () => {
    let now = 0;
    const limit = createRateLimit(undefined, 3, 0.5, () => now);
    for (let sent = 0; sent < 3; sent++) await limit(from('192.0.2.1'));
    await expect(limit(from('192.0.2.1'))).rejects.toThrow(
      expect.objectContaining({ kind: 'too_many', params: { seconds: 2 } }),
    );
    await limit(from('192.0.2.2'));
    now = 2;
    await limit(from('192.0.2.1'));
    await expect(limit(from('192.0.2.1'))).rejects.toThrow('too_many_requests');
    now = 1_000;
    for (let sent = 0; sent < 3; sent++) await limit(from('192.0.2.1'));
    await expect(limit(from('192.0.2.1'))).rejects.toThrow('too_many_requests');
  });

  it('counts failures with a secret that cannot be guessed, on all servers, and no success', async () => {
    const counted: string[] = [];
    const together = Object.assign(async (name: string) => (counted.push(name) > 2 ? 7 : 0), {
      giveBack: async () => undefined,
    });
    const limit = createRateLimit(together, 3, 0.5, () => 0);
    const wrong = () => Promise.reject(new Error('wrong'));
    for (let sent = 0; sent < 10; sent++)
      expect(await limit.ofSecret(from('192.0.2.1'), async () => sent)).toBe(sent);
    expect(counted).toEqual([]);
    for (let sent = 0; sent < 2; sent++)
      await expect(limit.ofSecret(from('192.0.2.1'), wrong)).rejects.toThrow('wrong');
    await expect(limit.ofSecret(from('192.0.2.1'), wrong)).rejects.toThrow(
      expect.objectContaining({ kind: 'too_many', params: { seconds: 7 } }),
    );
    await expect(limit.ofSecret(from('192.0.2.1'), async () => 'right')).rejects.toThrow(
      'too_many_requests',
    );
    expect(counted).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.1']);
  });

  it('passes every request that is given back', async () => {
    const limit = createRateLimit(undefined, 3, 0.5, () => 0);
    for (let sent = 0; sent < 10; sent++) {
      await limit(from('192.0.2.1'));
      await limit.giveBack(from('192.0.2.1'));
    }
    for (let sent = 0; sent < 3; sent++) await limit(from('192.0.2.1'));
    await expect(limit(from('192.0.2.1'))).rejects.toThrow('too_many_requests');
  });
});
