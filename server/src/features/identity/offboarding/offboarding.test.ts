import type { OffboardingPlan, OffboardingResult } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildAppPermission, buildDatabaseApp } from '../../../testing/app-builders.ts';
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
import type { Client, Json } from '../../../testing/client.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const path = ({ id }: { readonly id: string }) => `users/users/${id}/offboarding/`;
const REASON = 'Left the company';

/**
 * Builds a user with a sign-in, two access keys, an SSH key, a group and two permissions, one of
 * them through the group.
 */
async function buildLeaver(organization = '') {
  const user = await buildUser(
    test.db,
    organization ? { memberOf: [{ organization, role: 'User' }] } : {},
  );
  const client = await bearer(test, user);
  await sql`
    insert into access_key (user_id, secret)
    values (${user.id}, 'x'), (${user.id}, 'y')`.execute(test.db);
  await sql`update account set public_key = 'ssh-ed25519 AAAA' where id = ${user.id}`.execute(
    test.db,
  );
  const asset = await buildAsset(test.db, { organization });
  const [direct, through, sameName] = [
    await buildSystemUser(test.db, { organization }),
    await buildSystemUser(test.db, { organization }),
    await buildSystemUser(test.db, { organization }),
  ];
  await sql`update system_account set username_same_with_user = true where id = ${sameName}`.execute(
    test.db,
  );
  const group = await buildGroup(test.db, [user.id], organization);
  const rule = await buildPermission(test.db, {
    organization,
    users: [user.id],
    assets: [asset],
    systemUsers: [direct, sameName],
  });
  const groupRule = await buildPermission(test.db, {
    organization,
    groups: [group],
    assets: [asset],
    systemUsers: [through],
  });
  await sql`
    insert into session (org_id, "user", asset, "system_user", user_id, asset_id, system_user_id)
    values (${organization}, ${user.username}, 'web', 'root', ${user.id}, ${asset},
      ${direct})`.execute(test.db);
  return { user, client, group, rule, groupRule, direct, through };
}

const entriesOf = async (id: string) =>
  (
    await sql<Json>`select action, changes, org_id from operate_log where resource_id = ${id} order by sequence`.execute(
      test.db,
    )
  ).rows;
const linksOf = async ({ id }: BuiltUser) =>
  (
    await sql<{
      groups: number;
      permissions: number;
      keys: number;
      signins: number;
      key: string | null;
      is_active: boolean;
    }>`
      select (select count(*)::int from user_group_users where user_id = t.id) as groups,
        (select count(*)::int from asset_permission_users where user_id = t.id) as permissions,
        (select count(*)::int from access_key where user_id = t.id) as keys,
        (select count(*)::int from web_session where user_id = t.id) as signins,
        public_key as key, is_active from account t where id = ${id}`.execute(test.db)
  ).rows[0];

