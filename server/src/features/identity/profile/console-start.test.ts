import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser } from '../../../testing/builders.ts';
import { bearer, browser } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

const START = 'users/profile/start/';

it('answers what the profile, the preferences and the public settings answer', async () => {
  const own = await browser(test, await buildUser(test.db));
  await own.patch('users/preferences/', { theme: 'dark', density: 'compact' });
  const settings = (await own.get('settings/public/')).body.data;
  expect(settings).toHaveProperty('OUTSIDE_PAGES');
  expect((await own.get(START)).body).toEqual({
    profile: (await own.get('users/profile/')).body,
    preferences: { theme: 'dark', density: 'compact' },
    settings,
  });
});

it('answers the preferences of the caller only, and rejects a visitor', async () => {
  const [one, other] = [
    await bearer(test, await buildUser(test.db)),
    await bearer(test, await buildUser(test.db)),
  ];
  await one.patch('users/preferences/', { theme: 'light' });
  expect((await other.get(START)).body.preferences).toEqual({});
  expect((await test.visitor.get(START)).status).toBe(401);
});
