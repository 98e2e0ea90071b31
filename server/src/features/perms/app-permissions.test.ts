import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  buildAppPermission,
  buildDatabaseApp,
  buildRemoteApp,
} from '../../testing/app-builders.ts';
import {
  type BuiltUser,
  buildAsset,
  buildGroup,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { importLicense } from '../../testing/license.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

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
const namesOf = (rows: Json[]) => rows.map(({ name }) => name);
const idsOf = (rows: Json[]) => rows.map(({ id }) => id);

describe('a permission about databases', () => {
  it('is created, read with its counts and first names, changed, found and deleted', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db, { name: 'ledger' }),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const group = await buildGroup(test.db, [user.id]);
    const body = {
      name: unique('rule'),
      users: [user.id],
      user_groups: [group],
      database_apps: [database],
      system_users: [account],
    };
    const made = await admin.post(RULES, body);
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        ...body,
        is_active: true,
        is_valid: true,
        users_amount: 1,
        user_groups_amount: 1,
        database_apps_amount: 1,
        system_users_amount: 1,
      },
    ]);
    expect(made.body.first_names).toMatchObject({
      users: { id: user.id },
      database_apps: { id: database, name: 'ledger' },
      system_users: { id: account },
    });
    const url = `${RULES}${made.body.id}/`;
    expect((await admin.patch(url, { is_active: false })).body).toMatchObject({
      is_active: false,
      is_valid: false,
    });
    const refused = await admin.patch(url, { system_users: [] });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['system_users']]);
    const dates = await admin.patch(url, { date_expired: '2001-01-01T00:00:00Z' });
    expect([dates.status, Object.keys(dates.body)]).toEqual([400, ['date_expired']]);
    const batch = await admin.patch<Json[]>(RULES, [{ id: made.body.id, comment: 'together' }]);
    expect(batch.body).toMatchObject([{ comment: 'together' }]);
    expect((await admin.delete(url)).status).toBe(204);
    expect((await admin.get(url)).status).toBe(404);
  });

  it('is listed by what it says and whom it names, with inheritance by groups unless that is left out', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const group = await buildGroup(test.db, [user.id]);
    const direct = await buildAppPermission(test.db, 'database_app', {
      users: [user.id],
      apps: [database],
      systemUsers: [account],
    });
    const inherited = await buildAppPermission(test.db, 'database_app', {
      groups: [group],
      systemUsers: [account],
      end: new Date(Date.now() - 1_000),
    });
    const found = async (query: string) =>
      new Set(idsOf((await admin.get<Json[]>(`${RULES}?${query}`)).body));
    expect(await found(`user_id=${user.id}`)).toEqual(new Set([direct, inherited]));
    expect(await found(`user_id=${user.id}&all=0`)).toEqual(new Set([direct]));
    expect(await found(`username=${user.username}&is_valid=0`)).toEqual(new Set([inherited]));
    expect(await found(`user_group_id=${group}`)).toEqual(new Set([inherited]));
    expect(await found(`system_user_id=${account}&is_valid=1`)).toEqual(new Set([direct]));
    expect(await found(`database_app_id=${database}`)).toEqual(new Set([direct]));
    expect(await found('database_app_id=x')).toEqual(new Set());
    expect((await admin.get(`${RULES}?is_valid=perhaps`)).status).toBe(400);
  });

  it('shows whom and what it names, and by which group', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const other = await buildUser(test.db);
    const group = await buildGroup(test.db, [other.id]);
    const rule = await buildAppPermission(test.db, 'database_app', {
      users: [user.id],
      groups: [group],
      apps: [database],
      systemUsers: [account],
    });
    const people = (await admin.get<Json[]>(`${RULES}${rule}/users/all/`)).body;
    expect(people.find((row) => row.user === user.id)).toMatchObject({ direct: true, through: [] });
    expect(people.find((row) => row.user === other.id)).toMatchObject({
      direct: false,
      through: [{ id: group }],
    });
    expect(
      (await admin.get<Page>(`${RULES}${rule}/users/all/?limit=1&search=${other.username}`)).body,
    ).toMatchObject({
      count: 1,
      results: [{ user: other.id }],
    });
    expect((await admin.get(`${RULES}${rule}/database-apps/all/`)).body).toMatchObject([
      { databaseapp: database, direct: true },
    ]);
  });

  it('goes with what it names: users, groups, databases and system users', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const rule = await buildAppPermission(test.db, 'database_app', {
      users: [user.id],
      apps: [database],
      systemUsers: [account],
    });
    for (const path of [
      `applications/database-apps/${database}/`,
      `assets/system-users/${account}/`,
      `users/users/${user.id}/`,
    ])
      expect([path, (await admin.delete(path)).status]).toEqual([path, 204]);
    expect((await admin.get(`${RULES}${rule}/`)).body).toMatchObject({
      users: [],
      database_apps: [],
      system_users: [],
    });
  });
});

