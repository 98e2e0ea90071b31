import { expect, it } from 'vitest';
import { cheapHash } from '../../testing/cheap-hash.ts';
import { hashPassword, MAX_WAITING_CHECKS, verifyPassword } from './password.ts';

it('checks passwords of existing and unknown accounts', async () => {
  const hashed = await hashPassword('right');
  expect([
    await verifyPassword(hashed, 'right'),
    await verifyPassword(hashed, 'wrong'),
    await verifyPassword(null, 'right'),
  ]).toEqual([true, false, false]);
});

it('rejects checks beyond the queue limit at once and recovers afterwards', async () => {
  const hashed = await cheapHash('right');
  await verifyPassword(undefined, 'warm');
  const results = await Promise.allSettled(
    Array.from({ length: MAX_WAITING_CHECKS + 40 }, () => verifyPassword(hashed, 'right')),
  );
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(30);
  for (const { reason } of refused)
    expect(reason).toMatchObject({ kind: 'unavailable', code: 'busy' });
  expect(results.filter((result) => result.status === 'fulfilled' && result.value).length).toBe(
    results.length - refused.length,
  );
  expect(await verifyPassword(hashed, 'right')).toBe(true);
});

it('keeps sign-ins fast while a batch of new passwords is hashed', async () => {
  const hashes = Array.from({ length: MAX_WAITING_CHECKS + 4 }, () => hashPassword('many'));
  expect(await verifyPassword(undefined, 'x')).toBe(false);
  await Promise.all(hashes);
});
