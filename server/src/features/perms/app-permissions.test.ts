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
  it('creates, reads, changes and deletes a database permission', async () => {
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
    const created = await admin.post(RULES, body);
    expect([created.status, created.body]).toMatchObject([
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
    expect(created.body.first_names).toMatchObject({
      users: { id: user.id },
      database_apps: { id: database, name: 'ledger' },
      system_users: { id: account },
    });
    const url = `${RULES}${created.body.id}/`;
    expect((await admin.patch(url, { is_active: false })).body).toMatchObject({
      is_active: false,
      is_valid: false,
    });
    const refused = await admin.patch(url, { system_users: [] });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['system_users']]);
    const dates = await admin.patch(url, { date_expired: '2001-01-01T00:00:00Z' });
    expect([dates.status, Object.keys(dates.body)]).toEqual([400, ['date_expired']]);
    const batch = await admin.patch<Json[]>(RULES, [{ id: created.body.id, comment: 'together' }]);
    expect(batch.body).toMatchObject([{ comment: 'together' }]);
    expect((await admin.delete(url)).status).toBe(204);
    expect((await admin.get(url)).status).toBe(404);
  });

  it('filters permissions by user, group, system user, database and validity, with inheritance through groups', async () => {
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
    const idsBy = async (query: string) =>
      new Set(idsOf((await admin.get<Json[]>(`${RULES}?${query}`)).body));
    expect(await idsBy(`user_id=${user.id}`)).toEqual(new Set([direct, inherited]));
    expect(await idsBy(`user_id=${user.id}&all=0`)).toEqual(new Set([direct]));
    expect(await idsBy(`username=${user.username}&is_valid=0`)).toEqual(new Set([inherited]));
    expect(await idsBy(`user_group_id=${group}`)).toEqual(new Set([inherited]));
    expect(await idsBy(`system_user_id=${account}&is_valid=1`)).toEqual(new Set([direct]));
    expect(await idsBy(`database_app_id=${database}`)).toEqual(new Set([direct]));
    expect(await idsBy('database_app_id=x')).toEqual(new Set());
    expect((await admin.get(`${RULES}?is_valid=perhaps`)).status).toBe(400);
  });

  it('lists the users with their groups, and the databases of a permission', async () => {
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

  it('loses deleted users, databases and system users', async () => {
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
  it('lists granted databases and their system users until the permission is disabled', async () => {
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
    // Fields for administrators are missing.
    for (const name of ['domain', 'tls', 'ca_certificate'])
      expect(list[1]).not.toHaveProperty(name);
    expect(
      (await own.get<Page>('perms/users/database-apps/?limit=1&search=sho')).body,
    ).toMatchObject({ count: 1, results: [{ id: shop }] });
    expect(
      idsOf((await own.get<Json[]>('perms/users/database-apps/?type=postgresql')).body),
    ).toEqual([books]);
    // By descending priority, only with the protocol of the database.
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

  it('marks granted databases and remote apps as favorites, separately for each user', async () => {
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

  it('lists the databases of all organizations to the user, and of one organization to its administrator', async () => {
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
    // Leaving an organization ends the permissions there.
    expect((await insider.delete(`users/users/${member.id}/`)).status).toBe(204);
    expect(
      idsOf((await client.inOrganization(there).get<Json[]>('perms/users/database-apps/')).body),
    ).toEqual([apps[1]]);
  });

  it('lists the databases of a group to administrators only', async () => {
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
  it('lists the users of a database, and the obstacles of users without access', async () => {
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

describe('remote apps', () => {
  const REMOTE = 'perms/remote-app-permissions/';

  it('requires a license for a new remote app permission', async () => {
    const body = {
      name: unique('rule'),
      system_users: [await buildSystemUser(test.db, { protocol: 'rdp' })],
    };
    expect((await admin.post(REMOTE, body)).body.code).toBe('license_required');
    await importLicense(admin);
    expect((await admin.post(REMOTE, body)).status).toBe(201);
  });

  it('grants a remote app while its host is active and offers remote desktops', async () => {
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

  it('adds and removes users and remote apps of a permission by lists of ids', async () => {
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