describe('a user who is granted databases', () => {
  it('sees them, as a list and a tree, with the system users that fit, and nothing when the permission ends', async () => {
    const [shop, books] = [
      await buildDatabaseApp(test.db, { name: 'shop' }),
      await buildDatabaseApp(test.db, { name: 'books', type: 'postgresql' }),
    ];
    await buildDatabaseApp(test.db, { name: 'secret' });
    const [mysql, postgres, low] = [
      await buildSystemUser(test.db, { protocol: 'mysql', priority: 30 }),
      await buildSystemUser(test.db, { protocol: 'postgresql' }),
      await buildSystemUser(test.db, { protocol: 'mysql', priority: 5 }),
    ];
    const rule = await buildAppPermission(test.db, 'database_app', {
      users: [user.id],
      apps: [shop, books],
      systemUsers: [mysql, postgres, low],
    });
    const list = (await own.get<Json[]>('perms/users/database-apps/')).body;
    expect(namesOf(list)).toEqual(['books', 'shop']);
    expect(list[1]).toMatchObject({
      type: 'mysql',
      get_type_display: 'MySQL',
      host: 'db.example.com',
      port: 3306,
      org_name: 'DEFAULT',
    });
    // What only administrators need is not in it.
    for (const name of ['domain', 'tls', 'ca_certificate'])
      expect(list[1]).not.toHaveProperty(name);
    expect(
      (await own.get<Page>('perms/users/database-apps/?limit=1&search=sho')).body,
    ).toMatchObject({ count: 1, results: [{ id: shop }] });
    expect(
      idsOf((await own.get<Json[]>('perms/users/database-apps/?type=postgresql')).body),
    ).toEqual([books]);
    // By descending priority, and only those of the database's protocol.
    const accounts = (await own.get<Json[]>(`perms/users/database-apps/${shop}/system-users/`))
      .body;
    expect(accounts.map(({ id, protocol }) => [id, protocol])).toEqual([
      [mysql, 'mysql'],
      [low, 'mysql'],
    ]);
    expect(Object.keys(accounts[0] ?? {})).toEqual([
      'id',
      'name',
      'username',
      'priority',
      'protocol',
      'login_mode',
    ]);
    expect((await own.get('perms/users/database-apps/tree/')).body).toMatchObject([
      { id: 'ID_DATABASE_APP_ROOT', pId: '', isParent: true, meta: { type: 'database_app' } },
      { id: books, name: 'books', title: 'books', pId: 'ID_DATABASE_APP_ROOT', isParent: false },
      { id: shop },
    ]);
    expect((await own.get(`perms/users/database-apps/tree/?only=1&id=${shop}`)).body).toMatchObject(
      [{ id: shop, pId: '' }],
    );

    const validate = (client: Client, account: string, who = '') =>
      client.get<Json>(
        `perms/database-app-permissions/user/validate/?database_app_id=${shop}&system_user_id=${account}${who}`,
      );
    expect([(await validate(own, mysql)).status, (await validate(own, mysql)).body]).toEqual([
      200,
      { msg: true, rules: [rule] },
    ]);
    expect([
      (await validate(own, postgres)).status,
      (await validate(own, postgres)).body,
    ]).toMatchObject([403, { msg: false, code: 'app_not_granted' }]);
    expect((await validate(admin, mysql, `&user_id=${user.id}`)).status).toBe(200);
    const stranger = await bearer(test, await buildUser(test.db));
    expect((await validate(stranger, mysql, `&user_id=${user.id}`)).status).toBe(403);

    await admin.patch(`${RULES}${rule}/`, { is_active: false });
    expect((await own.get('perms/users/database-apps/')).body).toEqual([]);
    expect((await own.get(`perms/users/database-apps/${shop}/system-users/`)).body).toEqual([]);
    expect((await validate(own, mysql)).status).toBe(403);
  });

  it('marks favorites: what is granted only, each for oneself, and lists them alone', async () => {
    const [shop, books, secret] = [
      await buildDatabaseApp(test.db),
      await buildDatabaseApp(test.db),
      await buildDatabaseApp(test.db),
    ];
    const systemUsers = [await buildSystemUser(test.db, { protocol: 'mysql' })];
    await buildAppPermission(test.db, 'database_app', {
      users: [user.id],
      apps: [shop, books],
      systemUsers,
    });
    const url = 'applications/favorite-database-apps/';
    for (let times = 0; times < 2; times++)
      expect((await own.post(url, { database_app: shop })).status).toBe(201);
    const refused = await own.post(url, { database_app: secret });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['database_app']]);
    expect((await own.get(url)).body).toEqual([{ database_app: shop }]);
    const listed = async (client: Client, value: string) =>
      idsOf((await client.get<Json[]>(`perms/users/database-apps/?favorite=${value}`)).body);
    expect([await listed(own, '1'), await listed(own, '0')]).toEqual([[shop], [books]]);
    expect((await own.get('perms/users/database-apps/?favorite=perhaps')).status).toBe(400);
    const other = await buildUser(test.db);
    await buildAppPermission(test.db, 'database_app', {
      users: [other.id],
      apps: [shop],
      systemUsers,
    });
    const client = await bearer(test, other);
    expect([(await client.get(url)).body, await listed(client, '1')]).toEqual([[], []]);
    expect((await client.delete(`${url}?database_app=${shop}`)).status).toBe(204);
    expect((await own.get(url)).body).toEqual([{ database_app: shop }]);
    expect((await own.delete(`${url}?database_app=${shop}`)).status).toBe(204);
    expect([(await own.get(url)).body, (await own.delete(`${url}?database_app=x`)).status]).toEqual(
      [[], 404],
    );
    const [app, rdp] = [
      await buildRemoteApp(test.db, {
        asset: await buildAsset(test.db, { protocols: ['rdp/3389'] }),
      }),
      await buildSystemUser(test.db, { protocol: 'rdp' }),
    ];
    await buildAppPermission(test.db, 'remote_app', {
      users: [user.id],
      apps: [app],
      systemUsers: [rdp],
    });
    expect((await own.post('applications/favorite-remote-apps/', { remote_app: app })).status).toBe(
      201,
    );
    expect(idsOf((await own.get<Json[]>('perms/users/remote-apps/?favorite=1')).body)).toEqual([
      app,
    ]);
  });

  it('sees those of all organizations, while an administrator sees those of the own organization only', async () => {
    const [here, there] = [await buildOrganization(test.db), await buildOrganization(test.db)];
    const member = await buildUser(test.db, {
      memberOf: [here, there].map((organization) => ({ organization, role: 'User' as const })),
    });
    const insider = await signInMember(test, here);
    const grant = async (organization: string) => {
      const app = await buildDatabaseApp(test.db, { organization });
      const systemUsers = [await buildSystemUser(test.db, { organization, protocol: 'mysql' })];
      await buildAppPermission(test.db, 'database_app', {
        organization,
        users: [member.id],
        apps: [app],
        systemUsers,
      });
      return app;
    };
    const apps = [await grant(here), await grant(there)];
    const client = (await bearer(test, member)).inOrganization(here);
    expect(new Set(idsOf((await client.get<Json[]>('perms/users/database-apps/')).body))).toEqual(
      new Set(apps),
    );
    expect(
      idsOf((await insider.get<Json[]>(`perms/users/${member.id}/database-apps/`)).body),
    ).toEqual([apps[0]]);
    // Who leaves an organization leaves its permissions.
    expect((await insider.delete(`users/users/${member.id}/`)).status).toBe(204);
    expect(
      idsOf((await client.inOrganization(there).get<Json[]>('perms/users/database-apps/')).body),
    ).toEqual([apps[1]]);
  });

  it('by a group: what it gives to its members is shown of it', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const group = await buildGroup(test.db, [user.id]);
    await buildAppPermission(test.db, 'database_app', {
      groups: [group],
      apps: [database],
      systemUsers: [account],
    });
    expect(
      idsOf((await admin.get<Json[]>(`perms/user-groups/${group}/database-apps/`)).body),
    ).toEqual([database]);
    expect(
      idsOf(
        (
          await admin.get<Json[]>(
            `perms/user-groups/${group}/database-apps/${database}/system-users/`,
          )
        ).body,
      ),
    ).toEqual([account]);
    expect((await own.get(`perms/user-groups/${group}/database-apps/`)).status).toBe(403);
    expect((await own.get(`perms/users/${user.id}/database-apps/`)).status).toBe(403);
  });
});

