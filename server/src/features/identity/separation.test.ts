import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let installation: Client;
beforeAll(async () => {
  test = await startTestProgram();
  installation = await bearer(test);
});
afterAll(() => test.stop());

let here: string;
let there: string;
let me: BuiltUser;
let admin: Client;
beforeEach(async () => {
  here = await buildOrganization(test.db);
  there = await buildOrganization(test.db);
  me = await buildUser(test.db, { memberOf: [{ organization: here, role: 'Admin' }] });
  admin = (await bearer(test, me)).inOrganization(here);
});

const stored = async (id: string) =>
  (
    await sql<Json>`
      select username, email, name, source, is_active, date_expired, mfa_level, password
      from account where id = ${id}`.execute(test.db)
  ).rows[0];
const user = (id: string) => `users/users/${id}/`;

/** All ways in which a request changes an account. */
const WAYS: readonly (readonly [
  string,
  (client: Client, id: string, changes: Json) => Promise<{ status: number; text: string }>,
])[] = [
  ['PATCH', (client, id, changes) => client.patch(user(id), changes)],
  [
    'PUT',
    async (client, id, changes) =>
      client.put(user(id), { ...(await client.get(user(id))).body, ...changes }),
  ],
  ['batch', (client, id, changes) => client.patch('users/users/', [{ id, ...changes }])],
];

describe('an account that belongs to two organizations', () => {
  it.each(WAYS)(
    'rejects identity changes of a shared account by an administrator of one organization: %s',
    async (_way, send) => {
      const shared = await buildUser(test.db, {
        memberOf: [
          { organization: here, role: 'User' },
          { organization: there, role: 'User' },
        ],
      });
      const before = await stored(shared.id);
      for (const changes of [
        { username: 'root' },
        { password: 'taken over 1' },
        { email: 'mine@example.com' },
        { name: 'root' },
        { is_active: false },
        { mfa_level: 2 },
      ]) {
        const { status, text } = await send(admin, shared.id, changes);
        expect([status, text]).toEqual([
          400,
          expect.stringContaining('belongs to more than one organization'),
        ]);
      }
      expect(await stored(shared.id)).toEqual(before);
      expect(
        (await installation.patch(user(shared.id), { username: unique('renamed') })).status,
      ).toBe(200);
    },
  );

  it('accepts the description of a shared account and lists the possible changes', async () => {
    const shared = await buildUser(test.db, {
      memberOf: [
        { organization: here, role: 'User' },
        { organization: there, role: 'User' },
      ],
    });
    expect((await admin.patch(user(shared.id), { comment: 'x' })).status).toBe(200);
    expect((await admin.get(user(shared.id))).body).toMatchObject({
      can_update: true,
      can_delete: true,
      abilities: ['describe', 'groups', 'unblock', 'remove'],
      refusals: {
        email: expect.stringContaining('belongs to more than one organization'),
        role: expect.stringContaining('administrators of the installation'),
      },
    });
    expect(
      (await admin.with({ 'accept-language': 'zh' }).get<{ refusals: Json }>(user(shared.id))).body
        .refusals.email,
    ).toContain('多个组织');
    expect(
      (await admin.put(`${user(shared.id)}password/`, { password: 'taken over 1' })).status,
    ).toBe(400);
    expect((await admin.get(`${user(shared.id)}otp/reset/`)).status).toBe(403);
    expect((await admin.get(`${user(shared.id)}sign-ins/`)).status).toBe(403);
  });
});

describe('an administrator’s own account', () => {
  it.each(WAYS)('rejects changes of the own identity by %s', async (_way, send) => {
    await sql`update account set date_expired = '2099-01-01' where id = ${me.id}`.execute(test.db);
    const before = await stored(me.id);
    for (const changes of [
      { username: 'root' },
      { email: 'attacker@example.com' },
      { name: 'X' },
      { date_expired: '2199-01-01 00:00:00 +0000' },
      { mfa_level: 1 },
    ])
      expect([changes, (await send(admin, me.id, changes)).status]).toEqual([changes, 400]);
    expect(await stored(me.id)).toEqual(before);
    expect((await send(admin, me.id, { comment: 'mine' })).status).toBe(200);
  });

  it('rejects changes of the own identity for administrators of the installation', async () => {
    const boss = await buildUser(test.db, { role: 'Admin' });
    const client = await bearer(test, boss);
    for (const changes of [
      { username: 'root' },
      { email: 'attacker@example.com' },
      { date_expired: '2199-01-01 00:00:00 +0000' },
    ])
      expect([changes, (await client.patch(user(boss.id), changes)).status]).toEqual([
        changes,
        400,
      ]);
  });

  it('changes name and address on the profile page with the password', async () => {
    const email = `${unique('mail')}@example.com`;
    expect((await admin.get<{ own_changes: string[] }>('users/profile/')).body.own_changes).toEqual(
      ['name', 'email'],
    );
    for (const password of [undefined, 'wrong']) {
      const refused = await admin.patch('users/profile/', { email, password });
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['password']]);
    }
    expect(
      (await admin.patch('users/profile/', { email, name: 'New name', password: me.password }))
        .body,
    ).toMatchObject({ email, name: 'New name' });
    // Only another administrator may change an administrator's own expiry.
    await admin.patch('users/profile/', {
      date_expired: '2199-01-01 00:00:00 +0000',
      password: me.password,
    });
    expect((await stored(me.id))?.date_expired).toBeNull();
    const { rows } = await sql<{
      changes: Json;
    }>`select changes from operate_log where resource_id = ${me.id} order by sequence desc limit 1`.execute(
      test.db,
    );
    expect(Object.keys(rows[0]?.changes ?? {}).sort()).toEqual(['email', 'name']);
  });

  it('changes the own expiry of an installation administrator there and rejects an address in use', async () => {
    const boss = await buildUser(test.db, { role: 'Admin' });
    const client = (await bearer(test, boss)).with({ 'x-tz': 'UTC' });
    const date_expired = '2199-01-01 00:00:00 +0000';
    expect((await client.patch('users/profile/', { date_expired })).status).toBe(400);
    expect(
      (await client.patch('users/profile/', { date_expired, password: boss.password })).body,
    ).toMatchObject({ date_expired });
    const taken = await client.patch('users/profile/', {
      email: `${me.username.toUpperCase()}@example.com`,
      password: boss.password,
    });
    expect([taken.status, Object.keys(taken.body)]).toEqual([400, ['email']]);
  });

  it('requires no password for an unchanged profile', async () => {
    expect(
      (await admin.put('users/profile/', (await admin.get('users/profile/')).body)).status,
    ).toBe(200);
  });
});

