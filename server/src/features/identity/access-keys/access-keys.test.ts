import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { everyRow } from '../../../testing/every-row.ts';
import { agePasswordProofs, bearer, browser } from '../../../testing/sign-in.ts';
import { whileRefused } from '../../../testing/sign-in-rule.ts';
import { withStoppedClock } from '../../../testing/stopped-clock.ts';
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
  key = (await own.post<{ id: string; secret: string }>(KEYS, PROOF())).body;
});

const KEYS = 'authentication/access-keys/';
/** The body that confirms a change: the user's own password. */
const PROOF = () => ({ password: user.password });
const PROFILE = 'users/profile/';
const KEY_LINE =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 somebody';

interface Signing {
  readonly id?: string;
  readonly secret?: string;
  readonly date?: string;
  readonly signedDate?: string;
  readonly headers?: string;
  readonly algorithm?: string;
  readonly target?: string;
  /** Values of further headers. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Creates a client that signs one request as existing clients do. */
function signer(method: string, path: string, signing: Signing = {}): Client {
  const date = signing.date ?? new Date().toUTCString();
  const headers = signing.headers ?? '(request-target) accept date';
  const values: Record<string, string> = {
    '(request-target)':
      signing.target ??
      `${method.toLowerCase()} ${path.startsWith('/') ? path : `/api/v1/${path}`}`,
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

it("accepts a signed request as the key's owner and records its use", async () => {
  expect((await signer('GET', PROFILE).get(PROFILE)).body).toMatchObject({
    username: user.username,
  });
  expect((await signer('PATCH', PROFILE).patch(PROFILE, { comment: 'by key' })).body).toMatchObject(
    { comment: 'by key' },
  );
  const path = `${PROFILE}login-logs/?limit=1&offset=0`;
  expect((await signer('GET', path).get(path)).status).toBe(200);
  const [listed] = (await own.get<Json[]>(KEYS)).body;
  expect(listed).toMatchObject({ id: key.id, is_active: true, secret: null });
  expect(Date.parse(String(listed?.date_last_used))).toBeGreaterThan(Date.now() - 60_000);
});

it('accepts a signed request below the base address of versions 3 and 4', async () => {
  const path = `/v4/api/v1/${PROFILE}`;
  expect((await signer('GET', path).get(path)).body).toMatchObject({ username: user.username });
  const list = '/v4/api/v1/perms/users/self/assets/?limit=1';
  expect((await signer('GET', list).get(list)).status).toBe(200);
  expect((await signer('POST', list).post(list, {})).body).toMatchObject({ code: 'only_reads' });
  // The signature covers the path as it was sent.
  const target = `get /api/v1/${PROFILE}`;
  expect((await signer('GET', path, { target }).get(path)).status).toBe(401);
  expect((await signer('GET', path).get(PROFILE)).status).toBe(401);
});

it.each([-20, 20, -12 * 365 * 24 * 60])(
  'names the clock when the Date is %s minutes off',
  async (minutes) => {
    const date = new Date(Date.now() + minutes * 60_000).toUTCString();
    const late = signer('GET', PROFILE, { date, signedDate: date });
    const { status, body, headers } = await late.get<Json>(PROFILE);
    expect([status, headers.get('x-error-code')]).toEqual([401, 'signature_date']);
    expect(body.detail).toMatch(
      /the clock of the server differ by [\d,]+ minutes\. At most 15 are/,
    );
    const { body: chinese } = await late.with({ 'accept-language': 'zh' }).get<Json>(PROFILE);
    expect(chinese.detail).toMatch(/签名的 Date 与服务器时钟相差/);
  },
);

it('changes a key and stores no password when the body contains one', async () => {
  expect(
    (await own.patch<Json>(`${KEYS}${key.id}/`, { name: 'renamed', ...PROOF() })).body,
  ).toMatchObject({ name: 'renamed' });
  expect(await everyRow(test.db)).not.toContain(user.password);
});

it('shows a secret once and stores it sealed', async () => {
  expect(key.secret).toMatch(/^[0-9a-f-]{36}$/);
  for (const path of [KEYS, `${KEYS}${key.id}/`, `${KEYS}?format=csv`])
    expect((await own.get(path)).text).not.toContain(key.secret);
  const { rows } = await sql<{
    text: string;
  }>`select k::text as text from access_key k union all select o::text from operate_log o`.execute(
    test.db,
  );
  expect(rows.map(({ text }) => text).join()).not.toContain(key.secret);
  expect(test.log()).not.toContain(key.secret);
  const many = await own.post<{ id: string; secret: string }[]>(KEYS, [PROOF(), PROOF()]);
  expect(new Set(many.body.map(({ secret }) => secret)).size).toBe(2);
  const [second] = many.body;
  expect(
    (
      await signer('GET', PROFILE, { ...(second && { id: second.id, secret: second.secret }) }).get(
        PROFILE,
      )
    ).status,
  ).toBe(200);
});

describe('a request is refused', () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000).toUTCString();
  it.each<[string, () => Signing]>([
    ['with another secret', () => ({ secret: crypto.randomUUID() })],
    ['by a key that is none', () => ({ id: crypto.randomUUID() })],
    ['by a key of no shape', () => ({ id: "' or true --" })],
    ['signed for another path', () => ({ target: 'get /api/v1/users/users/' })],
    ['signed for another method', () => ({ target: `delete /api/v1/${PROFILE}` })],
    ['16 minutes old', () => ({ date: minutes(-16) })],
    ['of a clock 16 minutes ahead', () => ({ date: minutes(16) })],
    ['with another date than the signed one', () => ({ signedDate: minutes(-1) })],
    ['with a date that is none', () => ({ date: 'yesterday' })],
    ['without the path signed', () => ({ headers: 'accept date' })],
    ['without the date signed', () => ({ headers: '(request-target) accept' })],
    ['with a header twice', () => ({ headers: '(request-target) date date' })],
    ['with a header that is not there', () => ({ headers: '(request-target) date x-not-there' })],
    ['by another algorithm', () => ({ algorithm: 'hmac-md5' })],
  ])('rejects a request %s', async (_what, signing) => {
    expect((await signer('GET', PROFILE, signing()).get(PROFILE)).status).toBe(401);
  });

  it.each([
    'Signature',
    'Signature ',
    'Signature x',
    'Signature keyId="',
    'Sign a:b',
    `Token ${'a'.repeat(40)}`,
  ])('rejects the malformed header %s', async (authorization) => {
    expect((await test.visitor.with({ authorization }).get(PROFILE)).status).toBe(401);
  });

  it('rejects a request while a sign-in rule of the account refuses it', async () => {
    const get = () => signer('GET', PROFILE).get<Json>(PROFILE);
    const refused = await whileRefused(await bearer(test), user.id, get);
    expect([refused.status, refused.body.code]).toEqual([401, 'sign_in_condition']);
    expect((await get()).status).toBe(200);
  });

  it('rejects a request of a disabled or deleted key and of a disabled account', async () => {
    expect((await own.patch(`${KEYS}${key.id}/`, { is_active: false })).body).toMatchObject({
      is_active: false,
    });
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
  const sha = (algorithm: string, body: string) =>
    createHash(algorithm).update(body).digest('base64');
  const [sent, other] = [
    JSON.stringify({ comment: 'as signed' }),
    JSON.stringify({ comment: 'as made' }),
  ];
  const send = async (
    header: string,
    value: string,
    body: string | undefined,
    method = 'PATCH',
  ) => {
    // The test sends the same signature several times.
    await sql`delete from seen_signature`.execute(test.db);
    const caller = signer(method, PROFILE, {
      headers: `(request-target) date ${header}`,
      values: { [header]: value },
    });
    return caller
      .with({ [header]: value })
      .send(method, PROFILE, body, body === undefined ? undefined : 'application/json');
  };

  it.each([
    ['digest', `SHA-256=${sha('sha256', sent)}`],
    ['digest', `sha-512=${sha('sha512', sent)}`],
    ['digest', `MD5=${sha('md5', sent)},SHA-256=${sha('sha256', sent)}`],
    ['content-digest', `sha-256=:${sha('sha256', sent)}:`],
    ['content-digest', `sha-512=:${sha('sha512', sent)}:, sha-256=:${sha('sha256', sent)}:`],
    ['repr-digest', `sha-256=:${sha('sha256', sent)}:`],
  ])('accepts only the signed body with %s: %s', async (header, value) => {
    const good = await send(header, value, sent);
    expect([good.status, good.body.comment]).toEqual([200, 'as signed']);
    const bad = await send(header, value, other);
    expect([bad.status, bad.body.code]).toEqual([400, 'digest_mismatch']);
    expect((await send(header, value, undefined)).body.code).toBe('digest_mismatch');
    expect((await own.get(PROFILE)).body.comment).toBe('as signed');
  });

  it('rejects a body unless each of several digests matches', async () => {
    const { status } = await send(
      'digest',
      `SHA-256=${sha('sha256', sent)},SHA-512=${sha('sha512', other)}`,
      sent,
    );
    expect([status, (await own.get(PROFILE)).body.comment]).toEqual([400, null]);
  });

  it.each([`MD5=${sha('md5', sent)}`, 'SHA-256', 'nonsense', 'SHA-256='])(
    'rejects a digest that it cannot check: %s',
    async (value) => {
      const { status, body } = await send('digest', value, sent);
      expect([status, body.code]).toEqual([400, 'digest_unknown']);
    },
  );

  it('checks the digest of a request without a body', async () => {
    expect((await send('digest', `SHA-256=${sha('sha256', '')}`, undefined, 'GET')).status).toBe(
      200,
    );
    expect(
      (await send('digest', `SHA-256=${sha('sha256', 'x')}`, undefined, 'GET')).body.code,
    ).toBe('digest_mismatch');
  });

  it('ignores a digest that is not signed', async () => {
    const caller = signer('PATCH', PROFILE).with({ digest: `SHA-256=${sha('sha256', other)}` });
    expect((await caller.send('PATCH', PROFILE, sent, 'application/json')).status).toBe(200);
  });

  it('checks the digest of a file of many bytes', async () => {
    const administrator = await buildUser(test.db, { role: 'Admin' });
    const adminKey = (
      await (
        await bearer(test, administrator)
      ).post<{ id: string; secret: string }>(KEYS, { password: administrator.password })
    ).body;
    const path = 'assets/labels/';
    const file = `*Name,*Value\r\n${Array.from({ length: 5_000 }, (_, i) => `signed,${i}`).join('\r\n')}\r\n`;
    const digest = `SHA-256=${sha('sha256', file)}`;
    const caller = signer('POST', path, {
      ...adminKey,
      headers: '(request-target) date digest',
      values: { digest },
    }).with({ digest });
    expect((await caller.send('POST', path, `${file}signed,more\r\n`, 'text/csv')).body.code).toBe(
      'digest_mismatch',
    );
    await sql`delete from seen_signature`.execute(test.db);
    expect((await caller.send('POST', path, file, 'text/csv')).status).toBe(201);
  });
});

it('gives a key the permissions of its owner only', async () => {
  expect((await signer('GET', 'users/users/').get('users/users/')).status).toBe(403);
});

it.each([
  ['POST', KEYS, {}],
  ['PUT', `${PROFILE}password/`, {}],
  ['PUT', `${PROFILE}public-key/`, { public_key: 'x' }],
  ['POST', 'authentication/mfa/totp/begin/', {}],
  ['POST', 'authentication/mfa/totp/disable/', {}],
  ['POST', 'authentication/otp/verify/', { code: '123456' }],
])('rejects a change of credentials by an access key: %s %s', async (method, path, body) => {
  const answer = await signer(method, path).request(method, path, body);
  expect([answer.status, answer.body.code]).toEqual([403, 'sign_in_needed']);
});

it.each([
  { password: 'taken over 1' },
  { mfa_level: 0 },
  { email: 'elsewhere@example.com' },
  { public_key: KEY_LINE },
])("rejects a change of the owner's account in the list of users: %j", async (changes) => {
  user = await buildUser(test.db, { role: 'Admin' });
  own = await bearer(test, user);
  key = (await own.post<{ id: string; secret: string }>(KEYS, PROOF())).body;
  await sql`update account set mfa_level = 2 where id = ${user.id}`.execute(test.db);
  const path = `users/users/${user.id}/`;
  // The first use of a key is stored.
  await signer('GET', PROFILE).get(PROFILE);
  const before = await everyRow(test.db);
  expect((await signer('PATCH', path).patch(path, changes)).body).toEqual({
    [Object.keys(changes)[0] ?? '']: [expect.any(String)],
  });
  expect(await everyRow(test.db)).toBe(before);
});

it("finds a key by part of its id, only among the caller's own", async () => {
  const other = await bearer(test, await buildUser(test.db));
  const { id } = (await own.post<{ id: string }>(KEYS, PROOF())).body;
  const idsOf = async (client: Client, search: string) =>
    (await client.get<Json[]>(`${KEYS}?search=${search}`)).body.map((row) => row.id);
  expect(await idsOf(own, id.slice(0, 8).toUpperCase())).toEqual([id]);
  expect(await idsOf(own, key.secret.slice(0, 8))).toEqual([]);
  expect(await idsOf(other, id)).toEqual([]);
});

it('hides keys of other users and rejects their change and deletion', async () => {
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

it('limits the requests of one key and not those of others', async () => {
  const other = (await own.post<{ id: string; secret: string }>(KEYS, PROOF())).body;
  const askOnce = () => signer('GET', PROFILE).get<Json>(PROFILE);
  let refused: Awaited<ReturnType<typeof askOnce>> | undefined;
  await withStoppedClock(async () => {
    for (let sent = 0; !refused && sent < 500; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, askOnce));
      refused = answers.find(({ status }) => status !== 200);
    }
  });
  expect([
    refused?.status,
    refused?.body.code,
    Number(refused?.headers.get('retry-after')),
  ]).toEqual([429, 'too_many_requests', 1]);
  expect((await signer('GET', PROFILE, other).get(PROFILE)).status).toBe(200);
  expect((await own.get(PROFILE)).status).toBe(200);
});

it('limits the number of keys', async () => {
  expect((await own.post(KEYS, Array.from({ length: 49 }, PROOF))).status).toBe(201);
  const one = await own.post(KEYS, PROOF());
  expect([one.status, JSON.stringify(one.body)]).toEqual([
    400,
    expect.stringContaining('at most 50'),
  ]);
});

interface KeyRow {
  id: string;
  name: string;
  date_expired: string | null;
  date_last_used: string | null;
  remote_addr: string;
  is_active: boolean;
}
const use = (client = signer('GET', PROFILE)) => client.get(PROFILE);
const TOMORROW = () => new Date(Date.now() + 86_400_000).toISOString();

it('creates no key without the password of its owner', async () => {
  const count = async () => (await own.get<Json[]>(KEYS)).body.length;
  for (const client of [own, await browser(test, user)]) {
    await agePasswordProofs(test);
    expect(await client.post(KEYS, {})).toMatchObject({
      status: 400,
      body: { password: [expect.any(String)] },
    });
    expect(await client.post(KEYS, { password: 'not the password' })).toMatchObject({
      status: 400,
      body: { password: [expect.any(String)] },
    });
    expect(await client.post(KEYS, [{}, {}])).toMatchObject({ status: 400 });
  }
  expect(await count()).toBe(1);
});

it('expires a new key after 90 days, unless the setting lifts it', async () => {
  const admin = await bearer(test);
  const end = async (body: Json = {}) =>
    (await own.post<KeyRow>(KEYS, { ...PROOF(), ...body })).body.date_expired;
  const daysUntil = (date: string | null) =>
    Math.round((Date.parse(String(date)) - Date.now()) / 86_400_000);
  const later = new Date(Date.now() + 100 * 86_400_000).toISOString();
  expect(daysUntil(await end())).toBe(90);
  expect(daysUntil(await end({ date_expired: null }))).toBe(90);
  expect(await own.post(KEYS, { ...PROOF(), date_expired: later })).toMatchObject({
    status: 400,
    body: { date_expired: [expect.stringContaining('90')] },
  });
  for (const date_expired of [null, later])
    expect((await own.patch(`${KEYS}${key.id}/`, { date_expired })).status).toBe(400);
  expect((await own.patch(`${KEYS}${key.id}/`, { is_active: false })).status).toBe(200);
  await admin.patch('settings/setting/', { security: { SECURITY_ACCESS_KEY_MAX_DAYS: 0 } });
  expect(await end()).toBeNull();
  expect(daysUntil(await end({ date_expired: later }))).toBe(100);
  await admin.patch('settings/setting/', { security: { SECURITY_ACCESS_KEY_MAX_DAYS: 90 } });
});

describe('an access key', () => {
  it('stores the name and end of a key, and the address of its last use', async () => {
    const created = await own.post<KeyRow>(KEYS, {
      ...PROOF(),
      name: 'nightly export',
      date_expired: TOMORROW(),
    });
    expect([created.status, created.body]).toEqual([
      201,
      expect.objectContaining({ name: 'nightly export', date_last_used: null, remote_addr: '' }),
    ]);
    await use();
    const { body } = await own.get<KeyRow>(`${KEYS}${key.id}/`);
    expect(body).toMatchObject({
      name: '',
      date_expired: expect.any(String),
      remote_addr: '127.0.0.1',
    });
    expect(body.date_last_used).not.toBeNull();
    expect((await own.patch<KeyRow>(`${KEYS}${key.id}/`, { name: 'renamed' })).body.name).toBe(
      'renamed',
    );
    expect((await own.get<KeyRow[]>(`${KEYS}?search=RENAM`)).body.map(({ id }) => id)).toEqual([
      key.id,
    ]);
  });

  it('rejects a signature after the end of its key', async () => {
    await own.patch(`${KEYS}${key.id}/`, { date_expired: '2020-01-01 00:00:00 +0000' });
    expect((await use()).status).toBe(401);
    await own.patch(`${KEYS}${key.id}/`, { date_expired: TOMORROW() });
    expect((await use()).status).toBe(200);
  });
});

describe('what ends access keys', () => {
  it.each<[string, (admin: Client) => Promise<{ status: number }>]>([
    [
      'a password that an administrator sets',
      (admin) => admin.put(`users/users/${user.id}/password/`, { password: 'chosen for you 1' }),
    ],
    [
      'a password in the form',
      (admin) => admin.patch(`users/users/${user.id}/`, { password: 'chosen for you 1' }),
    ],
    [
      'the end of all sign-ins by an administrator',
      (admin) => admin.delete(`users/users/${user.id}/sign-ins/`),
    ],
    [
      'second factors that are taken away',
      (admin) => admin.get(`users/users/${user.id}/otp/reset/`),
    ],
    [
      'the own change of the password',
      () =>
        own.put('users/profile/password/', {
          old_password: user.password,
          new_password: 'a new one 1',
          new_password_again: 'a new one 1',
        }),
    ],
    ['revoking all', (admin) => admin.delete(`users/users/${user.id}/access-keys/`)],
    ['revoking one', (admin) => admin.delete(`users/users/${user.id}/access-keys/${key.id}/`)],
    ['deleting it', () => own.delete(`${KEYS}${key.id}/`)],
  ])('deletes access keys: %s', async (_what, end) => {
    expect((await use()).status).toBe(200);
    expect((await end(await bearer(test))).status).toBeLessThan(300);
    expect((await use()).status).toBe(401);
    const { rows } = await sql`select 1 from access_key where user_id = ${user.id}`.execute(
      test.db,
    );
    expect(rows).toEqual([]);
  });

  it('deletes the keys of a disabled account permanently', async () => {
    const admin = await bearer(test);
    for (const is_active of [false, true])
      await admin.patch(`users/users/${user.id}/`, { is_active });
    expect((await use()).status).toBe(401);
  });

  it('keeps access keys when their owner ends other sign-ins', async () => {
    await own.delete('users/profile/sign-ins/');
    expect((await use()).status).toBe(200);
  });
});

describe('keys of others', () => {
  it('lists and revokes keys for administrators of the account, without secrets', async () => {
    const admin = (await bearer(test)).with({ 'x-tz': 'UTC' });
    const { status, body, text } = await admin.get<KeyRow[]>(`users/users/${user.id}/access-keys/`);
    expect([status, body]).toEqual([
      200,
      [expect.objectContaining({ id: key.id, is_active: true })],
    ]);
    expect(text).not.toMatch(/secret|\$/);
    expect(
      (await admin.delete(`users/users/${user.id}/access-keys/${crypto.randomUUID()}/`)).status,
    ).toBe(404);
    expect((await admin.delete(`users/users/${user.id}/access-keys/x/`)).status).toBe(404);
    expect((await admin.delete(`users/users/${user.id}/access-keys/${key.id}/`)).status).toBe(204);
    const { rows } = await sql<{
      changes: Json;
    }>`select changes from operate_log where resource_id = ${user.id} order by sequence desc limit 1`.execute(
      test.db,
    );
    expect(rows[0]?.changes).toEqual({ access_keys: [1, 0] });
  });

  it('hides keys from users without rights on the account', async () => {
    const organization = await buildOrganization(test.db);
    const other = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
    const elsewhere = (await bearer(test, other)).inOrganization(organization);
    const list = `users/users/${user.id}/access-keys/`;
    expect((await elsewhere.get(list)).status).toBe(404);
    expect((await own.get(list)).status).toBe(403);
    await sql`insert into organization_member (organization_id, user_id, role) values (${organization}, ${user.id}, 'Auditor')`.execute(
      test.db,
    );
    expect((await elsewhere.get(list)).status).toBe(403);
    expect((await elsewhere.delete(`${list}${key.id}/`)).status).toBe(403);
    expect((await use()).status).toBe(200);
  });
});

describe('a signed request that is sent again', () => {
  const headers = '(request-target) accept date digest';
  const digestOf = (text: string) =>
    `SHA-256=${createHash('sha256').update(text).digest('base64')}`;
  const BODY = JSON.stringify({ comment: 'once' });

  it('rejects a replay when the signature covers the body', async () => {
    const digest = digestOf(BODY);
    const client = signer('PATCH', PROFILE, { headers, values: { digest } }).with({ digest });
    expect((await client.send('PATCH', PROFILE, BODY, 'application/json')).status).toBe(200);
    const again = await client.send<Json>('PATCH', PROFILE, BODY, 'application/json');
    expect([again.status, again.body.code]).toEqual([401, 'signature_replayed']);
    // Other servers share the database, and so detect the replay too.
    const { rows } = await sql`select 1 from seen_signature`.execute(test.db);
    expect(rows.length).toBeGreaterThan(0);
  });

  it('rejects a replay without a body', async () => {
    const path = `users/profile/invitations/${crypto.randomUUID()}/`;
    const client = signer('DELETE', path);
    expect((await client.delete(path)).body.code).toBe('sign_in_needed');
    const again = await client.delete(path);
    expect(again.body.code).toBe('signature_replayed');
  });

  it('accepts repeated reads, and repeated writes of clients that sign no body', async () => {
    const reading = signer('GET', PROFILE);
    expect([(await reading.get(PROFILE)).status, (await reading.get(PROFILE)).status]).toEqual([
      200, 200,
    ]);
    const writing = signer('PATCH', PROFILE);
    for (const comment of ['one', 'two'])
      expect((await writing.patch(PROFILE, { comment })).body.comment).toBe(comment);
  });
});