describe('who can use an application', () => {
  it('is explained, with what is in the way of others', async () => {
    const [database, account] = [
      await buildDatabaseApp(test.db),
      await buildSystemUser(test.db, { protocol: 'mysql' }),
    ];
    const wrong = await buildSystemUser(test.db, { protocol: 'redis' });
    const other = await buildUser(test.db);
    const group = await buildGroup(test.db, [user.id]);
    const rule = await buildAppPermission(test.db, 'database_app', {
      groups: [group],
      apps: [database],
      systemUsers: [account],
    });
    const near = await buildAppPermission(test.db, 'database_app', {
      users: [other.id],
      apps: [database],
      systemUsers: [wrong],
    });
    const { body } = await admin.get<Page>(`perms/access/database-apps/${database}/users/`);
    expect(body).toMatchObject({
      count: 1,
      results: [
        {
          id: user.id,
          accounts: [
            {
              id: account,
              actions: ['all', 'connect', 'upload_file', 'download_file', 'updownload'],
            },
          ],
          paths: [{ permission: { id: rule }, group: { id: group }, node: null }],
        },
      ],
    });
    const check = async (who: string) =>
      (await admin.get(`perms/access/database-apps/check/?user=${who}&database_app=${database}`))
        .body;
    expect(await check(user.id)).toMatchObject({
      granted: true,
      access: { accounts: [{ id: account }] },
    });
    expect(await check(other.id)).toMatchObject({
      granted: false,
      general: [],
      near: [{ permission: { id: near }, obstacles: ['protocol'] }, { obstacles: ['user'] }],
    });
    expect(
      (await admin.get(`perms/access/database-apps/${database}/users/?format=csv`)).text,
    ).toContain(user.username);
  });
});

