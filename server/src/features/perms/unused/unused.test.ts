import type { AttentionItem, PermissionUse, UnusedAccess } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
} from '../../../testing/builders.ts';
import type { Client, Page } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { sheetOf, textCell } from '../../../testing/workbook.ts';

let test: TestProgram;
let admin: Client;
let organization: string;
let user: BuiltUser;
let colleague: BuiltUser;
let asset: string;
let systemUser: string;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
// Each test reads the whole report of a separate organization.
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  admin = (await bearer(test)).inOrganization(organization);
  user = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  colleague = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  asset = await buildAsset(test.db, { organization });
  systemUser = await buildSystemUser(test.db, { organization });
});

/** Creates a permission that is this many days old. */
async function oldPermission(
  options: Omit<Parameters<typeof buildPermission>[1], 'organization' | 'systemUsers'>,
  days = 365,
): Promise<string> {
  const id = await buildPermission(test.db, {
    organization,
    systemUsers: [systemUser],
    ...options,
  });
  await sql`update asset_permission
    set date_start = now() - make_interval(days => ${days}),
    date_created = now() - make_interval(days => ${days}) where id = ${id}`.execute(test.db);
  for (const table of ['users', 'user_groups', 'assets', 'nodes'])
    await sql`update ${sql.table(`asset_permission_${table}`)} set date_added = '-infinity'
      where asset_permission_id = ${id}`.execute(test.db);
  return id;
}

const useAsset = (by: BuiltUser, days: number, on = asset) =>
  sql`insert into session (org_id, user_id, asset_id, system_user_id, "user", asset, "system_user",
    date_start)
    values (${organization}, ${by.id}, ${on}, ${systemUser}, 'u', 'a', 's',
      now() - make_interval(days => ${days}))`.execute(test.db);
const report = async (query = '') =>
  (await admin.get<Page<UnusedAccess>>(`perms/access/unused/${query}`)).body;
const about = async (query = '') =>
  (await report(query)).results.map(({ kind, permission, member }) => [kind, permission, member]);

it('reports permissions in force without use in the period, with their last use', async () => {
  const rule = await oldPermission({ users: [user.id], assets: [asset] });
  await oldPermission({ users: [user.id], assets: [asset] }, 40);
  await oldPermission({ users: [user.id], assets: [asset], isActive: false });
  await oldPermission({ users: [user.id], assets: [asset], end: new Date(Date.now() - 3_600_000) });
  expect(await report()).toMatchObject({
    count: 1,
    results: [{ id: rule, kind: 'permission', permission: rule, member: null, last_used: null }],
  });
  expect(await about('?days=30')).toHaveLength(2);

  // Both permissions allow the session.
  await useAsset(user, 100);
  const [row] = (await report()).results;
  expect(row?.last_used).not.toBeNull();
  expect(await about('?days=180')).toEqual([]);
  expect(
    (await admin.get<PermissionUse>(`perms/access/permissions/${rule}/use/`)).body,
  ).toMatchObject({ users: 0, named: 1, days: 90, is_new: false });
  await useAsset(user, 1);
  expect(await report('?days=30')).toMatchObject({ count: 0, results: [] });
  expect(
    (await admin.get<PermissionUse>(`perms/access/permissions/${rule}/use/`)).body,
  ).toMatchObject({ users: 1, named: 1 });
});

it('reports unused users, groups, assets and nodes of a used permission, without recent additions', async () => {
  const created = await admin.post<{ id: string }>(
    `assets/nodes/${await rootNode(test.db, organization)}/children/`,
    { value: 'empty' },
  );
  const node = created.body.id;
  const idle = await buildAsset(test.db, { organization });
  const group = await buildGroup(test.db, [colleague.id], organization);
  const rule = await oldPermission({
    users: [user.id, colleague.id],
    groups: [group],
    assets: [asset, idle],
    nodes: [node],
  });
  await useAsset(user, 3);
  const unused = await about('?order=permission');
  expect(unused.toSorted()).toEqual(
    [
      ['asset', rule, idle],
      ['node', rule, node],
      ['user', rule, colleague.id],
      ['user_group', rule, group],
    ].toSorted(),
  );
  expect(await about('?kind=user_group')).toEqual([['user_group', rule, group]]);
  expect(await about(`?search=${colleague.username}`)).toEqual([['user', rule, colleague.id]]);

  // A user added recently is not reported, and use by a member counts for the group.
  const late = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  expect(
    (
      await admin.post('perms/asset-permissions-users-relations/', [
        { assetpermission: rule, user: late.id },
      ])
    ).status,
  ).toBe(201);
  await useAsset(colleague, 2, idle);
  expect(await about()).toEqual([['node', rule, node]]);
});

