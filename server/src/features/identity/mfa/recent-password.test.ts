import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { buildFactor, codeOf, enrolTotp } from '../../../testing/second-factors.ts';
import { agePasswordProofs, bearer, browser } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let user: BuiltUser;
let own: Client;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await bearer(test, user);
});

const LINE =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 laptop';

/** Requests of version 2.1 that create a key: without a password. */
const CREATE = [
  ['POST', 'authentication/access-keys/', undefined, 201],
  ['POST', 'authentication/ssh-keys/', { name: 'laptop', public_key: LINE }, 201],
  ['PUT', 'users/profile/public-key/', { public_key: LINE }, 200],
  ['PATCH', 'users/profile/public-key/', { public_key: LINE }, 200],
  ['POST', 'users/profile/public-key/generate/', undefined, 200],
  ['PUT', 'users/profile/', { phone: '1', public_key: LINE, is_first_login: false }, 200],
] as const;

const keysOf = async () => {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from access_key where user_id = ${user.id})
      + (select count(*) from ssh_key where user_id = ${user.id}) as count`.execute(test.db);
  return Number(rows[0]?.count);
};

it.each(CREATE)(
  'creates a key without a password shortly after a sign-in with it: %s %s',
  async (method, path, body, status) => {
    await agePasswordProofs(test, 4);
    expect((await own.request(method, path, body)).status).toBe(status);
    expect(await keysOf()).toBe(1);
  },
);

it.each(CREATE)(
  'requires a password when the sign-in with it was more than five minutes ago: %s %s',
  async (method, path, body) => {
    await agePasswordProofs(test, 6);
    const { status, body: refusal } = await own.request<Json>(method, path, body);
    expect([status, refusal]).toEqual([
      400,
      expect.objectContaining({ password: ['This field is required'] }),
    ]);
    expect(await keysOf()).toBe(0);
  },
);

it.each(CREATE)(
  'requires a password when the sign-in did not prove one: %s %s',
  async (method, path, body) => {
    await sql`update web_session set password_verified = null`.execute(test.db);
    expect((await own.request(method, path, body)).status).toBe(400);
    expect(await keysOf()).toBe(0);
  },
);

it.each(CREATE)(
  'rejects a wrong or blank password even after a sign-in: %s %s',
  async (method, path, body) => {
    for (const password of ['wrong', '']) {
      const { status } = await own.request(method, path, { ...body, password });
      expect([password, status]).toEqual([password, 400]);
    }
    expect(await keysOf()).toBe(0);
  },
);

it.each(CREATE)(
  'requires a fresh second factor of an account that has one, whatever the password: %s %s',
  async (method, path, body) => {
    await buildFactor(test.db, user.id);
    const { status, body: refusal } = await own.request<Json>(method, path, body);
    expect([status, refusal.code]).toEqual([403, 'mfa_verify_required']);
    expect(await keysOf()).toBe(0);
  },
);

/** Ways of a user with an authenticator to prove the second factor again. */
const PROOFS = [
  ['a one-time password', (secret: string) => ({ code: codeOf(secret) })],
  ['a recovery code', (_: string, [code = '']: readonly string[]) => ({ type: 'recovery', code })],
] as const;

describe.each(PROOFS)('after %s', (_, bodyOf) => {
  it.each(CREATE)(
    'creates a key without a password: %s %s',
    async (method, target, body, status) => {
      const { secret, recoveryCodes } = await enrolTotp(own, user.password);
      await sql`update web_session set mfa_verified = null where user_id = ${user.id}`.execute(
        test.db,
      );
      // The time since the password does not count for an account with a second factor.
      await agePasswordProofs(test, 60);
      expect((await own.request(method, target, body)).status).toBe(403);
      const proof = await own.post('authentication/otp/verify/', bodyOf(secret, recoveryCodes));
      expect([proof.status, proof.text]).toEqual([200, expect.any(String)]);
      expect((await own.request(method, target, body)).status).toBe(status);
      expect(await keysOf()).toBe(1);
    },
  );
});

it.each(CREATE)(
  'requires a second factor again once the minutes of the setting have passed: %s %s',
  async (method, path, body, status) => {
    await enrolTotp(own, user.password);
    const proofAged = (seconds: number) =>
      sql`update web_session set mfa_verified = now() - make_interval(secs => ${seconds})
        where user_id = ${user.id}`.execute(test.db);
    const { body: settings } = await own.get<{ data: Json }>('settings/public/');
    const ttl = Number(settings.data.SECURITY_MFA_VERIFY_TTL);
    await proofAged(ttl + 1);
    expect(await own.request(method, path, body)).toMatchObject({
      status: 403,
      body: { code: 'mfa_verify_required' },
    });
    expect(await keysOf()).toBe(0);
    await proofAged(ttl / 2);
    expect((await own.request(method, path, body)).status).toBe(status);
  },
);

it.each(CREATE)(
  'requires a proof of this sign-in, not of another one of the user: %s %s',
  async (method, path, body) => {
    await enrolTotp(await browser(test, user), user.password);
    expect((await own.request(method, path, body)).status).toBe(403);
    expect(await keysOf()).toBe(0);
  },
);

it('creates an access key without a body in a browser, with the proof against forged requests', async () => {
  const page = await browser(test, user);
  expect((await page.post('authentication/access-keys/')).status).toBe(201);
  const forged = page.with({ 'x-csrftoken': '' });
  expect((await forged.post('authentication/access-keys/')).status).toBe(403);
});

it('asks for the password for changes that version 2.1 does not make', async () => {
  user = await buildUser(test.db, { role: 'Admin' });
  own = await bearer(test, user);
  for (const [path, body] of [
    ['users/profile/', { email: `${user.username}@example.net` }],
    ['users/profile/', { email: `${user.username}@example.net`, public_key: LINE }],
  ] as const)
    expect(await own.patch(path, body)).toMatchObject({
      status: 400,
      body: { password: ['This field is required'] },
    });
});

it('rejects the password of the sign-in that confirmed a device', async () => {
  const begun = await test.visitor.post<Json>('authentication/device/code/', { device: 'laptop' });
  const confirmed = await own.post('authentication/device/confirm/', {
    user_code: begun.body.user_code,
    password: user.password,
  });
  expect(confirmed.status).toBeLessThan(300);
  const { body } = await test.visitor.post<Json>('authentication/device/token/', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: begun.body.device_code,
  });
  const device = test.visitor.with({ authorization: `Bearer ${body.access_token}` });
  expect((await device.get('users/profile/')).status).toBe(200);
  expect((await device.post('authentication/access-keys/')).status).toBe(400);
  expect(await keysOf()).toBe(0);
});
