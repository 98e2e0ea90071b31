import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildSystemUser, rootNode, unique } from '../testing/builders.ts';
import type { Json } from '../testing/client.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { buildTwoOrganizations, type TwoOrganizations } from '../testing/two-organizations.ts';

let test: TestProgram;
let world: TwoOrganizations;
/** A valid body of each kind, to which the test adds a link. */
let bodies: Record<string, () => Json>;
let own: { asset: string; systemUser: string; node: string; domain: string };

beforeAll(async () => {
  test = await startTestProgram();
  world = await buildTwoOrganizations(test);
  const { here: organization, insider } = world;
  own = {
    asset: await buildAsset(test.db, { organization }),
    systemUser: await buildSystemUser(test.db, { organization }),
    node: await rootNode(test.db, organization),
    domain: String((await insider.post('assets/domains/', { name: unique('own') })).body.id),
  };
  bodies = {
    'users/users': () => ({
      name: 'x',
      username: unique('x'),
      email: `${unique('x')}@example.com`,
    }),
    'users/groups': () => ({ name: unique('x') }),
    'assets/assets': () => ({ hostname: unique('x'), ip: '10.0.0.2', platform: 'Linux' }),
    'assets/domains': () => ({ name: unique('x') }),
    'assets/gateways': () => ({ name: unique('x'), ip: '10.0.0.2', domain: own.domain }),
    'assets/labels': () => ({ name: unique('x'), value: 'x' }),
    'assets/admin-users': () => ({ name: unique('x') }),
    'assets/system-users': () => ({ name: unique('x'), login_mode: 'manual' }),
    'applications/remote-apps': () => ({ name: unique('x'), asset: own.asset, params: {} }),
    'applications/database-apps': () => ({ name: unique('x'), host: '10.0.0.2' }),
    'perms/remote-app-permissions': () => ({ name: unique('x'), system_users: [own.systemUser] }),
    'perms/database-app-permissions': () => ({ name: unique('x'), system_users: [own.systemUser] }),
    'perms/asset-permissions': () => ({ name: unique('x'), system_users: [own.systemUser] }),
  };
});
afterAll(() => test.stop());

it.each([
  ['users/users', 'groups', 'users/groups', true],
  ['users/groups', 'users', 'users/users', true],
  ['assets/assets', 'admin_user', 'assets/admin-users', false],
  ['assets/assets', 'domain', 'assets/domains', false],
  ['assets/assets', 'nodes', 'assets/nodes', true],
  ['assets/assets', 'labels', 'assets/labels', true],
  ['assets/domains', 'assets', 'assets/assets', true],
  ['assets/gateways', 'domain', 'assets/domains', false],
  ['assets/labels', 'assets', 'assets/assets', true],
  ['applications/remote-apps', 'asset', 'assets/assets', false],
  ['applications/database-apps', 'domain', 'assets/domains', false],
  ['perms/remote-app-permissions', 'remote_apps', 'applications/remote-apps', true],
  ['perms/remote-app-permissions', 'system_users', 'assets/system-users', true],
  ['perms/database-app-permissions', 'users', 'users/users', true],
  ['perms/database-app-permissions', 'user_groups', 'users/groups', true],
  ['perms/database-app-permissions', 'database_apps', 'applications/database-apps', true],
  ['perms/database-app-permissions', 'system_users', 'assets/system-users', true],
  ['perms/asset-permissions', 'users', 'users/users', true],
  ['perms/asset-permissions', 'user_groups', 'users/groups', true],
  ['perms/asset-permissions', 'assets', 'assets/assets', true],
  ['perms/asset-permissions', 'nodes', 'assets/nodes', true],
  ['perms/asset-permissions', 'system_users', 'assets/system-users', true],
] as const)(
  'rejects links from %s to another organization through %s',
  async (path, field, target, isMany) => {
    const { insider, foreign, fingerprint } = world;
    const id = foreign[target] ?? '';
    const before = await fingerprint();
    const value = isMany ? [id] : id;
    const problem = [`Invalid pk "${id}" - object does not exist.`];
    const created = await insider.post(`${path}/`, { ...bodies[path]?.(), [field]: value });
    expect([created.status, created.body]).toEqual([400, { [field]: problem }]);
    const { body: row } = await insider.post(`${path}/`, bodies[path]?.());
    const changed = await insider.patch(`${path}/${row.id}/`, { [field]: value });
    expect([changed.status, changed.body]).toEqual([400, { [field]: problem }]);
    expect((await insider.get(`${path}/${row.id}/`)).text).not.toContain(id);
    await insider.delete(`${path}/${row.id}/`);
    // The account of the earlier user stays, like members of other organizations.
    if (path !== 'users/users') expect(await fingerprint()).toBe(before);
  },
);