it('reports a member again when its removal is undone', async () => {
  const idle = await buildAsset(test.db, { organization });
  const group = await buildGroup(test.db, [colleague.id], organization);
  const rule = await oldPermission({
    users: [user.id, colleague.id],
    groups: [group],
    assets: [asset, idle],
  });
  await useAsset(user, 3);
  const before = await about();
  expect(before).toHaveLength(3);
  for (const [path, field, member] of [
    ['users', 'user', colleague.id],
    ['user-groups', 'usergroup', group],
    ['assets', 'asset', idle],
  ] as const) {
    const pairs = `perms/asset-permissions-${path}-relations/`;
    expect((await admin.delete(`${pairs}?assetpermission=${rule}&${field}=${member}`)).status).toBe(
      204,
    );
    expect(await about()).toHaveLength(2);
    expect((await admin.post(pairs, [{ assetpermission: rule, [field]: member }])).status).toBe(
      201,
    );
    expect(await about()).toEqual(before);
  }
  // The form replaces all members at once.
  const users = async (ids: readonly string[]) =>
    expect((await admin.patch(`perms/asset-permissions/${rule}/`, { users: ids })).status).toBe(
      200,
    );
  await users([user.id]);
  expect(await about()).toHaveLength(2);
  await users([user.id, colleague.id]);
  expect(await about()).toEqual(before);
});

it('pages and orders the report, and exports it as CSV', async () => {
  const rules = [
    await oldPermission({ users: [user.id], assets: [asset] }, 200),
    await oldPermission({ users: [colleague.id], assets: [asset] }, 300),
  ];
  await useAsset(colleague, 120);
  expect(await about('?order=since')).toEqual(
    [rules[1], rules[0]].map((id) => ['permission', id, null]),
  );
  expect(await about('?order=-since')).toEqual(
    [rules[0], rules[1]].map((id) => ['permission', id, null]),
  );
  expect(await about('?order=-last_used&limit=1')).toEqual([['permission', rules[1], null]]);
  expect(await report('?order=last_used&limit=1&offset=1')).toMatchObject({
    count: 2,
    next: null,
    results: [{ permission: rules[1] }],
  });
  const { headers, text } = await admin.send(
    'GET',
    'perms/access/unused/?format=csv&order=last_used',
  );
  expect(headers.get('content-type')).toContain('text/csv');
  expect(text.trim().split('\r\n')).toHaveLength(3);
  expect(text).toMatch(/Never|从未/);
  const sheet = await sheetOf(admin, 'perms/access/unused/?format=xlsx&order=last_used');
  expect(sheet.match(/<row /g)).toHaveLength(3);
  expect(sheet).toContain(textCell('Never'));
});

it('rejects users, other organizations and invalid parameters', async () => {
  const rule = await oldPermission({ users: [user.id], assets: [asset] });
  const elsewhere = (await bearer(test)).inOrganization(await buildOrganization(test.db));
  expect((await elsewhere.get<Page>('perms/access/unused/')).body).toMatchObject({
    count: 0,
    results: [],
  });
  expect((await elsewhere.get(`perms/access/permissions/${rule}/use/`)).status).toBe(404);
  const own = (await bearer(test, user)).inOrganization(organization);
  for (const path of ['perms/access/unused/', `perms/access/permissions/${rule}/use/`])
    expect((await own.get(path)).status).toBe(403);
  for (const [name, value] of Object.entries({ days: '31', kind: 'session', order: 'id' })) {
    const { status, body } = await admin.get(`perms/access/unused/?${name}=${value}`);
    expect([status, Object.keys(body as object)]).toEqual([400, [name]]);
  }
});

it('counts unused permissions on the start page until they are deleted', async () => {
  const rule = await oldPermission({ users: [user.id], assets: [asset] });
  const item = async () =>
    (await admin.get<AttentionItem[]>('common/attention/')).body.find(
      ({ kind }) => kind === 'unused_permissions',
    );
  expect(await item()).toMatchObject({ count: 1, examples: [{ id: rule }] });
  await useAsset(user, 100);
  expect(await item()).toMatchObject({ count: 1, examples: [{ id: rule }] });
  expect((await admin.delete(`perms/asset-permissions/${rule}/`)).status).toBe(204);
  expect(await item()).toBeUndefined();
});

it('stores a session that starts while its permission is deleted', async () => {
  const rule = await oldPermission({ users: [user.id], assets: [asset] });
  let writing: Promise<unknown> | undefined;
  await test.db.transaction(async (tx) => {
    await sql`delete from asset_permission where id = ${rule}`.execute(tx);
    const before = await waiting();
    writing = useAsset(user, 0);
    // It waits for the lock on the permission.
    await expect.poll(waiting).toBeGreaterThan(before);
  });
  await writing;
  expect(
    (await sql`select 1 from session where org_id = ${organization}`.execute(test.db)).rows,
  ).toHaveLength(1);
});

/** Number of database connections that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(test.db);
  return rows[0]?.count ?? 0;
}
