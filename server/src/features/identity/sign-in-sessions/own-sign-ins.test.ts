import { generateSshKeyPair, ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { signInMember } from '../../../testing/roles.ts';
import { agePasswordProofs, bearer, browser, tryToSignIn } from '../../../testing/sign-in.ts';
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

const OWN = 'users/profile/sign-ins/';
const isOut = async (client: Client) => (await client.get('users/profile/')).status === 401;

describe('the caller’s own sign-in sessions', () => {
  it('lists the own sign-ins with device and address, and marks the current one', async () => {
    const page = await browser(test, user);
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    await sql`
      update web_session set user_agent = ${firefox}
      where kind = 'browser' and user_id = ${user.id}`.execute(test.db);
    const { body } = await own.get<Json[]>(OWN);
    expect(
      body.map(({ kind, device, remote_addr, current }) => ({
        kind,
        device,
        remote_addr,
        current,
      })),
    ).toEqual(
      expect.arrayContaining([
        { kind: 'browser', device: 'Firefox on Linux', remote_addr: '127.0.0.1', current: false },
        { kind: 'bearer', device: 'Node.js', remote_addr: '127.0.0.1', current: true },
      ]),
    );
    expect(JSON.stringify(body)).not.toContain('token');
    expect((await page.get<Json[]>(OWN)).body.find(({ current }) => current)?.kind).toBe('browser');
  });

  it('ends a single sign-in', async () => {
    const other = await browser(test, user);
    const id = (await own.get<Json[]>(OWN)).body.find(({ current }) => !current)?.id;
    expect((await own.delete(`${OWN}${id}/`)).status).toBe(204);
    expect([await isOut(other), await isOut(own)]).toEqual([true, false]);
    expect((await own.delete(`${OWN}${id}/`)).status).toBe(404);
  });

  it('ends all sign-ins except the current one', async () => {
    const others = [await browser(test, user), await bearer(test, user)];
    expect((await own.delete(OWN)).status).toBe(204);
    expect(await Promise.all([own, ...others].map(isOut))).toEqual([false, true, true]);
  });

  it('hides sign-ins from other users', async () => {
    const other = await bearer(test, await buildUser(test.db));
    const id = (await own.get<Json[]>(OWN)).body[0]?.id;
    expect((await other.delete(`${OWN}${id}/`)).status).toBe(404);
    expect((await other.get(`users/users/${user.id}/sign-ins/`)).status).toBe(403);
    expect(await isOut(own)).toBe(false);
  });
});

describe('another user’s sign-in sessions', () => {
  it('lists and ends sign-ins of a user for an administrator', async () => {
    const admin = await bearer(test);
    const { body } = await admin.get<Json[]>(`users/users/${user.id}/sign-ins/`);
    expect(body).toHaveLength(1);
    expect((await admin.delete(`users/users/${user.id}/sign-ins/${body[0]?.id}/`)).status).toBe(
      204,
    );
    expect(await isOut(own)).toBe(true);
    const again = await bearer(test, user);
    expect((await admin.delete(`users/users/${user.id}/sign-ins/`)).status).toBe(204);
    expect([await isOut(again), await isOut(admin)]).toEqual([true, false]);
  });

  it('rejects administrators of other organizations and for accounts above them', async () => {
    const organization = await buildOrganization(test.db);
    const local = await signInMember(test, organization);
    expect((await local.get(`users/users/${user.id}/sign-ins/`)).status).toBe(404);
    expect((await local.delete(`users/users/${user.id}/sign-ins/`)).status).toBe(404);
    const chief = await buildUser(test.db, {
      role: 'Admin',
      memberOf: [{ organization, role: 'User' }],
    });
    expect((await local.delete(`users/users/${chief.id}/sign-ins/`)).status).toBe(403);
  });
});

it('returns the own sign-in attempts only', async () => {
  await tryToSignIn(test, { ...user, password: 'wrong' });
  await bearer(test, await buildUser(test.db));
  const { body } = await own.get<Page>('users/profile/login-logs/?limit=10');
  expect(body.count).toBe(2);
  expect(
    body.results.map(({ status, reason_display, type_display }) => [
      status,
      reason_display,
      type_display,
    ]),
  ).toEqual([
    [false, 'Wrong password', 'API'],
    [true, '', 'API'],
  ]);
  expect(
    (await own.get<Page>('users/profile/login-logs/?limit=1&offset=1')).body.results,
  ).toHaveLength(1);
  expect((await own.get('users/profile/login-logs/?limit=x')).status).toBe(400);
});

describe('the caller’s own public key', () => {
  const URL = 'users/profile/public-key/';
  it('replaces the public key with a valid one only', async () => {
    const { public: line } = generateSshKeyPair('me@here');
    expect(
      (await own.put(URL, { public_key: `${line}\n`, password: user.password })).body,
    ).toMatchObject({ public_key: line, public_key_comment: 'me@here' });
    for (const public_key of ['', 'nonsense', null, 7])
      expect(
        Object.keys((await own.put(URL, { public_key, password: user.password })).body),
      ).toEqual(['public_key']);
    expect((await own.get(URL)).body.public_key).toBe(line);
  });

  it('generates a matching key pair', async () => {
    const { body } = await own.post<{ private_key: string; public_key: string; filename: string }>(
      `${URL}generate/`,
      { password: user.password },
    );
    const parsed = ssh2.utils.parseKey(body.private_key);
    if (parsed instanceof Error) throw parsed;
    expect(body.public_key).toBe(
      `ssh-rsa ${parsed.getPublicSSH().toString('base64')} ${user.username}`,
    );
    expect([body.filename, (await own.get(URL)).body.public_key]).toEqual([
      `${user.username}-sallyport.pem`,
      body.public_key,
    ]);
    expect((await own.get(URL)).text).not.toContain('PRIVATE');
  });

  it('rejects a public key without the password', async () => {
    const { public: line } = generateSshKeyPair('');
    await agePasswordProofs(test);
    for (const password of [undefined, '', 'wrong'])
      for (const [method, path, body] of [
        ['PUT', URL, { public_key: line }],
        ['PATCH', URL, { public_key: line }],
        ['POST', `${URL}generate/`, {}],
        ['PUT', 'users/profile/', { public_key: line }],
        ['PATCH', 'users/profile/', { public_key: line }],
      ] as const) {
        const { status, body: answer } = await own.request(method, path, { ...body, password });
        // A form without a password field shows the message at the key.
        const fields =
          path === URL && password === undefined ? ['password', 'public_key'] : ['password'];
        expect([method, path, status, Object.keys(answer as object)]).toEqual([
          method,
          path,
          400,
          fields,
        ]);
      }
    expect((await own.get(URL)).body.public_key).toBe('');
    expect(
      (await own.patch('users/profile/', { public_key: line, password: user.password })).status,
    ).toBe(200);
    // An unchanged key needs no password.
    expect((await own.put(URL, (await own.get(URL)).body)).status).toBe(200);
    expect((await own.get(URL)).body.public_key).toBe(line);
  });
});
