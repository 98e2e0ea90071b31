import { describe, expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

const from = (ip: string) => ({ request: { ip } });

describe('a limit by address', () => {
  it('lets a burst through, then as many as time has passed, and says when to come back', () => {
    let now = 0;
    const limit = createRateLimit(3, 0.5, () => now);
    for (let sent = 0; sent < 3; sent++) limit(from('192.0.2.1'));
    expect(() => limit(from('192.0.2.1'))).toThrow(expect.objectContaining({ kind: 'too_many', params: { seconds: 2 } }));
    limit(from('192.0.2.2'));
    now = 2;
    limit(from('192.0.2.1'));
    expect(() => limit(from('192.0.2.1'))).toThrow('too_many_requests');
    now = 1_000;
    for (let sent = 0; sent < 3; sent++) limit(from('192.0.2.1'));
    expect(() => limit(from('192.0.2.1'))).toThrow('too_many_requests');
  });
});
