import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAppPermission, buildDatabaseApp } from '../../testing/app-builders.ts';
import {
  type BuiltUser,
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

/** Requests of clients of versions 3 and 4, which read below the prefix or at new paths. */

const DEFAULT_ID = '00000000-0000-0000-0000-000000000002';
const V4 = '/v4/api/v1/';

let test: TestProgram;
let admin: Client;
let user: Client;
let person: BuiltUser;
let host: string;
let database: string;
let systemUser: string;
let rule: string;
const hostname = unique('web');
const databaseName = unique('shop');
const SECRET = 'never-in-an-answer-1';

beforeAll(async () => {
  test = await startTestProgram();
  const { db } = test;
  admin = await bearer(test);
  person = await buildUser(db);
  user = await bearer(test, person);
  host = await buildAsset(db, { hostname });
  database = await buildDatabaseApp(db, { name: databaseName });
  systemUser = await buildSystemUser(db);
  rule = await buildPermission(db, {
    organization: '',
    users: [person.id],
    assets: [host],
    systemUsers: [systemUser],
  });
  const account = await buildSystemUser(db);
  await sql`update system_account set protocol = 'mysql' where id = ${account}`.execute(db);
  await buildAppPermission(db, 'database_app', {
    users: [person.id],
    apps: [database],
    systemUsers: [account],
  });
  await admin.post('assets/asset-users/', {
    asset: host,
    username: 'backup',
    password: SECRET,
  });
});
afterAll(() => test.stop());

const rowsOf = async (client: Client, path: string): Promise<readonly Json[]> => {
  const { status, body, text } = await client.get<Page>(
    `${path}${path.includes('?') ? '&' : '?'}limit=100`,
  );
  expect([path, status, text.slice(0, status === 200 ? 0 : 300)]).toEqual([path, 200, '']);
  return body.results;
};

describe('assets', () => {
  it('lists hosts and databases as assets with category, type and platform', async () => {
    const rows = await rowsOf(admin, `${V4}assets/assets/`);
    expect(rows.find(({ id }) => id === host)).toMatchObject({
      name: hostname,
      category: { value: 'host', label: 'Host' },
      type: { value: 'linux', label: 'Linux' },
      platform: { name: 'Linux' },
      protocols: [{ name: 'ssh', port: 22 }],
      org_id: DEFAULT_ID,
    });
    expect(rows.find(({ id }) => id === database)).toMatchObject({
      name: databaseName,
      category: { value: 'database', label: 'Database' },
    });
  });

  it.each(['', '/v4'])('serves the lists of each category with the prefix "%s"', async (prefix) => {
    const at = (category: string) => rowsOf(admin, `${prefix}/api/v1/assets/${category}/`);
    expect((await at('hosts')).map(({ id }) => id)).toContain(host);
    expect((await at('databases')).map(({ id }) => id)).toContain(database);
    expect((await at('databases')).map(({ id }) => id)).not.toContain(host);
    for (const category of ['devices', 'clouds', 'webs', 'gpts', 'customs', 'directories'])
      expect(await at(category)).toEqual([]);
  });

  it('labels values in the language of the caller', async () => {
    const chinese = admin.with({ 'accept-language': 'zh' });
    const [row] = await rowsOf(chinese, `${V4}assets/hosts/?name=${hostname}`);
    expect(row).toMatchObject({ category: { value: 'host', label: '主机' } });
  });

  it.each([
    ['name', () => hostname, 1],
    ['id', () => host, 1],
    ['category', () => 'host', 1],
    ['category', () => 'database', 0],
    ['type', () => 'linux', 1],
    ['type', () => 'windows', 0],
    ['type', () => 'constructor', 0],
    ['platform', () => 'Linux', 1],
    ['is_active', () => 'True', 1],
  ])('filters assets by %s', async (name, value, expected) => {
    const query = new URLSearchParams([
      [name, value()],
      ['search', hostname],
    ]);
    expect(await rowsOf(admin, `${V4}assets/assets/?${query}`)).toHaveLength(expected);
  });

  it('filters by the node and its id of a platform', async () => {
    const node = await rootNode(test.db);
    const ids = async (query: string) =>
      (await rowsOf(admin, `${V4}assets/assets/?${query}`)).map(({ id }) => id);
    expect(await ids(`node_id=${node}`)).toContain(host);
    expect(await ids(`node_id=${node}`)).not.toContain(database);
    const [linux] = await rowsOf(admin, `${V4}assets/platforms/?name=Linux`);
    expect(await ids(`platform=${linux?.id}`)).toContain(host);
    expect(await ids(`platform=${crypto.randomUUID()}`)).toEqual([]);
  });

  it('refuses a filter and an order that it cannot apply, in both languages', async () => {
    const refused = await admin.get(`${V4}assets/assets/?ping_enabled=true`);
    expect([refused.status, refused.body]).toEqual([400, { ping_enabled: ['Unknown field.'] }]);
    const chinese = admin.with({ 'accept-language': 'zh' });
    expect((await chinese.get(`${V4}assets/hosts/?constructor=1`)).body).toEqual({
      constructor: ['未知字段。'],
    });
    // The refusal names the parameter of the caller, not ours.
    const malformed = await admin.get(`${V4}assets/hosts/?zone=nonsense`);
    expect([malformed.status, Object.keys(malformed.body)]).toEqual([400, ['zone']]);
    expect((await admin.get(`${V4}assets/hosts/?order=constructor`)).status).toBe(400);
    expect((await admin.get('assets/hosts/?format=csv')).status).toBe(400);
  });

  it('pages over databases and hosts together, each row once', async () => {
    const all = (await rowsOf(admin, `${V4}assets/assets/`)).map(({ id }) => id);
    const seen: unknown[] = [];
    let next: string | null = `${V4}assets/assets/?limit=1`;
    while (next) {
      const { body }: { body: Page } = await admin.get<Page>(next);
      expect([body.count, body.results.length]).toEqual([all.length, 1]);
      seen.push(...body.results.map(({ id }) => id));
      next = body.next && new URL(body.next).pathname + new URL(body.next).search;
    }
    expect(seen).toEqual(all);
  });

  it('answers a bare list without a limit', async () => {
    const { body } = await admin.get<Json[]>(`${V4}assets/assets/`);
    expect(body.map(({ id }) => id)).toEqual(expect.arrayContaining([host, database]));
  });

  it('returns one asset of either kind, and 404 for another id', async () => {
    for (const id of [host, database])
      expect((await admin.get(`${V4}assets/assets/${id}/`)).body).toMatchObject({ id });
    for (const id of [crypto.randomUUID(), 'nonsense', person.id])
      expect((await admin.get(`${V4}assets/assets/${id}/`)).status).toBe(404);
    expect((await admin.get(`assets/hosts/${database}/`)).status).toBe(404);
  });
});

describe('accounts', () => {
  it('lists the accounts of an asset without secrets', async () => {
    const rows = await rowsOf(admin, `accounts/accounts/?asset=${host}`);
    expect(rows.map(({ username }) => username)).toContain('backup');
    const stored = rows.find(({ username }) => username === 'backup');
    expect(stored).toMatchObject({
      has_secret: true,
      secret_type: { value: 'password', label: 'Password' },
      source: { value: 'local' },
      asset: { id: host, name: hostname, platform: { name: 'Linux' } },
    });
    const one = await admin.get(`${V4}accounts/accounts/${stored?.id}/`);
    expect(one.body).toEqual(stored);
    expect(one.text).not.toContain(SECRET);
  });

  it('reads no account of another asset', async () => {
    const other = await buildAsset(test.db);
    const rows = await rowsOf(admin, `accounts/accounts/?asset=${other}`);
    expect(rows.filter(({ username }) => username === 'backup')).toEqual([]);
  });
});

describe('grants of the caller', () => {
  it.each(['', '/v4'])('lists granted hosts and databases with the prefix "%s"', async (prefix) => {
    const rows = await rowsOf(user, `${prefix}/api/v1/perms/users/self/assets/`);
    expect(rows.map(({ id }) => id)).toEqual([database, host]);
    expect(await rowsOf(admin, `${prefix}/api/v1/perms/users/self/assets/`)).toEqual([]);
  });

  it('returns a granted asset with its accounts and protocols', async () => {
    const { body } = await user.get(`perms/users/self/assets/${host}/`);
    expect(body).toMatchObject({
      id: host,
      name: hostname,
      permed_protocols: [{ name: 'ssh', port: 22 }],
      permed_accounts: [{ id: systemUser, alias: systemUser }],
    });
    const app = await user.get(`perms/users/self/assets/${database}/`);
    expect(app.body).toMatchObject({ id: database, name: databaseName });
    expect((app.body.permed_accounts as Json[]).length).toBe(1);
  });

  it('returns 404 for an asset that is not granted', async () => {
    const other = await buildAsset(test.db);
    for (const id of [other, crypto.randomUUID(), 'x'])
      expect((await user.get(`perms/users/self/assets/${id}/`)).status).toBe(404);
    expect((await admin.get(`perms/users/self/assets/${host}/`)).status).toBe(404);
  });

  it('filters granted assets by search and node', async () => {
    const ids = async (path: string) => (await rowsOf(user, path)).map(({ id }) => id);
    expect(await ids(`perms/users/self/assets/?search=${hostname}`)).toEqual([host]);
    expect(await ids(`perms/users/self/assets/?search=${databaseName}`)).toEqual([database]);
    const node = await rootNode(test.db);
    expect(await ids(`perms/users/self/nodes/${node}/assets/?all=1`)).toEqual([host]);
    expect(await ids(`perms/users/self/nodes/${crypto.randomUUID()}/assets/`)).toEqual([]);
    expect((await user.get('perms/users/self/nodes/nonsense/assets/')).status).toBe(404);
  });

  it.each([
    ['type=linux', () => [host]],
    ['type=windows', () => []],
    ['type=mysql', () => [database]],
    ['type=constructor', () => []],
    ['category=host', () => [host]],
    ['category=database', () => [database]],
    ['category=device', () => []],
    ['platform=Linux', () => [host]],
    ['platform=Windows2016', () => []],
    ['is_active=1', () => [database, host]],
    ['is_active=false', () => []],
    ['type=linux&search=no-such-host', () => []],
    // The requests of a desktop client for each of its lists.
    [`type=linux&offset=0&limit=20&search=&order=&oid=${DEFAULT_ID}`, () => [host]],
    [`category=database&offset=0&limit=20&search=&order=&oid=${DEFAULT_ID}`, () => [database]],
    [`type=windows_ad&offset=0&limit=20&search=&order=&oid=${DEFAULT_ID}`, () => []],
  ])('filters granted assets by %s', async (query, expected) => {
    const rows = await rowsOf(user, `perms/users/self/assets/?${query}`);
    expect(rows.map(({ id }) => id)).toEqual(expected());
  });

  it('lists the favorites of the caller under the name of their node', async () => {
    const path = 'perms/users/self/nodes/favorite/assets/';
    expect(await rowsOf(user, path)).toEqual([]);
    const { body } = await user.post<Json>('assets/favorite-assets/', { asset: host });
    expect((await rowsOf(user, path)).map(({ id }) => id)).toEqual([host]);
    expect(await rowsOf(user, `${path}?type=windows`)).toEqual([]);
    expect(await rowsOf(admin, path)).toEqual([]);
    await user.delete(`assets/favorite-assets/?asset=${body.asset}`);
    expect((await user.get('perms/users/self/nodes/constructor/assets/')).status).toBe(404);
    expect((await user.get('perms/users/self/nodes/ungrouped/assets/')).status).toBe(200);
  });

  it('lists the granted nodes', async () => {
    const plain = await user.get<Json[]>('perms/users/nodes/');
    const { body } = await user.get<Json[]>('perms/users/self/nodes/');
    expect(body).toEqual(plain.body);
    expect(body.length).toBeGreaterThan(0);
    expect((await user.get(`${V4}perms/users/self/nodes/children/tree/`)).status).toBe(200);
  });
});

describe('people, permissions and logs', () => {
  it('lists users with labelled values, and groups with their members', async () => {
    const { db } = test;
    const group = await buildGroup(db, [person.id]);
    const [row] = await rowsOf(admin, `${V4}users/users/?username=${person.username}`);
    expect(row).toMatchObject({
      id: person.id,
      source: { value: 'local' },
      mfa_level: { value: 0, label: 'Disable' },
      groups: [{ id: group }],
      system_roles: [{ id: '00000000-0000-0000-0000-000000000003' }],
    });
    expect((await admin.get(`${V4}users/groups/${group}/`)).body).toMatchObject({
      id: group,
      users_amount: 1,
      users: [{ id: person.id }],
    });
  });

  it('lists permissions on hosts and databases, with their objects in the detail', async () => {
    const rows = await rowsOf(admin, `${V4}perms/asset-permissions/?user_id=${person.id}`);
    expect(rows).toHaveLength(2);
    const { body } = await admin.get(`${V4}perms/asset-permissions/${rule}/`);
    expect(body).toMatchObject({
      id: rule,
      users: [{ id: person.id }],
      assets: [{ id: host, name: hostname }],
      actions: expect.arrayContaining([{ value: 'connect', label: 'Connect' }]),
      is_valid: true,
    });
  });

  it.each([
    'assets/platforms/',
    'assets/nodes/',
    'assets/domains/',
    'assets/zones/',
    'labels/labels/',
    'orgs/orgs/',
    'terminal/sessions/',
    'terminal/commands/?command_storage_id=x',
    'audits/login-logs/',
    'audits/operate-logs/',
    'audits/ftp-logs/',
    'audits/password-change-logs/',
  ])('serves %s', async (path) => {
    const rows = await rowsOf(admin, `${V4}${path}`);
    for (const row of rows.slice(0, 1))
      expect((await admin.get(`${V4}${path.split('?')[0]}${row.id}/`)).status).toBe(200);
  });

  it('lists sign-ins with the type and the status of each', async () => {
    const [row] = await rowsOf(admin, `${V4}audits/login-logs/?username=${person.username}`);
    expect(row).toMatchObject({ type: { value: 'A' }, status: { value: true, label: 'Success' } });
  });
});

describe('rights', () => {
  it('refuses what the lists of version 2.1 refuse', async () => {
    for (const path of ['accounts/accounts/', `${V4}accounts/accounts/`, 'assets/hosts/'])
      expect([path, (await user.get(path)).status]).toEqual([path, 403]);
    for (const path of [`${V4}users/users/`, 'perms/users/self/assets/', `${V4}users/profile/`])
      expect([path, (await test.visitor.get(path)).status]).toEqual([path, 401]);
  });

  it('demands the bits and the area of the list of version 2.1', () => {
    const { routes } = test.program.app;
    const own = routes.filter(({ url }) => url.startsWith(V4) && !url.includes('/self/'));
    const wrong = own.flatMap(({ url, method, access, area, writesAt }) => {
      const ours = routes.find((one) => one.url === writesAt && one.method === 'GET');
      const isSame = ours?.access === access && ours?.area === area;
      return writesAt && !isSame ? [`${method} ${url}`] : [];
    });
    expect(own.length).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  });

  it('reads the organization that the query names', async () => {
    const organization = await buildOrganization(test.db);
    const there = await buildAsset(test.db, { organization });
    for (const path of ['assets/hosts/', `${V4}assets/assets/`]) {
      const rows = await rowsOf(admin, `${path}?oid=${organization}`);
      expect(rows.map(({ id }) => id)).toEqual([there]);
      const stranger = await user.get(`${path}?oid=${organization}`);
      expect([path, stranger.status]).toEqual([path, 403]);
    }
  });

  it('reads only the organization of the request', async () => {
    const { db } = test;
    const organization = await buildOrganization(db);
    const there = await buildAsset(db, { organization });
    const at = admin.inOrganization(organization);
    for (const path of ['assets/hosts/', `${V4}assets/assets/`]) {
      const ids = async (client: Client) => (await rowsOf(client, path)).map(({ id }) => id);
      expect(await ids(at)).toEqual([there]);
      expect(await ids(admin.inOrganization(DEFAULT_ID))).toContain(host);
      expect(await ids(admin)).not.toContain(there);
      expect((await at.get(`${path}${host}/`)).status).toBe(404);
      expect((await admin.get(`${path}${there}/`)).status).toBe(404);
    }
    const [account] = await rowsOf(admin, `accounts/accounts/?asset=${host}`);
    expect((await at.get(`accounts/accounts/${account?.id}/`)).status).toBe(404);
  });
});

describe('writes', () => {
  it.each([
    ['POST', 'assets/hosts/', '/api/v1/assets/assets/'],
    ['DELETE', `${V4}assets/assets/x/`, '/api/v1/assets/assets/'],
    ['PUT', `${V4}users/users/x/`, '/api/v1/users/users/'],
    ['PATCH', `${V4}perms/asset-permissions/x/`, '/api/v1/perms/asset-permissions/'],
    ['POST', 'accounts/accounts/', '/api/v1/assets/asset-users/'],
    ['POST', `${V4}accounts/accounts/bulk/`, '/api/v1/assets/asset-users/'],
    ['POST', `${V4}authentication/connection-token/`, '/api/docs/'],
  ])('answers 501 to %s %s and names our path', async (method, path, ours) => {
    const { status, body, headers } = await admin.request<Json>(method, path, {});
    expect([status, headers.get('x-error-code')]).toEqual([501, 'only_reads']);
    expect(body.detail).toContain(ours);
    const chinese = await admin.with({ 'accept-language': 'zh' }).request<Json>(method, path, {});
    expect(chinese.body.detail).toContain('只供读取');
  });

  it('answers 404 to unknown reads below the prefix, and 405 to other methods', async () => {
    expect((await admin.get(`${V4}assets/assets/x/y/`)).status).toBe(404);
    expect((await admin.get('/v4/')).status).toBe(404);
    expect((await admin.request('OPTIONS', `${V4}assets/hosts/`)).status).toBe(405);
  });
});

describe('sign-in below the prefix', () => {
  it('signs in with a password and reads with the token', async () => {
    for (const path of ['authentication/auth/', 'authentication/tokens/']) {
      const { status, body } = await test.visitor.post<Json>(`${V4}${path}`, {
        username: person.username,
        password: person.password,
      });
      expect(status).toBe(201);
      const signedIn = test.visitor.with({ authorization: `Bearer ${body.token}` });
      expect((await signedIn.get<Json>(`${V4}users/profile/`)).body.id).toBe(person.id);
    }
    const wrong = { username: person.username, password: 'wrong' };
    expect((await test.visitor.post(`${V4}authentication/auth/`, wrong)).status).toBe(400);
  });

  it('answers clients that send an object with a GET and name the default organization', async () => {
    const client = admin.inOrganization(DEFAULT_ID);
    for (const path of [`${V4}assets/hosts/?limit=100&offset=0`, `${V4}users/users/?limit=100`]) {
      const { status, body } = (await client.send('GET', path, '{}', 'application/json')) as {
        status: number;
        body: Page;
      };
      expect([path, status, body.results.length > 0]).toEqual([path, 200, true]);
    }
  });

  it('leads from the sign-in page to ours, with a cookie that gives no right', async () => {
    const page = await test.visitor.get('/v4/core/auth/login/');
    expect([page.status, page.headers.get('location')]).toEqual([302, '/core/auth/login/']);
    const cookie = (page.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(cookie).toMatch(/^jms_sessionid=[0-9a-f]{32}$/);
    expect((await test.visitor.with({ cookie }).get(`${V4}users/profile/`)).status).toBe(401);
  });
});
