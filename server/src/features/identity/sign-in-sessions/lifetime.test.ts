import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client } from '../../../testing/client.ts';
import { browser, cookiesOf } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const PUBLIC_URL = 'https://bastion.example.com';
let test: TestProgram;
let user: BuiltUser;
beforeAll(async () => {
  test = await startTestProgram();
  user = await buildUser(test.db);
});
afterAll(() => test.stop());

const status = async (client: Client) => (await client.get('users/profile/')).status;

it("ends a browser's sign-in after the configured days, even if active", async () => {
  const own = await browser(test, user);
  await sql`
    update web_session set date_created = now() - interval '6 days 23 hours',
      date_used = now() - interval '1 hour'
    where user_id = ${user.id}`.execute(test.db);
  expect(await status(own)).toBe(200);
  const { rows } = await sql<{ hours: string }>`
    select extract(epoch from date_expired - now()) / 3600 as hours
    from web_session where user_id = ${user.id}`.execute(test.db);
  expect(Number(rows[0]?.hours)).toBeLessThanOrEqual(1);
  await sql`
    update web_session set date_created = now() - interval '7 days 1 second',
      date_expired = now() + interval '1 hour'
    where user_id = ${user.id}`.execute(test.db);
  expect(await status(own)).toBe(401);
});

describe('cookies over HTTPS', () => {
  let secure: TestProgram;
  let owner: BuiltUser;
  beforeAll(async () => {
    secure = await startTestProgram({ publicUrl: PUBLIC_URL, allowedHosts: ['127.0.0.1'] });
    owner = await buildUser(secure.db);
  });
  afterAll(() => secure.stop());

  const signIn = async () => {
    const page = await secure.visitor.get('/core/auth/login/');
    const { csrftoken = '' } = cookiesOf(page.headers);
    const visiting = secure.visitor.with({
      cookie: `csrftoken=${csrftoken}`,
      'x-csrftoken': csrftoken,
      origin: PUBLIC_URL,
    });
    return {
      page,
      answer: await visiting.post('/core/auth/login/', {
        username: owner.username,
        password: owner.password,
      }),
    };
  };

  it('marks cookies as secure, with a prefix that sibling sites cannot set', async () => {
    const { page, answer } = await signIn();
    const lines = [...page.headers.getSetCookie(), ...answer.headers.getSetCookie()];
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const line of lines) expect(line).toMatch(/; Secure/);
    const session = lines.find((line) => line.includes('sessionid='));
    expect(session).toMatch(
      /^__Host-sessionid=[^;]+; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it('accepts the old cookie name only for sign-ins of an earlier version', async () => {
    const { answer } = await signIn();
    const token = cookiesOf(answer.headers)['__Host-sessionid'] ?? '';
    const under = (name: string) => status(secure.visitor.with({ cookie: `${name}=${token}` }));
    expect([await under('__Host-sessionid'), await under('sessionid')]).toEqual([200, 401]);
    await sql`update web_session set plain_cookie = true where user_id = ${owner.id}`.execute(
      secure.db,
    );
    expect(await under('sessionid')).toBe(200);
  });

  it('deletes the session cookie at sign-out', async () => {
    const { answer } = await signIn();
    const { '__Host-sessionid': token = '', csrftoken = '' } = cookiesOf(answer.headers);
    const own = secure.visitor.with({
      cookie: `__Host-sessionid=${token}; csrftoken=${csrftoken}`,
      'x-csrftoken': csrftoken,
      origin: PUBLIC_URL,
    });
    expect(await status(own)).toBe(200);
    const out = await own.post('/core/auth/logout/');
    expect(
      out.headers.getSetCookie().some((line) => /^__Host-sessionid=; .*Secure/.test(line)),
    ).toBe(true);
    expect(await status(own)).toBe(401);
  });
});