describe('a user who leaves', () => {
  let leaver: Awaited<ReturnType<typeof buildLeaver>>;
  beforeEach(async () => {
    leaver = await buildLeaver();
  });

  it('lists all access that ends, and the accounts that others share', async () => {
    const { status, body } = await admin.get<OffboardingPlan & Json>(path(leaver.user));
    expect(status).toBe(200);
    expect(body.facts).toEqual({
      sign_ins: 1,
      access_keys: 2,
      public_key: true,
      sessions: { count: 1, names: ['web'] },
      groups: { count: 1, names: [expect.stringContaining('group')] },
      permissions: { count: 1, names: [expect.stringContaining('rule')] },
    });
    expect(body.accounts.map(({ id }) => id)).toEqual([leaver.direct, leaver.through]);
    expect(body.refusals).toEqual({ disable: null, remove: null });
    expect(await linksOf(leaver.user)).toMatchObject({
      groups: 1,
      permissions: 1,
      keys: 2,
      signins: 1,
      is_active: true,
    });
  });

  it('disables the user, removes all access and logs it with the reason in each object', async () => {
    const { status, body } = await admin.post<OffboardingResult & Json>(path(leaver.user), {
      way: 'disable',
      reason: ` ${REASON} `,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      way: 'disable',
      done: {
        sign_ins: 1,
        access_keys: 2,
        public_key: true,
        groups: { count: 1 },
        permissions: { count: 1 },
      },
    });
    expect(body.accounts.map(({ id }) => id)).toEqual([leaver.direct, leaver.through]);
    expect(await linksOf(leaver.user)).toEqual({
      groups: 0,
      permissions: 0,
      keys: 0,
      signins: 0,
      key: null,
      is_active: false,
    });
    expect((await leaver.client.get('users/profile/')).status).toBe(401);
    const own = await entriesOf(leaver.user.id);
    expect(own.at(-1)).toMatchObject({
      action: 'update',
      changes: {
        reason: [null, REASON],
        offboarding: [null, 'disable'],
        sign_ins: [1, 0],
        access_keys: [2, 0],
      },
    });
    for (const id of [leaver.group, leaver.rule])
      expect((await entriesOf(id)).at(-1)).toMatchObject({
        changes: { users: [[leaver.user.id], []] },
      });
    expect(JSON.stringify(own)).not.toContain('AAAA');
  });

  it('keeps links that the request excludes', async () => {
    await admin.post(path(leaver.user), {
      way: 'disable',
      reason: REASON,
      public_key: false,
      groups: false,
      permissions: false,
    });
    expect(await linksOf(leaver.user)).toMatchObject({
      groups: 1,
      permissions: 1,
      keys: 0,
      signins: 0,
      key: 'ssh-ed25519 AAAA',
      is_active: false,
    });
    // The account is disabled already; the remaining links can still be removed.
    const { body } = await admin.post<OffboardingResult & Json>(path(leaver.user), {
      way: 'disable',
      reason: REASON,
    });
    expect(body.done).toMatchObject({ sign_ins: 0, groups: { count: 1 } });
    expect(await linksOf(leaver.user)).toMatchObject({ groups: 0, permissions: 0, key: null });
  });

  it('removes the user from application permissions, with a log entry in each', async () => {
    const account = await buildSystemUser(test.db, { protocol: 'mysql' });
    const rule = await buildAppPermission(test.db, 'database_app', {
      users: [leaver.user.id],
      apps: [await buildDatabaseApp(test.db)],
      systemUsers: [account],
    });
    const { body } = await admin.post<OffboardingResult & Json>(path(leaver.user), {
      way: 'disable',
      reason: REASON,
    });
    expect(body.done).toMatchObject({ permissions: { count: 2 } });
    expect(body.accounts.map(({ id }) => id)).toContain(account);
    expect((await admin.get(`perms/database-app-permissions/${rule}/`)).body).toMatchObject({
      users: [],
    });
    expect((await entriesOf(rule)).map(({ action }) => action)).toContain('update');
  });

  it('deletes the user with all links', async () => {
    const { body } = await admin.post<OffboardingResult & Json>(path(leaver.user), {
      way: 'remove',
      reason: REASON,
      groups: false,
    });
    expect(body).toMatchObject({
      way: 'remove',
      done: { access_keys: 2, groups: { count: 1 }, permissions: { count: 1 } },
    });
    expect(await linksOf(leaver.user)).toBeUndefined();
    expect((await entriesOf(leaver.user.id)).map(({ action }) => action)).toEqual([
      'delete',
      'update',
    ]);
    expect((await admin.get(path(leaver.user))).status).toBe(404);
  });

  it.each([
    [{ way: 'disable' }, 'reason'],
    [{ way: 'disable', reason: '   ' }, 'reason'],
    [{ way: 'disable', reason: 'x'.repeat(201) }, 'reason'],
    [{ way: 'disable', reason: 'two\nlines' }, 'reason'],
    [{ way: 'archive', reason: REASON }, 'way'],
    [{ way: 'disable', reason: REASON, groups: 'some' }, 'groups'],
  ])('rejects %j with the name of the field and changes nothing', async (body, field) => {
    const answer = await admin.post<Json>(path(leaver.user), body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
    expect(await linksOf(leaver.user)).toMatchObject({
      groups: 1,
      permissions: 1,
      keys: 2,
      is_active: true,
    });
  });
});

describe('the rights of the caller', () => {
  it('rejects offboarding of the own account and the first administrator', async () => {
    const { body: me } = await admin.get<{ id: string } & Json>('users/profile/');
    expect((await admin.get(path(me))).status).toBe(403);
    expect((await admin.post(path(me), { way: 'disable', reason: REASON })).status).toBe(403);
    const second = await buildUser(test.db, { role: 'Admin' });
    const other = await bearer(test, second);
    expect((await other.post(path(me), { way: 'remove', reason: REASON })).status).toBe(403);
    expect((await other.post(path(second), { way: 'disable', reason: REASON })).status).toBe(403);
  });

  it('limits organization administrators to links in their organization', async () => {
    const organization = await buildOrganization(test.db);
    const other = await buildOrganization(test.db);
    await rootNode(test.db, organization);
    const boss = await signInMember(test, organization);
    const leaver = await buildLeaver(organization);
    await sql`
      insert into organization_member (organization_id, user_id, role)
      values (${other}, ${leaver.user.id}, 'User')`.execute(test.db);
    const elsewhere = await buildGroup(test.db, [leaver.user.id], other);
    // An organization cannot disable an account that is a member of another one.
    const { body } = await boss.get<OffboardingPlan & Json>(path(leaver.user));
    expect(body.refusals.disable).not.toBeNull();
    expect(body.facts).toMatchObject({
      sign_ins: null,
      access_keys: null,
      public_key: false,
      groups: { count: 1 },
    });
    expect((await boss.post(path(leaver.user), { way: 'disable', reason: REASON })).status).toBe(
      403,
    );
    const done = await boss.post<OffboardingResult & Json>(path(leaver.user), {
      way: 'remove',
      reason: REASON,
    });
    expect(done.body.done).toMatchObject({
      sign_ins: 0,
      access_keys: 0,
      public_key: false,
      groups: { count: 1 },
      permissions: { count: 1 },
    });
    expect(await linksOf(leaver.user)).toMatchObject({ groups: 1, keys: 2, is_active: true });
    expect(
      (
        await sql`select 1 from user_group_users where user_group_id = ${elsewhere}`.execute(
          test.db,
        )
      ).rows,
    ).toHaveLength(1);
    expect((await boss.get(path(leaver.user))).status).toBe(404);
  });

  it('reaches all organizations for administrators of the installation and logs in each', async () => {
    const organization = await buildOrganization(test.db);
    const leaver = await buildLeaver(organization);
    const { body } = await admin.post<OffboardingResult & Json>(path(leaver.user), {
      way: 'disable',
      reason: REASON,
    });
    expect(body.done).toMatchObject({ groups: { count: 1 }, permissions: { count: 1 } });
    expect(body.accounts[0]?.organization).not.toBe('');
    expect(await linksOf(leaver.user)).toMatchObject({
      groups: 0,
      permissions: 0,
      is_active: false,
    });
    expect((await entriesOf(leaver.group)).at(-1)).toMatchObject({ org_id: organization });
  });

  it('rejects users, auditors and administrators of other organizations', async () => {
    const leaver = await buildLeaver();
    const organization = await buildOrganization(test.db);
    for (const role of ['User', 'Auditor'] as const) {
      const client = await signInMember(test, organization, role);
      expect(
        (await client.post(path(leaver.user), { way: 'disable', reason: REASON })).status,
      ).toBe(403);
    }
    expect(
      (
        await (
          await signInMember(test, organization)
        ).post(path(leaver.user), { way: 'disable', reason: REASON })
      ).status,
    ).toBe(404);
  });
});
