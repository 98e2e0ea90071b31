import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  buildAppPermission,
  buildDatabaseApp,
  buildRemoteApp,
} from '../../../testing/app-builders.ts';
import {
  type BuiltUser,
  buildAsset,
  buildGroup,
  buildOrganization,
  buildSystemUser,
  buildUser,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let user: BuiltUser;
let own: Client;
beforeAll(async () => {
  test = await startTestProgram({}, { licensed: false });
  admin = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await bearer(test, user);
});

const RULES = 'perms/database-app-permissions/';

describe('consequences for application permissions', () => {
  interface Answer extends Json {
    readonly consequences: readonly { readonly kind: string; readonly count: number }[];
    readonly access: readonly {
      readonly kind: string;
      readonly target: string;
      readonly people: { readonly count: number; readonly names: readonly string[] };
    }[];
  }
  const question = async (body: Json, client = admin) =>
    (await client.post<Answer>('perms/consequences/', body)).body;
  const ask = async (action: string, resource: string, id: string) => {
    const { consequences, access } = await question({ action, resource, ids: [id] });
    return Object.fromEntries([
      ...consequences.map(({ kind, count }) => [kind, count]),
      ...access.map(({ kind, people }) => [kind, people.count]),
    ]);
  };

  it('counts users who lose access when a permission ends, unless another permission grants the same', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const other = await buildUser(test.db);
    const group = await buildGroup(test.db, [other.id]);
    const both = { apps: [database], systemUsers: [account] };
    const first = await buildAppPermission(test.db, 'database_app', {
      ...both,
      users: [user.id],
      groups: [group],
    });
    const second = await buildAppPermission(test.db, 'database_app', { ...both, users: [user.id] });
    expect(await ask('delete', 'database_app_permission', first)).toEqual({ lost: 1 });
    // The other permission ends at about the same time.
    expect(await ask('disable', 'database_app_permission', second)).not.toHaveProperty('lost');
    expect(await ask('delete', 'database_app', database)).toEqual({
      permissions_naming: 2,
      people_losing: 2,
    });
    await admin.patch(`${RULES}${first}/`, { is_active: false });
    expect(await ask('enable', 'database_app_permission', first)).toMatchObject({ gained: 1 });
    // A system user of another protocol grants no access.
    const useless = await buildAppPermission(test.db, 'database_app', {
      apps: [database],
      users: [user.id],
      systemUsers: [await buildSystemUser(test.db)],
    });
    expect(await ask('delete', 'database_app_permission', useless)).toEqual({});
    expect(
      (
        await own.post('perms/consequences/', {
          action: 'delete',
          resource: 'database_app',
          ids: [database],
        })
      ).status,
    ).toBe(403);
  });

  it('returns gained and lost access of a permission before it is saved, within the organization', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db, { name: 'takings' }),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const terms = {
      action: 'save',
      resource: 'database_app_permission',
      users: [user.id],
      database_apps: [database],
      system_users: [account],
    };
    const [gained] = (await question(terms)).access;
    expect(gained).toMatchObject({
      kind: 'gained',
      target: 'database_app',
      people: { count: 1 },
      assets: { count: 1, names: ['takings'] },
      accesses: 1,
    });
    expect((await question({ ...terms, is_active: false })).access).toEqual([]);
    const rule = await buildAppPermission(test.db, 'database_app', {
      users: [user.id],
      apps: [database],
      systemUsers: [account],
    });
    const changed = await question({ ...terms, ids: [rule], users: [], user_groups: [] });
    expect(changed.access).toMatchObject([{ kind: 'lost', people: { count: 1 } }]);
    const asset = await buildAsset(test.db, { protocols: ['rdp/3389'] });
    const [app, rdp] = [
      await buildRemoteApp(test.db, { asset }),
      await buildSystemUser(test.db, { protocol: 'rdp' }),
    ];
    const remote = await question({
      action: 'save',
      resource: 'remote_app_permission',
      users: [user.id],
      remote_apps: [app],
      system_users: [rdp],
    });
    expect(remote.access).toMatchObject([{ kind: 'gained', target: 'remote_app' }]);
    const organization = await buildOrganization(test.db);
    const boss = await signInMember(test, organization);
    const systemUsers = [await buildSystemUser(test.db, { organization, protocol: 'mysql' })];
    expect((await question({ ...terms, system_users: systemUsers }, boss)).access).toEqual([]);
    expect((await boss.post('perms/consequences/', { ...terms, ids: [rule] })).status).toBe(404);
  });

  it('counts application permissions among the consequences for users, groups and system users', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const group = await buildGroup(test.db, [user.id]);
    await buildAppPermission(test.db, 'database_app', {
      users: [user.id],
      apps: [database],
      systemUsers: [account],
    });
    await buildAppPermission(test.db, 'database_app', {
      groups: [group],
      apps: [database],
      systemUsers: [account],
      isActive: false,
    });
    const inForce = await buildAppPermission(test.db, 'database_app', {
      groups: [group],
      apps: [database],
      systemUsers: [account],
    });
    expect(await ask('delete', 'user', user.id)).toMatchObject({
      app_permissions_naming: 1,
      groups: 1,
    });
    expect(await ask('delete', 'system_user', account)).toEqual({
      app_permissions_naming: 3,
      people_concerned: 1,
    });
    expect(await ask('delete', 'user_group', group)).toMatchObject({
      app_permissions_naming: 2,
      members: 1,
    });
    const other = await buildUser(test.db);
    const joining = await question({
      action: 'add_members',
      resource: 'user_group',
      ids: [group],
      users: [other.id],
    });
    expect(joining.consequences).toMatchObject([{ kind: 'app_permissions_gained', count: 1 }]);
    expect(joining.access).toMatchObject([
      { kind: 'gained', target: 'database_app', people: { count: 1 } },
    ]);
    await admin.delete(`${RULES}${inForce}/`);
    expect(
      (
        await question({
          action: 'add_members',
          resource: 'user_group',
          ids: [group],
          users: [other.id],
        })
      ).access,
    ).toEqual([]);
  });
});
