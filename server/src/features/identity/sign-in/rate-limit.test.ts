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
