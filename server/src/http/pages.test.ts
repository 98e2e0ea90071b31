import { afterAll, beforeAll, expect, it } from 'vitest';
import { browser, cookiesOf } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

const CONSOLE = ['/ui/', '/ui/users/users', '/core/console/', '/core/console/users/users'];

it.each(CONSOLE)('serves the console at %s without a CSRF cookie', async (path) => {
  for (const caller of [test.visitor, await browser(test)]) {
    const { status, headers, text } = await caller.with({ accept: 'text/html' }).get(path);
    expect([status, cookiesOf(headers)]).toEqual([200, {}]);
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(text).toContain('<div id="root">');
  }
});

it.each(['/core/auth/login/', '/core/auth/password/forgot/', '/luna/', '/koko/elfinder/sftp/'])(
  'sets a CSRF cookie with the page %s, and keeps an existing one',
  async (path) => {
    const { headers } = await test.visitor.get(path);
    expect(cookiesOf(headers).csrftoken).toMatch(/^[\w-]{43}$/);
    const kept = test.visitor.with({ cookie: `csrftoken=${'a'.repeat(43)}` });
    expect(cookiesOf((await kept.get(path)).headers)).toEqual({});
  },
);

it.each(['/core/consoles/', '/core/console2/x', '/core/'])('returns 404 for %s', async (path) => {
  expect((await test.visitor.get(path)).status).toBe(404);
});
