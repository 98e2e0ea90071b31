import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildUser } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import { bearer, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

const SECONDS_OF_A_DAY = 86_400;

it.each(['authentication/auth/', 'authentication/tokens/'])(
  'returns a token with its expiry from %s',
  async (path) => {
    const { username, password } = await buildUser(test.db);
    const { status, body } = await test.visitor
      .with({ 'x-tz': 'UTC' })
      .post<{ token: string; keyword: string; date_expired: string; user: Json }>(path, {
        username,
        password,
      });
    expect([status, body.keyword, body.user.username]).toEqual([201, 'Bearer', username]);
    const seconds =
      (Date.parse(`${body.date_expired.slice(0, 19).replace(' ', 'T')}Z`) - Date.now()) / 1_000;
    expect(Math.abs(seconds - SECONDS_OF_A_DAY)).toBeLessThan(120);
    expect(
      (await test.visitor.with({ authorization: `Bearer ${body.token}` }).get('users/profile/'))
        .status,
    ).toBe(200);
  },
);

it('gives the same response for a wrong password and an unknown name', async () => {
  const user = await buildUser(test.db);
  const wrong = await tryToSignIn(test, { ...user, password: 'wrong' });
  const unknown = await tryToSignIn(test, { username: 'nobody-of-this-name', password: 'wrong' });
  expect([wrong.status, wrong.body]).toEqual([400, unknown.body]);
  expect(wrong.body.code).toBe('password_failed');
});

it('compares a password exactly, and a username without letter case', async () => {
  const user = await buildUser(test.db, { username: 'Lower.Case' });
  for (const attempt of [
    { username: 'lower.case', password: `${user.password} ` },
    { username: 'Lower.Case', password: `${user.password} ` },
    { username: 'Lower.Case', password: user.password.toUpperCase() },
    { username: 'Lower.Cas_', password: user.password },
    { username: '%', password: user.password },
  ])
    expect((await tryToSignIn(test, attempt)).status).toBe(400);
  expect((await tryToSignIn(test, user)).status).toBe(201);
});

it.each([
  {},
  { username: 'admin' },
  { password: 'x' },
  { username: ['admin'], password: 'x' },
  { username: 'admin', password: { length: 1 } },
  { username: '', password: '' },
])('rejects an incomplete form: %j', async (form) => {
  expect((await test.visitor.post('authentication/auth/', form)).status).toBe(400);
});

it('rejects an expired token', async () => {
  const user = await buildUser(test.db);
  const client = await bearer(test, user);
  await sql`
    update web_session set date_expired = now() - interval '1 second'
    where user_id = ${user.id}`.execute(test.db);
  expect((await client.get('users/profile/')).status).toBe(401);
});

it('keeps the expiry of a token that is used', async () => {
  const user = await buildUser(test.db);
  const client = await bearer(test, user);
  const expiry = async () =>
    (
      await sql<{
        at: Date;
      }>`select date_expired as at from web_session where user_id = ${user.id}`.execute(test.db)
    ).rows[0]?.at;
  const before = await expiry();
  await sql`
    update web_session set date_used = now() - interval '1 hour'
    where user_id = ${user.id}`.execute(test.db);
  expect((await client.get('users/profile/')).status).toBe(200);
  expect(await expiry()).toEqual(before);
});

it('ends a token at sign-out', async () => {
  const client = await bearer(test, await buildUser(test.db));
  expect((await client.post('/core/auth/logout/')).status).toBe(200);
  expect((await client.get('users/profile/')).status).toBe(401);
});

it('rejects a bearer token as a cookie and the stored digest as a token', async () => {
  const user = await buildUser(test.db);
  const client = await bearer(test, user);
  const token = (client.headers.authorization ?? '').slice('Bearer '.length);
  expect(
    (await test.visitor.with({ cookie: `sessionid=${token}` }).get('users/profile/')).status,
  ).toBe(401);
  const { rows } = await sql<{
    row: string;
  }>`select to_jsonb(s)::text || encode(token_digest, 'base64') as row from web_session s`.execute(
    test.db,
  );
  expect(rows.length).toBeGreaterThan(0);
  const digest = await sql<{
    hex: string;
  }>`select encode(token_digest, 'hex') as hex from web_session where user_id = ${user.id}`.execute(
    test.db,
  );
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(
    (
      await test.visitor
        .with({ authorization: `Bearer ${digest.rows[0]?.hex}` })
        .get('users/profile/')
    ).status,
  ).toBe(401);
});

it("logs every attempt with its reason in the reader's language", async () => {
  const user = await buildUser(test.db);
  await tryToSignIn(test, { ...user, password: 'wrong' });
  await tryToSignIn(test, user);
  await tryToSignIn(test, { username: `${user.username}-not`, password: 'x' });
  const admin = await bearer(test);
  const { body } = await admin.get<Json[]>(
    `audits/login-logs/?search=${user.username}&order=datetime`,
  );
  expect(body.map((row) => [row.status, row.reason, row.reason_display, row.type, row.ip])).toEqual(
    [
      [false, 'password_failed', 'Wrong password', 'A', '127.0.0.1'],
      [true, '', '', 'A', '127.0.0.1'],
      [false, 'user_not_exist', 'No such user', 'A', '127.0.0.1'],
    ],
  );
  expect(JSON.stringify(body)).not.toContain(user.password);
});

it('reports an expired password', async () => {
  const user = await buildUser(test.db);
  await sql`
    update account set date_password_last_updated = now() - interval '10001 days'
    where id = ${user.id}`.execute(test.db);
  expect((await tryToSignIn(test, user)).body).toMatchObject({ code: 'password_expired' });
});
