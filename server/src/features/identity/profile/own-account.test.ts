import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildGroup,
  buildOrganization,
  buildUser,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { everyRow } from '../../../testing/every-row.ts';
import { bearer, browser, tryToSignIn } from '../../../testing/sign-in.ts';
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

const change = (changes: Record<string, unknown> = {}) =>
  own.put('users/profile/password/', {
    old_password: user.password,
    new_password: 'a new one 1',
    new_password_again: 'a new one 1',
    ...changes,
  });

describe('changing one’s own password', () => {
  it('ends every other sign-in and keeps the current one', async () => {
    const others = [await bearer(test, user), await browser(test, user)];
    expect((await change()).status).toBe(200);
    expect((await own.get('users/profile/')).status).toBe(200);
    for (const other of others) expect((await other.get('users/profile/')).status).toBe(401);
    expect((await tryToSignIn(test, user)).status).toBe(400);
    await bearer(test, { username: user.username, password: 'a new one 1' });
  });

  it('rejects the last former passwords, and accepts older ones', async () => {
    const next = (from: string, to: string) =>
      change({ old_password: from, new_password: to, new_password_again: to });
    const chosen = ['first one 1', 'second one 2', 'third one 3', 'fourth one 4'];
    let current = user.password;
    for (const password of chosen) {
      expect((await next(current, password)).status).toBe(200);
      current = password;
    }
    for (const password of ['first one 1', 'second one 2', 'third one 3'])
      expect((await next(current, password)).body).toEqual({
        new_password: ['You have used this password before. Choose another one.'],
      });
    // Not before the old password is right: otherwise this would reveal former passwords.
    expect(Object.keys((await next('wrong', 'third one 3')).body)).toEqual(['old_password']);
    expect((await next(current, user.password)).status).toBe(200);
  });

  it('rejects a common password and the username', async () => {
    for (const password of ['Passw0rd', `${user.username}2026`]) {
      const changes = { new_password: password, new_password_again: password };
      expect(Object.keys((await change(changes)).body)).toEqual(['new_password']);
    }
  });

  it('limits wrong old passwords like sign-ins', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => change({ old_password: 'wrong' })),
    );
    expect(answers.filter(({ body }) => 'old_password' in body)).toHaveLength(7);
    expect((await change()).body).toMatchObject({ error: 'block_login' });
  });

  it('rejects a change of an external password', async () => {
    await sql`update account set source = 'ldap' where id = ${user.id}`.execute(test.db);
    expect((await change()).body).toMatchObject({ code: 'not_local' });
  });

  it.each([
    [
      {
        new_password: 'the present one',
        new_password_again: 'the present one',
        old_password: 'the present one',
      },
      'new_password',
    ],
    [{ old_password: 'wrong' }, 'old_password'],
    [{ old_password: '' }, 'old_password'],
    [{ new_password: 'short', new_password_again: 'short' }, 'new_password'],
    [{ new_password: '', new_password_again: '' }, 'new_password'],
    [{ new_password_again: 'something else' }, 'new_password_again'],
    [{ new_password: 'x'.repeat(129), new_password_again: 'x'.repeat(129) }, 'new_password'],
  ])('rejects %j', async (changes, field) => {
    const before = await everyRow(test.db);
    const { status, body } = await change(changes);
    expect([status, Object.keys(body)]).toEqual([400, expect.arrayContaining([field])]);
    expect(await everyRow(test.db)).toBe(before);
    await bearer(test, user);
  });
});

it('returns roles and groups in the current organization', async () => {
  const organization = await buildOrganization(test.db);
  const person = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  const [here, there] = [
    await buildGroup(test.db, [person.id], organization),
    await buildGroup(test.db, [person.id]),
  ];
  const client = await bearer(test, person);
  const rolesShown = async (from: Client) => {
    const { role, role_display, groups } = (await from.get<Json>('users/profile/')).body;
    return { role, role_display, groups };
  };
  expect(await rolesShown(client.inOrganization(organization))).toEqual({
    role: 'User',
    role_display: 'Organization administrator',
    groups: [here],
  });
  expect(await rolesShown(client)).toEqual({ role: 'User', role_display: 'User', groups: [there] });
  // In an organization without membership, users still see their own account.
  expect(await rolesShown(client.inOrganization(await buildOrganization(test.db)))).toEqual({
    role: 'User',
    role_display: 'User',
    groups: [there],
  });
});

it('returns the days until a local password expires', async () => {
  const daysLeft = async () =>
    (await own.get<{ password_days_left: number | null }>('users/profile/')).body
      .password_days_left;
  expect(await daysLeft()).toBe(9_999);
  for (const [age, left] of [
    ['9995 days 1 hour', 4],
    ['9998 days 23 hours', 1],
    ['20000 days', 0],
  ] as const) {
    await sql`
      update account set date_password_last_updated = now() - ${age}::interval
      where id = ${user.id}`.execute(test.db);
    expect(await daysLeft()).toBe(left);
  }
  await sql`update account set source = 'ldap' where id = ${user.id}`.execute(test.db);
  expect(await daysLeft()).toBeNull();
});

describe('changing one’s own account', () => {
  it("changes the user's own fields", async () => {
    const { status, body } = await own.patch('users/profile/', {
      wechat: 'w',
      phone: '123',
      comment: '你好',
      is_first_login: false,
    });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        wechat: 'w',
        phone: '123',
        comment: '你好',
        is_first_login: false,
      }),
    ]);
  });

  it('ignores name, role and other privileged fields', async () => {
    const before = (await own.get('users/profile/')).body;
    for (const changes of [
      { role: 'Admin' },
      { username: 'admin2' },
      { is_active: true, date_expired: null },
      { password: 'another one' },
      { groups: [] },
      { id: crypto.randomUUID() },
      { email: 'x@example.com' },
    ])
      expect((await own.patch('users/profile/', changes)).body).toEqual(before);
    await bearer(test, user);
  });

  it('rejects an invalid public key', async () => {
    expect((await own.patch('users/profile/', { public_key: 'nonsense' })).status).toBe(400);
  });

  it('returns no secret', async () => {
    const { text } = await own.get('users/profile/');
    expect(text).not.toMatch(/argon2|"password"|"public_key"/);
  });
});
