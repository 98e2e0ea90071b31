import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import { Client, type Json } from '../../../testing/client.ts';
import { bearer, browser, cookiesOf, openBrowser } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let user: BuiltUser;
beforeAll(async () => {
  test = await startTestProgram();
  user = await buildUser(test.db);
});
afterAll(() => test.stop());

const LOGIN = '/core/auth/login/';
const form = () => ({ username: user.username, password: user.password });
const cookieLines = (headers: Headers) =>
  Object.fromEntries(headers.getSetCookie().map((line) => [line.split('=')[0], line]));

describe('signing in', () => {
  it('sets a session cookie hidden from scripts, and a token that scripts can read', async () => {
    const { status, body, headers } = await (await openBrowser(test)).post(LOGIN, form());
    expect([status, body]).toEqual([200, { next: '/ui/' }]);
    const { sessionid = '', csrftoken = '' } = cookieLines(headers);
    expect(sessionid).toMatch(
      /^sessionid=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(csrftoken).toMatch(/^csrftoken=[\w-]{43}; Max-Age=\d+; Path=\/; SameSite=Lax$/);
  });

  it('replaces both tokens, so that planted ones are worthless', async () => {
    const planted = (await openBrowser(test)).with({});
    const { headers } = await planted.post(LOGIN, form());
    const { csrftoken } = cookiesOf(headers);
    expect(planted.headers.cookie).not.toContain(csrftoken);
    const again = cookiesOf((await (await openBrowser(test)).post(LOGIN, form())).headers);
    expect(again.sessionid).not.toBe(cookiesOf(headers).sessionid);
  });

  it.each<[string, () => Promise<string>]>([
    ['made up', async () => 'x'.repeat(43)],
    [
      'of another user',
      async () =>
        (await browser(test, await buildUser(test.db))).headers.cookie?.match(
          /sessionid=([\w-]+)/,
        )?.[1] ?? '',
    ],
  ])('rejects a planted session: %s', async (_what, plant) => {
    const planted = await plant();
    expect(planted).toHaveLength(43);
    const visiting = await openBrowser(test);
    const { headers } = await visiting
      .with({ cookie: `${visiting.headers.cookie}; sessionid=${planted}` })
      .post(LOGIN, form());
    const { sessionid } = cookiesOf(headers);
    expect(sessionid).toHaveLength(43);
    expect(sessionid).not.toBe(planted);
    // The planted session does not belong to this user.
    const { body } = await test.visitor
      .with({ cookie: `sessionid=${planted}` })
      .get<Json>('users/profile/');
    expect(body.username).not.toBe(user.username);
  });

  it('marks cookies as secure when the browser uses HTTPS', async () => {
    const secure = await startTestProgram({ publicUrl: 'https://bastion.example.com' });
    try {
      const account = await buildUser(secure.db);
      const visiting = (await openBrowser(secure)).with({ origin: 'https://bastion.example.com' });
      const { headers, status } = await visiting.post(LOGIN, {
        username: account.username,
        password: account.password,
      });
      expect(status).toBe(200);
      for (const line of headers.getSetCookie()) expect(line).toContain('; Secure');
    } finally {
      await secure.stop();
    }
  });

  it.each<Record<string, string>>([
    { 'x-csrftoken': '' },
    { 'x-csrftoken': 'x'.repeat(43) },
    { cookie: '' },
    { cookie: 'csrftoken=short', 'x-csrftoken': 'short' },
    { cookie: 'csrftoken=', 'x-csrftoken': '' },
  ])('rejects a sign-in without the token of the form: %j', async (headers) => {
    const { status, body } = await (await openBrowser(test)).with(headers).post(LOGIN, form());
    expect([status, body.code]).toEqual([403, 'csrf_failed']);
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])(
    'rejects a sign-in from a page of %s',
    async (origin) => {
      const { status, body } = await (await openBrowser(test)).with({ origin }).post(LOGIN, form());
      expect([status, body.code]).toEqual([403, 'origin_refused']);
    },
  );

  it('sets no session for a wrong password', async () => {
    const { status, headers } = await (await openBrowser(test)).post(LOGIN, {
      ...form(),
      password: 'wrong',
    });
    expect([status, cookiesOf(headers).sessionid]).toEqual([400, undefined]);
  });
});

describe('what a browser changes', () => {
  const CHANGE = 'users/profile/';

  it('accepts a change with the cookie, the token and our own origin', async () => {
    const client = await browser(test, user);
    expect((await client.patch(CHANGE, { comment: 'x' })).status).toBe(200);
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { referer: 'https://evil.example/page' },
  ])('rejects a change without an origin when %j names another site', async (headers) => {
    const client = await browser(test, user);
    const { origin: _, ...others } = client.headers;
    const answer = await new Client(client.url, { ...others, ...headers }).patch(CHANGE, {
      comment: 'forged',
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'origin_refused']);
  });

  it.each([
    ['without a token', { 'x-csrftoken': '' }, 'csrf_failed'],
    ['with a wrong token', { 'x-csrftoken': 'y'.repeat(43) }, 'csrf_failed'],
    ['from another site', { origin: 'https://evil.example' }, 'origin_refused'],
    ['from a sandboxed frame', { origin: 'null' }, 'origin_refused'],
    ['from another port', { origin: 'http://127.0.0.1:1' }, 'origin_refused'],
  ])('rejects a change %s', async (_name, headers, code) => {
    const client = (await browser(test, user)).with(headers);
    for (const [method, path, body] of [
      ['PATCH', CHANGE, { comment: 'forged' }],
      ['PUT', `${CHANGE}password/`, {}],
      ['POST', '/core/auth/logout/', {}],
      ['POST', '/vue-admin-template/user/logout', {}],
    ] as const) {
      const answer = await client.request(method, path, body);
      expect([method, answer.status, answer.body.code]).toEqual([method, 403, code]);
    }
    const { rows } = await sql`select 1 from account where comment = 'forged'`.execute(test.db);
    expect(rows).toEqual([]);
  });

  it('rejects a change with the token of another browser', async () => {
    const [mine, other] = [await browser(test, user), await openBrowser(test)];
    expect(
      (await mine.with({ 'x-csrftoken': other.headers['x-csrftoken'] ?? '' }).patch(CHANGE, {}))
        .status,
    ).toBe(403);
  });

  it('requires no token for reads', async () => {
    expect(
      (
        await (
          await browser(test, user)
        )
          .with({ 'x-csrftoken': '', origin: 'https://evil.example' })
          .get(CHANGE)
      ).status,
    ).toBe(200);
  });
});

describe('a session', () => {
  it.each(['/core/auth/logout/', '/vue-admin-template/user/logout'])(
    'ends the session by signing out at %s, on the server too',
    async (path) => {
      const client = await browser(test, user);
      const { status, body, headers } = await client.post(path);
      expect([status, body]).toEqual([200, { next: LOGIN }]);
      expect(headers.getSetCookie().join()).toMatch(/sessionid=;/);
      expect((await client.get('users/profile/')).status).toBe(401);
    },
  );

  it('shows the session on the sign-in page only to its browser', async () => {
    const state = async (client: Client) =>
      (await client.get<Json>('/core/auth/login/state/')).body;
    const person = await buildUser(test.db);
    const client = await browser(test, person);
    expect(await state(client)).toEqual({
      state: 'password',
      username: '',
      factors: [],
      signed_in: `Name of ${person.username}`,
    });
    const nobody = { state: 'password', username: '', factors: [] };
    for (const other of [test.visitor, await bearer(test, person)])
      expect(await state(other)).toEqual(nobody);
    await sql`update account set date_expired = now() where id = ${person.id}`.execute(test.db);
    expect(await state(client)).toEqual(nobody);
  });

  it('extends a session in use and ends an idle one', async () => {
    const client = await browser(test, user);
    const touch = (used: string, expired: string) =>
      sql`
        update web_session set date_used = now() - ${used}::interval,
          date_expired = now() + ${expired}::interval
        where user_id = ${user.id}`.execute(test.db);
    await touch('2 minutes', '1 minute');
    expect((await client.get('users/profile/')).status).toBe(200);
    await expect
      .poll(
        async () =>
          (
            await sql<{
              ok: boolean;
            }>`select bool_or(date_expired > now() + interval '1 hour') as ok from web_session where user_id = ${user.id}`.execute(
              test.db,
            )
          ).rows[0]?.ok,
      )
      .toBe(true);
    await touch('2 minutes', '-1 second');
    expect((await client.get('users/profile/')).status).toBe(401);
  });

  it('stores only a digest of the session token', async () => {
    const client = await browser(test, user);
    const { sessionid = '' } = Object.fromEntries(
      (client.headers.cookie ?? '').split('; ').map((part) => part.split('=')),
    );
    const { rows } = await sql<{
      text: string;
    }>`select s::text || encode(token_digest, 'base64') as text from web_session s`.execute(
      test.db,
    );
    expect(sessionid).toHaveLength(43);
    expect(rows.map((row) => row.text).join()).not.toContain(sessionid);
    expect(test.log()).not.toContain(sessionid);
  });
});

describe('where people go on to', () => {
  it.each(['/ui/#/x', '/luna/?login_to=1', '/ui/assets?tab=a&b=中', '/core/auth/logout/'])(
    'returns to the previous page: %s',
    async (next) => {
      expect((await (await openBrowser(test)).post(LOGIN, { ...form(), next })).body).toEqual({
        next,
      });
    },
  );

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'evil.example',
    '/.//evil.example',
    '/./\\evil.example',
    '/..//evil.example',
    '///evil.example',
    '/%09/evil.example/..//evil.example',
    'http:evil.example',
    '/\u0000/evil.example',
    '',
    null,
    7,
    ['/ui/'],
    { toString: 1 },
    `/${'x'.repeat(3_000)}`,
  ])('stays on this site for the target %j', async (next) => {
    const { body } = await (await openBrowser(test)).post<{ next: string }>(LOGIN, {
      ...form(),
      next,
    });
    const landed = new URL(body.next, 'https://bastion.example.com/core/auth/login/');
    expect([landed.origin, landed.pathname.startsWith('//')]).toEqual([
      'https://bastion.example.com',
      false,
    ]);
  });
});