describe('what follows', () => {
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

  it('from the end of a permission is shown before: who loses something that no other permission gives', async () => {
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
    // Nobody could use it as a system user of another protocol.
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

  it('from saving a permission is shown before: what it opens, and nothing of another organization', async () => {
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

  it('from changes of users, groups and system users counts permissions about applications', async () => {
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

describe('remote apps', () => {
  const REMOTE = 'perms/remote-app-permissions/';

  it('need a license for new permissions', async () => {
    const body = {
      name: unique('rule'),
      system_users: [await buildSystemUser(test.db, { protocol: 'rdp' })],
    };
    expect((await admin.post(REMOTE, body)).body.code).toBe('license_required');
    await importLicense(admin);
    expect((await admin.post(REMOTE, body)).status).toBe(201);
  });

  it('are granted while their server is active and offers remote desktops', async () => {
    const asset = await buildAsset(test.db, { protocols: ['rdp/3389'] });
    const [app, account] = [
      await buildRemoteApp(test.db, { asset }),
      await buildSystemUser(test.db, { protocol: 'rdp' }),
    ];
    await buildAppPermission(test.db, 'remote_app', {
      users: [user.id],
      apps: [app],
      systemUsers: [account],
    });
    const granted = async () => idsOf((await own.get<Json[]>('perms/users/remote-apps/')).body);
    const accounts = async () =>
      idsOf((await own.get<Json[]>(`perms/users/remote-apps/${app}/system-users/`)).body);
    expect([await granted(), await accounts()]).toEqual([[app], [account]]);
    expect((await own.get('perms/users/remote-apps/tree/')).body).toMatchObject([
      { id: 'ID_REMOTE_APP_ROOT' },
      { id: app, meta: { type: 'remote_app' } },
    ]);
    await admin.patch(`assets/assets/${asset}/`, { protocols: ['ssh/22'] });
    expect([await granted(), await accounts()]).toEqual([[app], []]);
    await admin.patch(`assets/assets/${asset}/`, { protocols: ['rdp/3389'], is_active: false });
    expect([await granted(), await accounts()]).toEqual([[], []]);
    const { body } = await admin.get(
      `perms/access/remote-apps/check/?user=${user.id}&remote_app=${app}`,
    );
    expect(body).toMatchObject({ granted: false, general: ['asset_disabled'] });
  });

  it('get users and apps by lists of ids, as existing clients send them', async () => {
    const asset = await buildAsset(test.db, { protocols: ['rdp/3389'] });
    const [app, another, account] = [
      await buildRemoteApp(test.db, { asset }),
      await buildRemoteApp(test.db, { asset }),
      await buildSystemUser(test.db, { protocol: 'rdp' }),
    ];
    const rule = await buildAppPermission(test.db, 'remote_app', {
      apps: [app],
      systemUsers: [account],
    });
    expect(
      (await admin.patch(`${REMOTE}${rule}/remote-apps/add/`, { remote_apps: [another, app] }))
        .body,
    ).toEqual({ msg: 'ok' });
    expect((await admin.put(`${REMOTE}${rule}/users/add/`, { users: [user.id] })).body).toEqual({
      msg: 'ok',
    });
    expect((await admin.get(`${REMOTE}${rule}/`)).body).toMatchObject({
      users: [user.id],
      remote_apps_amount: 2,
    });
    expect((await admin.get(`${REMOTE}${rule}/users/add/`)).body).toEqual({
      id: rule,
      users: [user.id],
    });
    expect(
      (await admin.patch(`${REMOTE}${rule}/remote-apps/remove/`, { remote_apps: [app] })).status,
    ).toBe(200);
    expect((await admin.get(`${REMOTE}${rule}/remote-apps/all/`)).body).toMatchObject([
      { remoteapp: another },
    ]);
    const wrong = await admin.patch(`${REMOTE}${rule}/users/add/`, {
      users: [crypto.randomUUID()],
    });
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ['users']]);
    expect((await own.patch(`${REMOTE}${rule}/users/add/`, { users: [user.id] })).status).toBe(403);
  });
});
