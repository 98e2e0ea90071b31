import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser } from '../testing/builders.ts';
import type { Client } from '../testing/client.ts';
import { bearer, browser } from '../testing/sign-in.ts';
import { tryToOpen } from '../testing/sockets.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let user: Client;
beforeAll(async () => {
  test = await startTestProgram();
  user = await browser(test, await buildUser(test.db));
});
afterAll(() => test.stop());

const TERMINAL = '/ws/terminal/';
const WATCH = '/ws/watch/';

it('opens a terminal socket for a signed-in browser on our page', async () => {
  expect((await tryToOpen(user, TERMINAL)).status).toBe(101);
});

it('rejects a socket without a sign-in', async () => {
  expect((await tryToOpen(test.visitor, TERMINAL)).status).toBe(401);
  expect(
    (await tryToOpen(test.visitor.with({ cookie: `sessionid=${'x'.repeat(43)}` }), TERMINAL))
      .status,
  ).toBe(401);
});

it.each([
  'https://evil.example',
  'null',
  'http://127.0.0.1',
  'http://localhost:1',
  'not an origin',
  'http://127.0.0.1.evil.example',
])('refuses a socket that a page of %s opens with our cookie', async (origin) => {
  const { status, text } = await tryToOpen(user.with({ origin }), TERMINAL);
  expect([status, JSON.parse(text).code]).toEqual([403, 'origin_refused']);
});

it('rejects watching without the audit permission', async () => {
  const { status, text } = await tryToOpen(user, WATCH);
  expect([status, JSON.parse(text).code]).toEqual([403, 'permission_denied']);
  expect((await tryToOpen(await bearer(test), WATCH)).status).toBe(101);
});

it('answers a socket address with 426 without an upgrade', async () => {
  expect((await user.get(TERMINAL)).status).toBe(426);
});

it('returns 404 for an unknown socket address', async () => {
  expect((await tryToOpen(user, '/ws/other/')).status).toBe(404);
});