describe('colleagues and auditors of an organization', () => {
  it.each(['Admin', 'Auditor'] as const)(
    'rejects every change of a colleague who is %s',
    async (role) => {
      const colleague = await buildUser(test.db, { memberOf: [{ organization: here, role }] });
      const client = await bearer(test, colleague);
      const before = await stored(colleague.id);
      for (const [method, path, sent] of [
        ['PATCH', '', { is_active: false }],
        ['PATCH', '', { comment: 'x' }],
        ['PUT', 'password/', { password: 'taken over 1' }],
        ['PUT', 'password/reset/', {}],
        ['PUT', 'pubkey/reset/', {}],
        ['GET', 'otp/reset/', undefined],
        ['PATCH', 'unblock/', {}],
        ['GET', 'sign-ins/', undefined],
        ['DELETE', 'sign-ins/', undefined],
        ['DELETE', '', undefined],
      ] as const)
        expect([
          method,
          path,
          (await admin.request(method, `${user(colleague.id)}${path}`, sent)).status,
        ]).toEqual([method, path, 403]);
      expect((await admin.get(user(colleague.id))).body).toMatchObject({
        can_update: false,
        can_delete: false,
        abilities: [],
      });
      expect(await stored(colleague.id)).toEqual(before);
      expect((await client.get('users/profile/')).status).toBe(200);
      expect(
        (await installation.inOrganization(here).patch(user(colleague.id), { comment: 'x' }))
          .status,
      ).toBe(200);
    },
  );
});

describe('accounts of directories and providers', () => {
  const body = (changes: Json): Json => {
    const username = unique('ceo');
    return { name: 'CEO', username, email: `${username}@example.com`, ...changes };
  };

  it.each(['ldap', 'openid', 'radius', 'saml', 'cas'])(
    'rejects a new external account by an organization administrator: %s',
    async (source) => {
      const refused = await admin.post('users/users/', body({ source }));
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['source']]);
      const many = await admin.post('users/users/', [body({ source })]);
      expect([many.status, many.text]).toEqual([400, expect.stringContaining('source')]);
      expect((await installation.post('users/users/', body({ source }))).status).toBe(201);
    },
  );

  it.each(['ldap', 'openid'])('keeps the identity of an account from %s', async (source) => {
    const person = await buildUser(test.db, { memberOf: [{ organization: here, role: 'User' }] });
    await sql`update account set source = ${source} where id = ${person.id}`.execute(test.db);
    const before = await stored(person.id);
    for (const changes of [
      { source: 'local' },
      { source: 'local', password: 'taken over 1' },
      { username: 'x' },
      { email: 'x@example.com' },
    ])
      expect([changes, (await admin.patch(user(person.id), changes)).status]).toEqual([
        changes,
        400,
      ]);
    expect(await stored(person.id)).toEqual(before);
    expect((await admin.patch(user(person.id), { is_active: false })).status).toBe(200);
  });

  it('keeps a local account local', async () => {
    const person = await buildUser(test.db, { memberOf: [{ organization: here, role: 'User' }] });
    expect((await admin.patch(user(person.id), { source: 'ldap' })).status).toBe(400);
  });

  it('rejects an external account in a CSV file', async () => {
    const { username, email } = body({}) as { username: string; email: string };
    const file = `name,username,email,source\nCEO,${username},${email},ldap\n`;
    const answer = await admin.send('POST', 'users/users/', file, 'text/csv');
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('source')]);
  });
});

describe('the first administrator', () => {
  it('keeps source and expiry of the first administrator', async () => {
    const second = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    const id = String((await installation.get('users/profile/')).body.id);
    for (const changes of [
      { source: 'ldap' },
      { source: 'openid' },
      { date_expired: '2035-01-01 00:00:00 +0000' },
    ])
      expect([changes, (await second.patch(user(id), changes)).status]).toEqual([changes, 400]);
    expect((await stored(id))?.source).toBe('local');
  });

  it('accepts enabling the first administrator again', async () => {
    const second = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    const id = String((await installation.get('users/profile/')).body.id);
    await sql`
      update account set is_active = false, date_expired = '2020-01-01'
      where id = ${id}`.execute(test.db);
    expect((await second.patch(user(id), { is_active: true, date_expired: null })).status).toBe(
      200,
    );
    installation = await bearer(test);
  });
});
