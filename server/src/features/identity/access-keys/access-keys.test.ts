import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { everyRow } from '../../../testing/every-row.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let user: BuiltUser;
let own: Client;
let key: { id: string; secret: string };
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await bearer(test, user);
  key = (await own.post<{ id: string; secret: string }>(KEYS, {})).body;
});

const KEYS = 'authentication/access-keys/';
const PROFILE = 'users/profile/';
const KEY_LINE = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 somebody';

interface Signing {
  readonly id?: string;
  readonly secret?: string;
  readonly date?: string;
  readonly signedDate?: string;
  readonly headers?: string;
  readonly algorithm?: string;
  readonly target?: string;
}

/** A caller that signs one request as the established clients do. */
function signer(method: string, path: string, signing: Signing = {}): Client {
  const date = signing.date ?? new Date().toUTCString();
  const headers = signing.headers ?? '(request-target) accept date';
  const values: Record<string, string> = {
    '(request-target)': signing.target ?? `${method.toLowerCase()} /api/v1/${path}`,
    accept: 'application/json',
    date: signing.signedDate ?? date,
  };
  const text = headers
    .split(' ')
    .map((name) => `${name}: ${values[name]}`)
    .join('\n');
  const signature = createHmac('sha256', signing.secret ?? key.secret)
    .update(text)
    .digest('base64');
  const authorization = `Signature keyId="${signing.id ?? key.id}",algorithm="${signing.algorithm ?? 'hmac-sha256'}",headers="${headers}",signature="${signature}"`;
  return test.visitor.with({ accept: 'application/json', date, authorization });
}

it('a signed request is its owner’s, and the use is noted', async () => {
  expect((await signer('GET', PROFILE).get(PROFILE)).body).toMatchObject({ username: user.username });
  expect((await signer('PATCH', PROFILE).patch(PROFILE, { comment: 'by key' })).body).toMatchObject({ comment: 'by key' });
  const path = `${PROFILE}login-logs/?limit=1&offset=0`;
  expect((await signer('GET', path).get(path)).status).toBe(200);
  const [listed] = (await own.get<Json[]>(KEYS)).body;
  expect(listed).toMatchObject({ id: key.id, is_active: true, secret: null });
  expect(Date.parse(String(listed?.date_last_used))).toBeGreaterThan(Date.now() - 60_000);
});

it('the secret is told once and kept sealed', async () => {
  expect(key.secret).toMatch(/^[0-9a-f-]{36}$/);
  for (const path of [KEYS, `${KEYS}${key.id}/`, `${KEYS}?format=csv`]) expect((await own.get(path)).text).not.toContain(key.secret);
  const { rows } = await sql<{ text: string }>`select k::text as text from access_key k union all select o::text from operate_log o`.execute(test.db);
  expect(rows.map(({ text }) => text).join()).not.toContain(key.secret);
  expect(test.log()).not.toContain(key.secret);
  const many = await own.post<{ id: string; secret: string }[]>(KEYS, [{}, {}]);
  expect(new Set(many.body.map(({ secret }) => secret)).size).toBe(2);
  const [second] = many.body;
  expect((await signer('GET', PROFILE, { ...(second && { id: second.id, secret: second.secret }) }).get(PROFILE)).status).toBe(200);
});

describe('a request is refused', () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000).toUTCString();
  it.each<[string, () => Signing]>([
    ['with another secret', () => ({ secret: crypto.randomUUID() })],
    ['by a key that is none', () => ({ id: crypto.randomUUID() })],
    ['by a key of no shape', () => ({ id: "' or true --" })],
    ['signed for another road', () => ({ target: 'get /api/v1/users/users/' })],
    ['signed for another verb', () => ({ target: `delete /api/v1/${PROFILE}` })],
    ['16 minutes old', () => ({ date: minutes(-16) })],
    ['of a clock 16 minutes ahead', () => ({ date: minutes(16) })],
    ['with another date than the signed one', () => ({ signedDate: minutes(-1) })],
    ['with a date that is none', () => ({ date: 'yesterday' })],
    ['without the road signed', () => ({ headers: 'accept date' })],
    ['without the date signed', () => ({ headers: '(request-target) accept' })],
    ['with a header twice', () => ({ headers: '(request-target) date date' })],
    ['with a header that is not there', () => ({ headers: '(request-target) date x-not-there' })],
    ['by another algorithm', () => ({ algorithm: 'hmac-md5' })],
  ])('%s', async (_what, signing) => {
    expect((await signer('GET', PROFILE, signing()).get(PROFILE)).status).toBe(401);
  });

  it.each(['Signature', 'Signature ', 'Signature x', 'Signature keyId="', 'Sign a:b', `Token ${'a'.repeat(40)}`])(
    'with nothing but %s',
    async (authorization) => {
      expect((await test.visitor.with({ authorization }).get(PROFILE)).status).toBe(401);
    },
  );

  it('by a key that was switched off or deleted, and by a disabled account', async () => {
    expect((await own.patch(`${KEYS}${key.id}/`, { is_active: false })).body).toMatchObject({ is_active: false });
    expect((await signer('GET', PROFILE).get(PROFILE)).status).toBe(401);
    await own.patch(`${KEYS}${key.id}/`, { is_active: true });
    expect((await signer('GET', PROFILE).get(PROFILE)).status).toBe(200);
    await sql`update account set is_active = false where id = ${user.id}`.execute(test.db);
    expect((await signer('GET', PROFILE).get(PROFILE)).status).toBe(401);
    await sql`update account set is_active = true where id = ${user.id}`.execute(test.db);
    expect((await own.delete(`${KEYS}${key.id}/`)).status).toBe(204);
    expect((await signer('GET', PROFILE).get(PROFILE)).status).toBe(401);
  });
});

