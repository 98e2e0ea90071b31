import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer, browser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let adminId: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  adminId = String((await admin.get('users/profile/')).body.id);
});
afterAll(() => test.stop());

const body = (changes: Json = {}): Json => {
  const username = unique('user');
  return { name: '张三', username, email: `${username}@example.com`, ...changes };
};

describe('creating an account', () => {
  it('creates a user who can sign in', async () => {
    const newUser = body({ password: 'secret of mine' });
    const { status, body: row } = await admin.post('users/users/', newUser);
    expect([status, row]).toEqual([
      201,
      expect.objectContaining({
        name: '张三',
        role: 'User',
        is_active: true,
        is_valid: true,
        can_delete: true,
      }),
    ]);
    const own = await bearer(test, {
      username: String(newUser.username),
      password: 'secret of mine',
    });
    expect((await own.get('users/profile/')).body).toMatchObject({
      username: newUser.username,
      current_org_roles: ['User'],
    });
  });

  it('creates a user without a password who cannot sign in yet', async () => {
    const newUser = body();
    await admin.post('users/users/', newUser);
    expect(
      (
        await test.visitor.post('authentication/auth/', {
          username: newUser.username,
          password: '',
        })
      ).status,
    ).toBe(400);
  });

  it('rejects a username or mail address in use, in any case', async () => {
    const first = body();
    await admin.post('users/users/', first);
    expect((await admin.post('users/users/', body({ username: first.username }))).body).toEqual({
      username: ['This field must be unique.'],
    });
    expect(
      (await admin.post('users/users/', body({ email: String(first.email).toUpperCase() }))).body,
    ).toEqual({ email: ['This field must be unique.'] });
  });

  it.each([
    ['username', 'with space'],
    ['username', 'x'.repeat(129)],
    ['username', "'; --"],
    ['email', 'nobody'],
    ['role', 'Root'],
    ['mfa_level', 3],
    ['source', 'elsewhere'],
    ['public_key', 'ssh-rsa nonsense'],
    ['password', 'short'],
  ])('rejects %s %j', async (field, value) => {
    const answer = await admin.post('users/users/', body({ [field]: value }));
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
  });
});

describe('disabling an account', () => {
  it('ends every sign-in of a disabled account at once, even when disabled by SQL', async () => {
    for (const disable of [
      (id: string) => admin.patch(`users/users/${id}/`, { is_active: false }),
      (id: string) => sql`update account set is_active = false where id = ${id}`.execute(test.db),
    ]) {
      const user = await buildUser(test.db);
      const clients = [await bearer(test, user), await browser(test, user)];
      await disable(user.id);
      for (const client of clients) expect((await client.get('users/profile/')).status).toBe(401);
      expect((await tryToSignIn(test, user)).body).toMatchObject({ code: 'user_inactive' });
    }
  });

  it('keeps old sign-ins ended when the account is enabled again', async () => {
    const user = await buildUser(test.db);
    const client = await bearer(test, user);
    await admin.patch(`users/users/${user.id}/`, { is_active: false });
    await admin.patch(`users/users/${user.id}/`, { is_active: true });
    expect((await client.get('users/profile/')).status).toBe(401);
    expect((await (await bearer(test, user)).get('users/profile/')).status).toBe(200);
  });

  it('restricts an expired account to its own profile', async () => {
    const user = await buildUser(test.db);
    const client = await bearer(test, user);
    await admin.patch(`users/users/${user.id}/`, { date_expired: '2020-01-01 00:00:00 +0000' });
    expect((await client.get('users/profile/')).body).toMatchObject({
      is_expired: true,
      is_valid: false,
    });
    expect((await client.get('perms/users/assets/')).status).toBe(403);
  });
});

describe('setting a password', () => {
  it('ends the old password and all sign-ins when a password is set', async () => {
    const user = await buildUser(test.db);
    const client = await bearer(test, user);
    expect(
      (await admin.put(`users/users/${user.id}/password/`, { password: 'chosen for you' })).status,
    ).toBe(200);
    expect((await client.get('users/profile/')).status).toBe(401);
    expect((await tryToSignIn(test, user)).status).toBe(400);
    await bearer(test, { username: user.username, password: 'chosen for you' });
  });

  it.each(['', null, 'short', 'x'.repeat(129), 7, ['a']])(
    'rejects the password %j',
    async (password) => {
      const user = await buildUser(test.db);
      expect((await admin.put(`users/users/${user.id}/password/`, { password })).status).toBe(400);
      await bearer(test, user);
    },
  );

  it('keeps the password when the form sends a blank one', async () => {
    const user = await buildUser(test.db);
    expect(
      (await admin.patch(`users/users/${user.id}/`, { password: '', comment: 'x' })).status,
    ).toBe(200);
    await bearer(test, user);
  });
});

