import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset } from '../testing/builders.ts';
import type { Client } from '../testing/client.ts';
import { countSequentialRoundTrips } from '../testing/measures/round-trips.ts';
import { ADMIN, bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  for (let count = 0; count < 20; count++) await buildAsset(test.db);
});
afterAll(() => test.stop());

/** Counts after two requests that open connections and fill caches. */
async function waits(ask: () => Promise<{ status: number; text: string }>): Promise<number> {
  const act = async () => {
    const { status, text } = await ask();
    expect(status, text).toBeLessThan(300);
  };
  await act();
  await act();
  return countSequentialRoundTrips(act);
}

it.each([
  ['assets/assets/?limit=15', 2],
  ['assets/assets/?limit=15&offset=15', 2],
  ['assets/assets/?limit=15&search=a', 2],
  ['assets/system-users/?limit=15', 2],
  ['assets/asset-users/?limit=15', 2],
  ['perms/asset-permissions/?limit=15', 2],
  ['perms/users/assets/?limit=15', 2],
  ['terminal/sessions/?limit=15', 2],
  ['audits/login-logs/?limit=15', 3],
  ['users/users/?limit=15', 2],
  ['users/profile/', 2],
  ['index/?all=1', 3],
  ['index/?total_count=1', 3],
  ['common/attention/', 4],
])('waits for a remote database in %s at most %i times', async (path, most) => {
  expect(await waits(() => admin.get(path))).toBeLessThanOrEqual(most);
});

it('waits for a remote database at most 6 times to sign a user in by password', async () => {
  const { username, password } = ADMIN;
  expect(
    await waits(() => test.visitor.post('authentication/auth/', { username, password })),
  ).toBeLessThanOrEqual(6);
});