it.each([
  'users/groups',
  'assets/assets',
  'assets/domains',
  'assets/gateways',
  'assets/labels',
  'assets/admin-users',
  'assets/system-users',
  'applications/remote-apps',
  'applications/database-apps',
  'perms/remote-app-permissions',
  'perms/database-app-permissions',
  'perms/asset-permissions',
])(
  'deletes neither when %s and a row of another organization are deleted together',
  async (path) => {
    const { insider, foreign, fingerprint } = world;
    const before = await fingerprint();
    const { body: row } = await insider.post(`${path}/`, bodies[path]?.());
    for (const ids of [`${row.id},${foreign[path]}`, `${foreign[path]},${row.id}`])
      expect((await insider.delete(`${path}/${ids}/`)).status).toBe(404);
    expect((await insider.get(`${path}/${row.id}/`)).status).toBe(200);
    expect((await insider.delete(`${path}/${row.id}/`)).status).toBe(204);
    expect(await fingerprint()).toBe(before);
  },
);

it('hides the tree of another organization, and rejects changes of it', async () => {
  const { insider, foreign, fingerprint } = world;
  const before = await fingerprint();
  const node = foreign['assets/nodes'];
  const attempts: [string, string, unknown?][] = [
    ['GET', `assets/nodes/${node}/children/`],
    ['GET', `assets/nodes/children/tree/?id=${node}`],
    ['GET', `assets/nodes/${node}/assets/`],
    ['POST', `assets/nodes/${node}/children/`, { value: 'x' }],
    ['PUT', `assets/nodes/${node}/children/add/`, { nodes: [own.node] }],
    ['PUT', `assets/nodes/${own.node}/children/add/`, { nodes: [node] }],
    ['PUT', `assets/nodes/${node}/assets/add/`, { assets: [own.asset] }],
    ['PUT', `assets/nodes/${node}/assets/replace/`, { assets: [own.asset] }],
    ['PUT', `assets/nodes/${node}/assets/remove/`, { assets: [foreign['assets/assets']] }],
    ['GET', `assets/assets/${foreign['assets/assets']}/host-keys/`],
    ['GET', `perms/users/${foreign['users/users']}/assets/`],
    ['GET', `perms/asset-permissions/${foreign['perms/asset-permissions']}/users/all/`],
    ['GET', `perms/asset-permissions/${foreign['perms/asset-permissions']}/assets/all/`],
    ['GET', `perms/users/${foreign['users/users']}/database-apps/`],
    ['GET', `perms/user-groups/${foreign['users/groups']}/remote-apps/tree/`],
    [
      'GET',
      `perms/database-app-permissions/${foreign['perms/database-app-permissions']}/users/all/`,
    ],
    [
      'GET',
      `perms/remote-app-permissions/${foreign['perms/remote-app-permissions']}/remote-apps/all/`,
    ],
    [
      'PUT',
      `perms/remote-app-permissions/${foreign['perms/remote-app-permissions']}/users/remove/`,
      { users: [foreign['users/users']] },
    ],
    ['GET', `perms/access/database-apps/${foreign['applications/database-apps']}/users/`],
    [
      'GET',
      `perms/access/remote-apps/check/?user=${foreign['users/users']}&remote_app=${foreign['applications/remote-apps']}`,
    ],
    ['GET', `applications/remote-apps/${foreign['applications/remote-apps']}/connection-info/`],
    ['GET', `terminal/sessions/${foreign['terminal/sessions']}/replay/`],
    ['GET', `terminal/sessions/${foreign['terminal/sessions']}/replay/download/`],
    ['PUT', `users/users/${foreign['users/users']}/password/`, { password: 'taken over' }],
    ['PATCH', `users/users/${foreign['users/users']}/unblock/`, {}],
  ];
  for (const [method, path, body] of attempts) {
    const { status } = await insider.request(method, path, body);
    expect([method, path, status]).toEqual([method, path, 404]);
  }
  const placed = await insider.put(`assets/nodes/${own.node}/assets/add/`, {
    assets: [foreign['assets/assets']],
  });
  expect([placed.status, Object.keys(placed.body)]).toEqual([400, ['assets']]);
  const killed = await insider.post('terminal/tasks/kill-session/', [foreign['terminal/sessions']]);
  expect(killed.body).toEqual({ ok: [] });
  expect(await fingerprint()).toBe(before);
});