describe('an administrator’s own account', () => {
  it.each([{ password: 'without the old one' }, { mfa_level: 0 }, { name: 'x' }])(
    "rejects a change of an administrator's own credentials outside the profile page: %j",
    async (changes) => {
      const user = await buildUser(test.db, { role: 'Admin' });
      const client = await bearer(test, user);
      await sql`update account set mfa_level = 2 where id = ${user.id}`.execute(test.db);
      const { status, body: answer } = await client.patch(`users/users/${user.id}/`, changes);
      expect([status, answer]).toEqual([
        400,
        Object.fromEntries(
          Object.keys(changes).map((field) => [field, ['Change this on your profile page.']]),
        ),
      ]);
      if ('password' in changes)
        expect((await client.put(`users/users/${user.id}/password/`, changes)).status).toBe(400);
    },
  );

  it("accepts other changes of an administrator's own account", async () => {
    const user = await buildUser(test.db, { role: 'Admin' });
    const client = await bearer(test, user);
    const changes = { comment: 'x', phone: '123' };
    expect((await client.patch(`users/users/${user.id}/`, changes)).body).toMatchObject(changes);
  });
});

describe('deleting', () => {
  it('removes another user with all sign-in sessions', async () => {
    const user = await buildUser(test.db);
    const client = await bearer(test, user);
    expect((await admin.delete(`users/users/${user.id}/`)).status).toBe(204);
    expect((await client.get('users/profile/')).status).toBe(401);
  });

  it('rejects the removal of the own account', async () => {
    const user = await buildUser(test.db, { role: 'Admin' });
    const other = await buildUser(test.db);
    const { status, body: answer } = await (await bearer(test, user)).delete(
      `users/users/${other.id},${user.id}/`,
    );
    expect([status, answer.code]).toEqual([403, 'self_delete']);
    expect((await admin.get(`users/users/${other.id}/`)).status).toBe(200);
  });

  it('rejects the removal of the first administrator', async () => {
    const second = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    expect((await second.delete(`users/users/${adminId}/`)).status).toBe(403);
    expect((await second.delete(`users/users/?ids=${adminId}`)).status).toBe(403);
    expect((await admin.get('users/profile/')).status).toBe(200);
  });
});

describe('the first administrator', () => {
  it.each([
    { is_active: false },
    { role: 'User' },
    { username: 'somebody' },
    { date_expired: '2020-01-01 00:00:00 +0000' },
    { username: 'somebody', is_active: false, role: 'Auditor' },
  ])('keeps the first administrator active: %j', async (changes) => {
    const second = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    const { status, body: answer } = await second.patch(`users/users/${adminId}/`, changes);
    expect([status, Object.keys(answer).sort()]).toEqual([400, Object.keys(changes).sort()]);
  });

  it('accepts other changes of the first administrator', async () => {
    expect(
      (
        await admin.patch(`users/users/${adminId}/`, {
          comment: 'x',
          username: 'admin',
          role: 'Admin',
          is_active: true,
        })
      ).status,
    ).toBe(200);
  });

  it('rejects disabling the own account', async () => {
    const user = await buildUser(test.db, { role: 'Admin' });
    expect(
      (await (await bearer(test, user)).patch(`users/users/${user.id}/`, { is_active: false }))
        .status,
    ).toBe(400);
  });
});

describe('an administrator of an organization', () => {
  const cast = async () => {
    const organization = await buildOrganization(test.db);
    const client = await signInMember(test, organization);
    return { organization, client };
  };

  it('makes accounts of an organization administrator members', async () => {
    const { client } = await cast();
    const { body: row } = await client.post('users/users/', body());
    expect((await client.get<Json[]>('users/users/')).body.map((user) => user.id)).toContain(
      row.id,
    );
  });

  it('offers organization administrators only the role of ordinary accounts', async () => {
    const rolesOffered = async (client: Client) =>
      (
        await client.request<{ actions: { POST: { role: { choices: { value: string }[] } } } }>(
          'OPTIONS',
          'users/users/',
        )
      ).body.actions.POST.role.choices.map(({ value }) => value);
    expect([await rolesOffered((await cast()).client), await rolesOffered(admin)]).toEqual([
      ['User'],
      ['Admin', 'User', 'Auditor'],
    ]);
  });

  it.each(['Admin', 'Auditor'])(
    'rejects an organization administrator who grants the role %s of the installation',
    async (role) => {
      const { client } = await cast();
      expect((await client.post('users/users/', body({ role }))).status).toBe(400);
      const { body: row } = await client.post('users/users/', body());
      expect((await client.patch(`users/users/${row.id}/`, { role })).status).toBe(400);
    },
  );

  it('protects an administrator of the installation who is a member', async () => {
    const { client, organization } = await cast();
    const boss = await buildUser(test.db, {
      role: 'Admin',
      memberOf: [{ organization, role: 'User' }],
    });
    for (const [method, path, sent] of [
      ['PATCH', `users/users/${boss.id}/`, { comment: 'x' }],
      ['PUT', `users/users/${boss.id}/password/`, { password: 'taken over' }],
      ['PATCH', `users/users/${boss.id}/unblock/`, {}],
      ['DELETE', `users/users/${boss.id}/`, undefined],
    ] as const)
      expect([method, path, (await client.request(method, path, sent)).status]).toEqual([
        method,
        path,
        403,
      ]);
    await bearer(test, boss);
  });

  it('removes members from the organization only', async () => {
    const { client, organization } = await cast();
    const member = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    expect((await client.delete(`users/users/${member.id}/`)).status).toBe(204);
    expect((await client.get(`users/users/${member.id}/`)).status).toBe(404);
    await bearer(test, member);
  });
});