it('a key gives its owner’s rights and no more', async () => {
  expect((await signer('GET', 'users/users/').get('users/users/')).status).toBe(403);
});

it.each([
  ['POST', KEYS, {}],
  ['PUT', `${PROFILE}password/`, {}],
  ['PUT', `${PROFILE}public-key/`, { public_key: 'x' }],
  ['POST', 'authentication/mfa/totp/begin/', {}],
  ['POST', 'authentication/mfa/totp/disable/', {}],
  ['POST', 'authentication/otp/verify/', { code: '123456' }],
])('a key alone cannot change what protects the account: %s %s', async (method, path, body) => {
  const answer = await signer(method, path).request(method, path, body);
  expect([answer.status, answer.body.code]).toEqual([403, 'sign_in_needed']);
});

it.each([{ password: 'taken over 1' }, { mfa_level: 0 }, { email: 'elsewhere@example.com' }, { public_key: KEY_LINE }])(
  'nor through the list of accounts, where its owner administers: %j',
  async (changes) => {
    user = await buildUser(test.db, { role: 'Admin' });
    own = await bearer(test, user);
    key = (await own.post<{ id: string; secret: string }>(KEYS, {})).body;
    await sql`update account set mfa_level = 2 where id = ${user.id}`.execute(test.db);
    const path = `users/users/${user.id}/`;
    // The first use of a key is written down.
    await signer('GET', PROFILE).get(PROFILE);
    const before = await everyRow(test.db);
    expect((await signer('PATCH', path).patch(path, changes)).body).toMatchObject(
      'password' in changes || 'mfa_level' in changes ? { [Object.keys(changes)[0] ?? '']: [expect.any(String)] } : { code: 'sign_in_needed' },
    );
    expect(await everyRow(test.db)).toBe(before);
  },
);

it('is found by a part of its id, and only among the own ones', async () => {
  const other = await bearer(test, await buildUser(test.db));
  const { id } = (await own.post<{ id: string }>(KEYS, {})).body;
  const found = async (client: Client, search: string) => (await client.get<Json[]>(`${KEYS}?search=${search}`)).body.map((row) => row.id);
  expect(await found(own, id.slice(0, 8).toUpperCase())).toEqual([id]);
  expect(await found(own, key.secret.slice(0, 8))).toEqual([]);
  expect(await found(other, id)).toEqual([]);
});

it('keys of others are neither seen, changed nor deleted', async () => {
  const other = await bearer(test, await buildUser(test.db));
  const admin = await bearer(test);
  for (const client of [other, admin]) {
    expect((await client.get<Json[]>(KEYS)).text).not.toContain(key.id);
    expect((await client.get(`${KEYS}${key.id}/`)).status).toBe(404);
    expect((await client.patch(`${KEYS}${key.id}/`, { is_active: false })).status).toBe(404);
    expect((await client.delete(`${KEYS}${key.id}/`)).status).toBe(404);
  }
  expect((await signer('GET', PROFILE).get(PROFILE)).status).toBe(200);
});

it('there are only so many keys', async () => {
  expect(
    (
      await own.post(
        KEYS,
        Array.from({ length: 49 }, () => ({})),
      )
    ).status,
  ).toBe(201);
  const one = await own.post(KEYS, {});
  expect([one.status, JSON.stringify(one.body)]).toEqual([400, expect.stringContaining('at most 50')]);
});
