import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { buildFactor } from '../../testing/second-factors.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, send } from './testing/scene.ts';

let test: TestProgram;
let first: Client;
let second: Client;
let colleague: BuiltUser;
let user: BuiltUser;
let organization: string;
beforeAll(async () => {
  test = await startTestProgram();
  first = await bearer(test);
  colleague = await buildUser(test.db, { role: 'Admin' });
  second = await bearer(test, colleague);
  user = await buildUser(test.db);
  organization = await buildOrganization(test.db);
});
afterAll(() => test.stop());

const path = (id: string) => `users/users/${id}/`;
const roleOf = async (id: string) => (await first.get<Json>(path(id))).body.role;
const adminsOf = async () => (await first.get<Json>(`orgs/orgs/${organization}/`)).body.admins;
const giving = (role: string) =>
  ({ resource: 'user', action: 'change', object: user.id, body: { role } }) as const;
const appointing = (admins: readonly string[]) =>
  ({
    resource: 'organization',
    action: 'change',
    object: organization,
    body: { admins },
  }) as const;
const newUser = (role: string) => {
  const name = unique('person');
  return { name, username: name, email: `${name}@example.com`, role };
};

it('leaves roles free when another organization controls its changes', async () => {
  await buildScene(test);
  const other = await buildUser(test.db);
  expect((await first.patch(path(other.id), { role: 'Auditor' })).status).toBe(200);
});

it('refuses roles, duties and offices by each way once the default organization controls', async () => {
  const on = await first.put<Json>('change-control/', { is_on: true });
  expect(on.status, on.text).toBe(200);
  const person = await buildUser(test.db);
  await buildFactor(test.db, person.id);
  const refused = [
    await first.patch<Json>(path(user.id), { role: 'Admin' }),
    await first.patch<Json>('users/users/', [{ id: user.id, role: 'Auditor' }]),
    await first.patch<Json>(path(colleague.id), { role: 'User' }),
    await first.patch<Json>(path(person.id), { duty: 'system' }),
    await first.post<Json>('users/users/', newUser('Admin')),
    await first.patch<Json>(`orgs/orgs/${organization}/`, { admins: [user.id] }),
    await first.patch<Json>(`orgs/orgs/${organization}/`, { auditors: [user.id] }),
    await first.post<Json>(`orgs/orgs/${organization}/membership/admins/`, { user: user.id }),
  ];
  expect(refused.map(({ status }) => status)).toEqual(Array(8).fill(409));
  for (const { body } of refused) expect(body.code).toBe('change_must_be_proposed');
  const statements = [
    sql`update account set role = 'Admin' where id = ${user.id}`,
    sql`update account set duty = 'audit' where id = ${colleague.id}`,
    sql`insert into organization_member (organization_id, user_id, role)
      values (${organization}, ${user.id}, 'Admin')`,
  ];
  for (const statement of statements)
    await expect(statement.execute(test.db)).rejects.toMatchObject({ code: 'SP001' });
  expect([await roleOf(user.id), await adminsOf()]).toEqual(['User', []]);
});

it('creates, changes, disables and deletes ordinary accounts directly, and adds members', async () => {
  const created = await first.post<Json>('users/users/', newUser('User'));
  expect(created.status, created.text).toBe(201);
  const { id } = created.body as { id: string };
  expect((await first.patch(`orgs/orgs/${organization}/`, { users: [id] })).status).toBe(200);
  expect((await first.patch(path(id), { role: 'User', phone: '1' })).status).toBe(200);
  expect((await first.delete(path(id))).status).toBe(204);
});

it('gives a role by a change set of two administrators, and undo takes it back', async () => {
  const set = await proposed(first, [giving('Admin')]);
  expect(set.changes).toMatchObject([{ resource: 'user', fields: { role: ['User', 'Admin'] } }]);
  expect(await roleOf(user.id)).toBe('User');
  expect((await answer(first, set, 'approve')).status).toBe(403);
  const approved = await answer(second, set, 'approve');
  expect([approved.status, approved.body.state], approved.text).toEqual([200, 'applied']);
  expect(await roleOf(user.id)).toBe('Admin');
  const again = await answer(second, set, 'approve');
  expect([again.status, again.body.code]).toEqual([409, 'change_set_decided']);
  const undo = await first.post<typeof set>(`change-sets/${set.id}/undo/`);
  expect((await answer(second, undo.body, 'approve')).status).toBe(200);
  expect(await roleOf(user.id)).toBe('User');
});

it('creates an administrator with a sealed password, and appoints one of an organization', async () => {
  const body = { ...newUser('Auditor'), password: 'a long enough word 1', password_strategy: 1 };
  const set = await proposed(first, [
    { resource: 'user', action: 'create', body },
    appointing([user.id]),
  ]);
  expect(set.changes).toMatchObject([
    { secrets: ['password'] },
    { resource: 'organization', fields: { admins: [[], [user.id]] } },
  ]);
  expect(JSON.stringify(set)).not.toContain('a long enough word');
  const approved = await answer(second, set, 'approve');
  expect([approved.status, approved.body.state], approved.text).toEqual([200, 'applied']);
  expect(await adminsOf()).toEqual([user.id]);
  const auditors = await first.get<Json[]>(`users/users/?username=${body.username}`);
  expect(auditors.body).toMatchObject([{ role: 'Auditor' }]);
});

it('refuses proposals of other organizations, and a late edit of the account', async () => {
  const set = await proposed(first, [giving('Auditor')]);
  expect((await first.patch(path(user.id), { phone: '23' })).status).toBe(200);
  const late = await answer(second, set, 'approve');
  expect([late.status, late.body.code]).toEqual([409, 'change_set_stale']);
  const elsewhere = await send(first.inOrganization(organization), [giving('Admin')]);
  expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'change_set_settings']);
});

it('keeps administrators from acting as their colleagues', async () => {
  for (const body of [
    { password: 'another long word 1', password_strategy: 1 },
    { email: `${unique('me')}@example.com` },
    { username: unique('me') },
    { source: 'ldap' },
    { mfa_level: 1 },
  ]) {
    const { status, text } = await first.patch<Json>(path(colleague.id), body);
    expect([status, text.includes('Change control is on')], JSON.stringify(body)).toEqual([
      400,
      true,
    ]);
  }
  expect((await first.get(`users/users/${colleague.id}/otp/reset/`)).status).toBe(403);
  expect((await first.patch(path(user.id), { is_active: false })).status).toBe(200);
});
