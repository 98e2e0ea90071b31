import { createHash, createHmac } from 'node:crypto';
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
  /** Of further headers. */
  readonly values?: Readonly<Record<string, string>>;
}

/** A caller that signs one request as the established clients do. */
function signer(method: string, path: string, signing: Signing = {}): Client {
  const date = signing.date ?? new Date().toUTCString();
  const headers = signing.headers ?? '(request-target) accept date';
  const values: Record<string, string> = {
    '(request-target)': signing.target ?? `${method.toLowerCase()} /api/v1/${path}`,
    accept: 'application/json',
    date: signing.signedDate ?? date,
    ...signing.values,
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

describe('a signed digest covers the body', () => {
  const sha = (algorithm: string, body: string) => createHash(algorithm).update(body).digest('base64');
  const [sent, other] = [JSON.stringify({ comment: 'as signed' }), JSON.stringify({ comment: 'as made' })];
  const send = (header: string, value: string, body: string | undefined, method = 'PATCH') => {
    const caller = signer(method, PROFILE, { headers: `(request-target) date ${header}`, values: { [header]: value } });
    return caller.with({ [header]: value }).send(method, PROFILE, body, body === undefined ? undefined : 'application/json');
  };

  it.each([
    ['digest', `SHA-256=${sha('sha256', sent)}`],
    ['digest', `sha-512=${sha('sha512', sent)}`],
    ['digest', `MD5=${sha('md5', sent)},SHA-256=${sha('sha256', sent)}`],
    ['content-digest', `sha-256=:${sha('sha256', sent)}:`],
    ['content-digest', `sha-512=:${sha('sha512', sent)}:, sha-256=:${sha('sha256', sent)}:`],
    ['repr-digest', `sha-256=:${sha('sha256', sent)}:`],
  ])('%s: %s', async (header, value) => {
    const good = await send(header, value, sent);
    expect([good.status, good.body.comment]).toEqual([200, 'as signed']);
    const bad = await send(header, value, other);
    expect([bad.status, bad.body.code]).toEqual([400, 'digest_mismatch']);
    expect((await send(header, value, undefined)).body.code).toBe('digest_mismatch');
    expect((await own.get(PROFILE)).body.comment).toBe('as signed');
  });

  it('of several each must be right', async () => {
    const { status } = await send('digest', `SHA-256=${sha('sha256', sent)},SHA-512=${sha('sha512', other)}`, sent);
    expect([status, (await own.get(PROFILE)).body.comment]).toEqual([400, null]);
  });

  it.each([`MD5=${sha('md5', sent)}`, 'SHA-256', 'nonsense', 'SHA-256='])('and one that nobody can check is refused: %s', async (value) => {
    const { status, body } = await send('digest', value, sent);
    expect([status, body.code]).toEqual([400, 'digest_unknown']);
  });

  it('also where there is no body', async () => {
    expect((await send('digest', `SHA-256=${sha('sha256', '')}`, undefined, 'GET')).status).toBe(200);
    expect((await send('digest', `SHA-256=${sha('sha256', 'x')}`, undefined, 'GET')).body.code).toBe('digest_mismatch');
  });

  it('and one that is not signed proves nothing and is not looked at', async () => {
    const caller = signer('PATCH', PROFILE).with({ digest: `SHA-256=${sha('sha256', other)}` });
    expect((await caller.send('PATCH', PROFILE, sent, 'application/json')).status).toBe(200);
  });

  it('of a file of many bytes', async () => {
    const administrator = await buildUser(test.db, { role: 'Admin' });
    const made = (await (await bearer(test, administrator)).post<{ id: string; secret: string }>(KEYS, {})).body;
    const path = 'assets/labels/';
    const file = `*Name,*Value\r\n${Array.from({ length: 5_000 }, (_, i) => `signed,${i}`).join('\r\n')}\r\n`;
    const digest = `SHA-256=${sha('sha256', file)}`;
    const caller = signer('POST', path, { ...made, headers: '(request-target) date digest', values: { digest } }).with({ digest });
    expect((await caller.send('POST', path, `${file}signed,more\r\n`, 'text/csv')).body.code).toBe('digest_mismatch');
    expect((await caller.send('POST', path, file, 'text/csv')).status).toBe(201);
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

it('a key signs only so many requests in a row; others are not held up', async () => {
  const other = (await own.post<{ id: string; secret: string }>(KEYS, {})).body;
  const askOnce = () => signer('GET', PROFILE).get<Json>(PROFILE);
  const until = Date.now() + 25_000;
  let refused: Awaited<ReturnType<typeof askOnce>> | undefined;
  while (!refused && Date.now() < until) {
    const answers = await Promise.all(Array.from({ length: 50 }, askOnce));
    refused = answers.find(({ status }) => status !== 200);
  }
  expect([refused?.status, refused?.body.code, Number(refused?.headers.get('retry-after'))]).toEqual([429, 'too_many_requests', 1]);
  expect((await signer('GET', PROFILE, other).get(PROFILE)).status).toBe(200);
  expect((await own.get(PROFILE)).status).toBe(200);
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
