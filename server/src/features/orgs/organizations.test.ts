import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

async function create(body: Json = {}): Promise<string> {
  const {
    status,
    body: row,
    text,
  } = await admin.post('orgs/orgs/', { name: unique('组织'), ...body });
  expect([status, text]).toEqual([201, expect.anything()]);
  return String(row.id);
}

async function rolesIn(organization: string): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select user_id || ' ' || role as line from organization_member
      where organization_id = ${organization} order by 1`.execute(test.db);
  return rows.map(({ line }) => line);
}

const lastEntry = async () =>
  (
    await sql<Json>`select resource_type, resource_id, action, changes from operate_log
      order by sequence desc limit 1`.execute(test.db)
  ).rows[0];

describe('organizations', () => {
  it('creates an organization with members in three roles, in detail but not in lists', async () => {
    const [one, two, three] = [
      await buildUser(test.db),
      await buildUser(test.db),
      await buildUser(test.db),
    ];
    const name = unique('Branch');
    const id = await create({
      name,
      comment: 'a branch',
      users: [one.id],
      admins: [two.id],
      auditors: [three.id],
    });
    const { body } = await admin.get(`orgs/orgs/${id}/`);
    expect(body).toMatchObject({
      id,
      name,
      comment: 'a branch',
      users: [one.id],
      admins: [two.id],
      auditors: [three.id],
    });
    const { body: listed } = await admin.get<Json[]>(`orgs/orgs/?name=${name}`);
    expect(listed).toEqual([expect.not.objectContaining({ users: expect.anything() })]);
    expect(listed).toEqual([
      expect.objectContaining({ users_amount: 1, admins_amount: 1, auditors_amount: 1 }),
    ]);
    expect(await rolesIn(id)).toEqual(
      [`${one.id} User`, `${two.id} Admin`, `${three.id} Auditor`].sort(),
    );
    expect(await lastEntry()).toMatchObject({
      resource_type: 'organization',
      resource_id: id,
      action: 'create',
      changes: { admins: [null, [two.id]] },
    });
  });

  it('shows the roles of members, and filters members by role', async () => {
    const [one, two] = [await buildUser(test.db), await buildUser(test.db, { role: 'Auditor' })];
    const id = await create({ users: [one.id, two.id], admins: [one.id] });
    const inside = admin.inOrganization(id);
    const namesOf = async (caller: Client, query: string) =>
      (await caller.get<Json[]>(`users/users/${query}`)).body.map((row) => row.role_display).sort();
    expect(await namesOf(inside, '')).toEqual(['Organization administrator | User', 'User']);
    expect(await namesOf(inside.with({ 'accept-language': 'zh' }), '?org_role=admins')).toEqual([
      '组织管理员 | 用户',
    ]);
    expect(await namesOf(inside, '?org_role=users')).toHaveLength(2);
    expect(await namesOf(inside, '?org_role=members')).toHaveLength(2);
    expect(await namesOf(inside, '?org_role=auditors')).toEqual([]);
    expect(await namesOf(admin, `?org_role=auditors&id=${two.id}`)).toEqual(['Auditor']);
    expect((await admin.get('users/users/?org_role=constructor')).status).toBe(400);
  });

  it('names the root node after the organization, also after a change of the name', async () => {
    const first = unique('first');
    const id = await create({ name: first });
    const root = await rootNode(test.db, id);
    const nameOfRoot = async () =>
      (await sql<{ value: string }>`select value from node where id = ${root}`.execute(test.db))
        .rows[0]?.value;
    expect(await nameOfRoot()).toBe(first);
    const second = unique('第二');
    expect((await admin.patch(`orgs/orgs/${id}/`, { name: second })).status).toBe(200);
    expect(await nameOfRoot()).toBe(second);
  });

  it.each(['DEFAULT', 'default', 'Root', 'SYSTEM'])(
    'rejects the reserved name %s',
    async (name) => {
      const { status, body } = await admin.post('orgs/orgs/', { name });
      expect([status, body]).toEqual([
        400,
        { name: ['This name is reserved. Choose another one.'] },
      ]);
    },
  );

  it('rejects a name that another organization has', async () => {
    const name = unique('twice');
    const id = await create({ name });
    expect((await admin.post('orgs/orgs/', { name })).body).toEqual({ name: [expect.any(String)] });
    const other = await create();
    expect((await admin.patch(`orgs/orgs/${other}/`, { name })).status).toBe(400);
    expect((await admin.get(`orgs/orgs/${id}/`)).body.name).toBe(name);
  });

  it('changes one role of a member and keeps the other roles', async () => {
    const [person, other] = [await buildUser(test.db), await buildUser(test.db)];
    const id = await create({
      users: [person.id],
      admins: [person.id],
      auditors: [person.id, other.id],
    });
    await admin.patch(`orgs/orgs/${id}/`, { admins: [] });
    expect(await rolesIn(id)).toEqual(
      [`${person.id} User`, `${person.id} Auditor`, `${other.id} Auditor`].sort(),
    );
    expect(await lastEntry()).toMatchObject({
      action: 'update',
      changes: { admins: [[person.id], []] },
    });
    await admin.patch(`orgs/orgs/${id}/`, { users: [other.id], comment: 'changed' });
    expect(await rolesIn(id)).toEqual(
      [`${other.id} User`, `${person.id} Auditor`, `${other.id} Auditor`].sort(),
    );
    await admin.put(`orgs/orgs/${id}/`, { name: unique('put') });
    expect(await rolesIn(id)).toHaveLength(3);
  });

  it('accepts members from anywhere, regardless of the administrator’s current organization', async () => {
    const [here, there] = [await create(), await create()];
    const person = await buildUser(test.db, { memberOf: [{ organization: there, role: 'User' }] });
    const standing = admin.inOrganization(here);
    expect((await standing.patch(`orgs/orgs/${here}/`, { admins: [person.id] })).status).toBe(200);
    expect((await standing.get(`orgs/orgs/${there}/`)).body.users).toEqual([person.id]);
    const invented = crypto.randomUUID();
    const refused = await standing.patch(`orgs/orgs/${here}/`, { admins: [person.id, invented] });
    expect([refused.status, refused.body]).toEqual([
      400,
      { admins: [`Invalid pk "${invented}" - object does not exist.`] },
    ]);
  });

  it('removes a member without a last role from the groups and rules of that organization only', async () => {
    const [id, elsewhere] = [await create(), await create()];
    const person = await buildUser(test.db, {
      memberOf: [
        { organization: id, role: 'User' },
        { organization: id, role: 'Auditor' },
        { organization: elsewhere, role: 'User' },
      ],
    });
    const [group, kept] = [
      await buildGroup(test.db, [person.id], id),
      await buildGroup(test.db, [person.id], elsewhere),
    ];
    const asset = await buildAsset(test.db, { organization: id });
    const systemUser = await buildSystemUser(test.db, { organization: id });
    const rule = await buildPermission(test.db, {
      organization: id,
      users: [person.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    const client = await bearer(test, person);
    const granted = async () => (await client.get<Json[]>('perms/users/assets/')).body.length;
    const inRule = async () =>
      (
        await sql`select 1 from asset_permission_users where asset_permission_id = ${rule}`.execute(
          test.db,
        )
      ).rows.length;

    await admin.patch(`orgs/orgs/${id}/`, { users: [] });
    expect([await inRule(), await granted()]).toEqual([1, 1]);
    expect((await admin.delete(`orgs/orgs/${id}/membership/auditors/${person.id}/`)).status).toBe(
      204,
    );
    expect([await inRule(), await granted()]).toEqual([0, 0]);
    const { rows } = await sql<{
      group: string;
    }>`select user_group_id as group from user_group_users where user_id = ${person.id}`.execute(
      test.db,
    );
    expect([rows, group === kept]).toEqual([[{ group: kept }], false]);
  });
});

it('rejects new organizations without a license, and existing ones keep working', async () => {
  const closed = await startTestProgram({}, { licensed: false });
  try {
    const caller = await bearer(closed);
    const id = await buildOrganization(closed.db);
    const refused = await caller.post('orgs/orgs/', { name: unique('more') });
    expect([refused.status, refused.body.code]).toEqual([403, 'license_required']);
    expect((await caller.patch(`orgs/orgs/${id}/`, { comment: 'still ours' })).status).toBe(200);
    expect((await caller.inOrganization(id).get('assets/assets/')).status).toBe(200);
    expect((await caller.delete(`orgs/orgs/${id}/`)).status).toBe(204);
  } finally {
    await closed.stop();
  }
});

describe('deleting an organization', () => {
  it('rejects deletion of an organization with contents, and lists them in the language of the caller', async () => {
    const id = await create();
    const fill: [string, () => Promise<unknown>, string][] = [
      [
        'members',
        () =>
          sql`insert into organization_member select ${id}::uuid, id, 'User' from account
            where username = 'admin'`.execute(test.db),
        'organization_member',
      ],
      ['user groups', () => buildGroup(test.db, [], id), 'user_group'],
      ['assets', () => buildAsset(test.db, { organization: id }), 'asset'],
      [
        'domains',
        () => sql`insert into domain (org_id, name) values (${id}, 'd')`.execute(test.db),
        'domain',
      ],
      [
        'admin users',
        () => sql`insert into admin_user (org_id, name) values (${id}, 'a')`.execute(test.db),
        'admin_user',
      ],
      ['system users', () => buildSystemUser(test.db, { organization: id }), 'system_account'],
      [
        'labels',
        () =>
          sql`insert into label (org_id, name, value) values (${id}, 'l', 'v')`.execute(test.db),
        'label',
      ],
      [
        'asset permissions',
        () => buildPermission(test.db, { organization: id }),
        'asset_permission',
      ],
    ];
    for (const [what, put, table] of fill) {
      await put();
      const { status, body } = await admin.delete(`orgs/orgs/${id}/`);
      expect([what, status, body.code, body.detail]).toEqual([
        what,
        403,
        'organization_not_empty',
        `The organization still has ${what}. Remove them first.`,
      ]);
      await sql`delete
        from ${sql.table(table)} where
        ${sql.ref(table === 'organization_member' ? 'organization_id' : 'org_id')}::text =
        ${id}`.execute(test.db);
    }
    const chinese = admin.with({ 'accept-language': 'zh' });
    await buildGroup(test.db, [], id);
    expect((await chinese.delete(`orgs/orgs/${id}/`)).body.detail).toBe(
      '组织内包含未删除的资源（用户组），请先删除。',
    );
    await sql`delete from user_group where org_id = ${id}`.execute(test.db);
    expect((await admin.delete(`orgs/orgs/${id}/`)).status).toBe(204);
    expect((await admin.get(`orgs/orgs/${id}/`)).status).toBe(404);
  });

  it('rejects deletion of the current organization', async () => {
    const id = await create();
    expect((await admin.inOrganization(id).delete(`orgs/orgs/${id}/`)).body.code).toBe(
      'organization_current',
    );
  });

  it('deletes the empty tree of the organization as well', async () => {
    const id = await create();
    const inside = admin.inOrganization(id);
    const root = await rootNode(test.db, id);
    const { body: child } = await inside.post(`assets/nodes/${root}/children/`, { value: 'below' });
    await inside.post(`assets/nodes/${child.id}/children/`, { value: 'further below' });
    expect((await admin.delete(`orgs/orgs/${id}/`)).status).toBe(204);
    expect((await sql`select 1 from node where org_id = ${id}`.execute(test.db)).rows).toEqual([]);
  });
});

describe('membership, one by one', () => {
  it.each(['users', 'admins', 'auditors'])('adds, lists, reads and removes %s', async (role) => {
    const id = await create();
    const [one, two] = [await buildUser(test.db), await buildUser(test.db)];
    const url = `orgs/orgs/${id}/membership/${role}/`;
    const single = await admin.post(url, { user: one.id });
    expect([single.status, single.body]).toEqual([
      201,
      expect.objectContaining({ id: expect.any(Number), organization: id, user: one.id }),
    ]);
    const duplicate = await admin.post(url, { user: one.id });
    expect([duplicate.status, duplicate.body]).toEqual([
      400,
      { non_field_errors: [expect.any(String)] },
    ]);
    const both = await admin.post(url, [{ user: two.id }, { user: one.id }]);
    expect([both.status, both.body]).toEqual([
      400,
      [{}, { non_field_errors: [expect.any(String)] }],
    ]);
    expect((await admin.post(url, [{ user: two.id }])).status).toBe(201);
    const { body } = await admin.get<Json[]>(url);
    expect(body.map(({ user }) => user)).toEqual([one.id, two.id]);
    expect(
      (await admin.get<Json[]>(`${url}?order=-id&user__in=${one.id},${two.id}`)).body.map(
        ({ user }) => user,
      ),
    ).toEqual([two.id, one.id]);
    expect(
      (await admin.get(`${url}?format=csv&user=${two.id}`)).text.trim().split('\r\n'),
    ).toHaveLength(2);
    expect((await admin.get(`${url}${one.id}/`)).body).toMatchObject({
      user: one.id,
      user_display: `Name of ${one.username}(${one.username})`,
    });
    expect((await admin.get<Json[]>(`orgs/${id}/users/all/?search=${one.username}`)).body).toEqual([
      { user: one.id, user_display: `Name of ${one.username}(${one.username})` },
    ]);
    expect((await admin.delete(`${url}${one.id}/`)).status).toBe(204);
    expect(await lastEntry()).toMatchObject({
      resource_type: 'organization',
      resource_id: id,
      action: 'update',
      changes: { [role]: [[one.id], []] },
    });
    expect((await admin.delete(`${url}${one.id}/`)).status).toBe(404);
    expect((await admin.get<Json[]>(url)).body).toHaveLength(1);
  });
});

describe('inviting', () => {
  let organization: string;
  let insider: Client;
  beforeAll(async () => {
    organization = await create();
    insider = await signInMember(test, organization);
  });

  it('adds users by exact username or e-mail address in any case, and no others', async () => {
    const [one, two] = [await buildUser(test.db), await buildUser(test.db)];
    const answer = await admin.inOrganization(organization).post<Json[]>('users/users/invite/', {
      accounts: [one.username, `${two.username.toUpperCase()}@Example.com`],
    });
    expect([answer.status, answer.body.map(({ id }) => id).sort()]).toEqual([
      201,
      [one.id, two.id].sort(),
    ]);
    expect((await insider.get(`users/users/${one.id}/`)).status).toBe(200);
    for (const wrong of [one.username.slice(0, -1), '%', `${one.username}@`, 'nobody-at-all']) {
      const { status, body } = await insider.post('users/users/invite/', { accounts: [wrong] });
      expect([wrong, status, body]).toEqual([
        wrong,
        400,
        { accounts: ['No account has exactly this username or email address.'] },
      ]);
    }
    const again = await insider.post('users/users/invite/', {
      accounts: [one.username, 'nobody-at-all'],
    });
    expect(again.body).toEqual([
      { accounts: ['This user is already a member of the organization.'] },
      { accounts: [expect.stringContaining('No account')] },
    ]);
  });

  it('lets only super administrators add administrators and auditors', async () => {
    const person = await buildUser(test.db);
    for (const role of ['Admin', 'Auditor']) {
      expect(
        (await insider.post('users/users/invite/', { accounts: [person.username], role })).status,
      ).toBe(400);
      expect(
        (
          await admin
            .inOrganization(organization)
            .post('users/users/invite/', { accounts: [person.username], role })
        ).status,
      ).toBe(201);
    }
    expect((await rolesIn(organization)).filter((line) => line.startsWith(person.id)).length).toBe(
      2,
    );
    expect(
      (await admin.post('users/users/invite/', { accounts: [person.username] })).body.code,
    ).toBe('invite_outside');
  });

  it('gives no access to rights of invited users in other organizations', async () => {
    const elsewhere = await create();
    const person = await buildUser(test.db, {
      memberOf: [{ organization: elsewhere, role: 'Admin' }],
    });
    await admin
      .inOrganization(organization)
      .post('users/users/invite/', { accounts: [person.username] });
    const { body } = await insider.get(`users/users/${person.id}/`);
    expect([body.can_update, body.can_delete]).toEqual([false, true]);
    expect(
      (await insider.patch(`users/users/${person.id}/`, { email: 'mine@example.com' })).status,
    ).toBe(403);
    expect(
      (await insider.put(`users/users/${person.id}/password/`, { password: 'taken over 1' }))
        .status,
    ).toBe(403);
    // The user is removed from this organization only.
    expect((await insider.delete(`users/users/${person.id}/`)).status).toBe(204);
    expect((await insider.get(`users/users/${person.id}/`)).status).toBe(404);
    expect((await admin.get(`users/users/${person.id}/`)).status).toBe(200);
    expect(await rolesIn(elsewhere)).toEqual([`${person.id} Admin`]);
  });

  it('lets administrators manage accounts created in their organization, unless they administer another one', async () => {
    const { body } = await insider.post('users/users/', {
      name: 'x',
      username: unique('x'),
      email: `${unique('x')}@example.com`,
    });
    expect((await insider.patch(`users/users/${body.id}/`, { comment: 'ours' })).status).toBe(200);
    const elsewhere = await create({ auditors: [body.id] });
    expect(
      (await insider.patch(`users/users/${body.id}/`, { comment: 'still ours?' })).status,
    ).toBe(403);
    await admin.patch(`orgs/orgs/${elsewhere}/`, { auditors: [], users: [body.id] });
    expect((await insider.patch(`users/users/${body.id}/`, { comment: 'ours again' })).status).toBe(
      200,
    );
    const colleague = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
    expect((await insider.delete(`users/users/${colleague.id}/`)).status).toBe(403);
  });
});