describe('the list of all accounts', () => {
  it('lists all accounts in every organization for the super administrator only', async () => {
    const organization = await buildOrganization(test.db);
    const outsider = await buildUser(test.db);
    const here = admin.inOrganization(organization);
    const names = async (query: string) =>
      (await here.get<Json[]>(`users/users/?${query}`)).body.map(({ username }) => username);
    expect(await names('')).toEqual([]);
    expect(await names(`all=1&username=${outsider.username}`)).toEqual([outsider.username]);
    expect(
      (await here.get<{ count: number }>('users/users/?all=true&limit=1')).body.count,
    ).toBeGreaterThan(1);
    expect((await here.get('users/users/?all=1&format=csv')).text).toContain(outsider.username);
    expect(await names(`all=0&username=${outsider.username}`)).toEqual([]);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        (
          await here.request(
            method,
            `users/users/${outsider.id}/?all=1`,
            method === 'PATCH' ? { comment: 'x' } : undefined,
          )
        ).status,
      ).toBe(404);
    expect((await here.delete(`users/users/?all=1&ids=${outsider.id}`)).status).toBe(204);
    expect((await here.get(`perms/users/${outsider.id}/assets/?all=1`)).status).toBe(404);
    expect(await names(`all=1&username=${outsider.username}`)).toEqual([outsider.username]);
  });

  it('hides the list of all accounts from other users', async () => {
    const organization = await buildOrganization(test.db);
    const own = await signInMember(test, organization);
    const { status, body: answer } = await own.get('users/users/?all=1');
    expect([status, answer.code, answer.detail]).toEqual([
      403,
      'permission_denied',
      'You do not have permission to do this. It needs the role super administrator.',
    ]);
    expect((await own.get('users/users/?all=1&format=csv')).status).toBe(403);
  });

  it('filters accounts by validity and rejects other values', async () => {
    const expired = await buildUser(test.db);
    await sql`
      update account set date_expired = now() - interval '1 day'
      where id = ${expired.id}`.execute(test.db);
    const countOf = async (value: string) =>
      (await admin.get<Json[]>(`users/users/?username=${expired.username}&is_valid=${value}`)).body
        .length;
    expect([
      await countOf('true'),
      await countOf('1'),
      await countOf('False'),
      await countOf('0'),
    ]).toEqual([0, 0, 1, 1]);
    expect((await admin.get('users/users/?is_valid=perhaps')).body).toEqual({
      is_valid: ['Must be true or false.'],
    });
    expect((await admin.get('perms/asset-permissions/?is_valid=perhaps')).status).toBe(400);
  });

  it('filters accounts by days since the last sign-in or the creation', async () => {
    const seen = await buildUser(test.db);
    const away = await buildUser(test.db);
    await sql`
      update account
      set last_login = now() - interval '91 days', date_joined = now() - interval '1 year'
      where id = ${away.id}`.execute(test.db);
    await sql`
      update account set last_login = null, date_joined = now() - interval '2 days'
      where id = ${seen.id}`.execute(test.db);
    const countOf = async ({ username }: { username: string }, days: string) =>
      (await admin.get<Json[]>(`users/users/?username=${username}&not_seen_days=${days}`)).body
        .length;
    expect([
      await countOf(away, '90'),
      await countOf(away, '92'),
      await countOf(seen, '1'),
      await countOf(seen, '3'),
    ]).toEqual([1, 0, 1, 0]);
    await sql`update account set is_active = false where id = ${away.id}`.execute(test.db);
    expect(await countOf(away, '90')).toBe(0);
    for (const bad of ['0', '-1', 'many', '1e9', '36501'])
      expect((await admin.get(`users/users/?not_seen_days=${bad}`)).status, bad).toBe(400);
  });

  it('hides sign-ins elsewhere of invited users', async () => {
    const organization = await buildOrganization(test.db);
    const guest = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    const own = await signInMember(test, organization, 'Admin');
    await sql`
      update account
      set last_login = now() - interval '91 days', date_joined = now() - interval '1 year',
        home_organization_id = null
      where id = ${guest.id}`.execute(test.db);
    expect((await own.get<Json[]>(`users/users/?username=${guest.username}`)).body).toHaveLength(1);
    expect(
      (await own.get<Json[]>(`users/users/?username=${guest.username}&not_seen_days=90`)).body,
    ).toEqual([]);
  });
});
