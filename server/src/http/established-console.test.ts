import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../testing/builders.ts';
import type { Client, Json, Page } from '../testing/client.ts';
import { agePasswordProofs, bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

/** Requests of pages of console version 2.1, beyond lists and forms. */
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const createAt = async (path: string, body: object) => (await admin.post<Json>(path, body)).body;

it("returns the tree of a user's grants, with the assets below each node", async () => {
  const user = await buildUser(test.db);
  const own = await bearer(test, user);
  const root = await rootNode(test.db);
  const web = await createAt(`assets/nodes/${root}/children/`, { value: unique('web') });
  const below = await createAt(`assets/nodes/${web.id}/children/`, { value: unique('shop') });
  const host = await createAt('assets/assets/', {
    hostname: unique('host'),
    ip: '10.1.1.1',
    platform: 'Linux',
    nodes: [web.id, below.id],
  });
  const other = await buildAsset(test.db);
  const tree = async () =>
    (await own.get<Json[]>('perms/users/nodes-with-assets/tree/?cache_policy=1')).body;
  expect((await tree()).filter(({ meta }) => (meta as Json).type === 'asset')).toEqual([]);

  await buildPermission(test.db, {
    users: [user.id],
    nodes: [String(web.id)],
    systemUsers: [await buildSystemUser(test.db)],
  });
  const leaves = (await tree()).filter(({ meta }) => (meta as Json).type === 'asset');
  expect(leaves.map(({ id, pId, nocheck }) => [id, pId, nocheck])).toEqual([
    [host.id, web.key, false],
    [host.id, below.key, false],
  ]);
  expect(JSON.stringify(await tree())).not.toContain(other);
  expect((await tree()).map(({ id }) => id)).toEqual(expect.arrayContaining([web.key, below.key]));
  // Only administrators may ask about another user.
  expect(
    (await admin.get<Json[]>(`perms/users/${user.id}/nodes-with-assets/tree/`)).body.filter(
      ({ id }) => id === host.id,
    ),
  ).toHaveLength(2);
  expect(
    (await own.get(`perms/users/${(await buildUser(test.db)).id}/nodes-with-assets/tree/`)).status,
  ).toBe(403);
});

it('lists permissions of system users as relations, and rejects changes there', async () => {
  const [account, asset, user] = [
    await buildSystemUser(test.db),
    await buildAsset(test.db),
    await buildUser(test.db),
  ];
  const root = await rootNode(test.db);
  await buildPermission(test.db, {
    groups: [await buildGroup(test.db, [user.id])],
    assets: [asset],
    nodes: [root],
    systemUsers: [account],
  });
  const list = async (kind: string, query = '') =>
    (
      await admin.get<Page<Json>>(
        `assets/system-users-${kind}s-relations/?systemuser=${account}&limit=15${query}`,
      )
    ).body;
  for (const [kind, id] of [
    ['asset', asset],
    ['node', root],
    ['user', user.id],
  ] as const) {
    const { count, results } = await list(kind);
    expect([kind, count, results]).toEqual([
      kind,
      1,
      [
        {
          id: expect.any(Number),
          [kind]: id,
          [`${kind}_display`]: expect.any(String),
          systemuser: account,
          systemuser_display: expect.stringContaining('('),
        },
      ],
    ]);
    expect((await list(kind)).results[0]?.id).toBe(results[0]?.id);
    expect((await list(kind, '&search=nothing-is-called-so')).count).toBe(0);
    const path = `assets/system-users-${kind}s-relations/`;
    const refused = {
      status: 400,
      body: {
        code: 'system_user_by_permissions',
        detail: expect.stringContaining('Change the permission'),
      },
    };
    expect(await admin.post(path, { [kind]: id, systemuser: account })).toMatchObject(refused);
    expect(await admin.delete(`${path}?systemuser=${account}&${kind}=${id}`)).toMatchObject(
      refused,
    );
    expect(await admin.get(`${path}?systemuser=all`)).toMatchObject({
      status: 400,
      body: { systemuser: [expect.any(String)] },
    });
    expect(
      (await admin.inOrganization(await buildOrganization(test.db)).get<Json[]>(path)).body,
    ).toEqual([]);
    expect((await (await bearer(test, user)).get(path)).status).toBe(403);
  }
});

it('gives all assets on and below nodes another admin user, and no others', async () => {
  const root = await rootNode(test.db);
  const node = await createAt(`assets/nodes/${root}/children/`, { value: unique('rack') });
  const below = await createAt(`assets/nodes/${node.id}/children/`, { value: unique('row') });
  const [first, second, other] = [
    await createAt('assets/assets/', {
      hostname: unique('a'),
      ip: '10.2.1.1',
      platform: 'Linux',
      nodes: [node.id],
    }),
    await createAt('assets/assets/', {
      hostname: unique('b'),
      ip: '10.2.1.2',
      platform: 'Linux',
      nodes: [below.id],
    }),
    await createAt('assets/assets/', {
      hostname: unique('c'),
      ip: '10.2.1.3',
      platform: 'Linux',
      nodes: [root],
    }),
  ];
  const account = await createAt('assets/admin-users/', {
    name: unique('root'),
    username: 'root',
    password: 'A-good-password-1',
  });
  const path = `assets/admin-users/${account.id}/nodes/`;
  const adminUserOf = async ({ id }: Json) =>
    (await admin.get<Json>(`assets/assets/${id}/`)).body.admin_user;

  for (const [body, field] of [
    [{ nodes: [] }, 'nodes'],
    [{ nodes: [crypto.randomUUID()] }, 'nodes'],
    [{}, 'nodes'],
  ] as const)
    expect(await admin.patch(path, body)).toMatchObject({
      status: 400,
      body: { [field]: [expect.any(String)] },
    });
  const elsewhere = admin.inOrganization(await buildOrganization(test.db));
  expect((await elsewhere.patch(path, { nodes: [node.id] })).status).toBe(404);
  expect(
    (await (await bearer(test, await buildUser(test.db))).patch(path, { nodes: [node.id] })).status,
  ).toBe(403);
  expect(await adminUserOf(first)).toBeNull();

  expect(await admin.patch(path, { nodes: [node.id] })).toMatchObject({
    status: 200,
    body: { msg: 'ok' },
  });
  expect([await adminUserOf(first), await adminUserOf(second), await adminUserOf(other)]).toEqual([
    account.id,
    account.id,
    null,
  ]);
  const { body } = await admin.get<Json[]>(
    `audits/operate-logs/?resource_type=asset&search=${first.hostname}&order=-datetime`,
  );
  expect(body[0]).toMatchObject({ action: 'update' });
});

it('confirms a request to refresh the permission cache', async () => {
  expect(await admin.get('perms/asset-permissions/cache/refresh/')).toMatchObject({
    status: 200,
    body: { msg: true },
  });
  expect(
    (
      await (
        await bearer(test, await buildUser(test.db))
      ).get('perms/asset-permissions/cache/refresh/')
    ).status,
  ).toBe(403);
});

const OBJECT = '0b8c1b5e-3e3a-4f43-8d2c-5d3a8a7b1c11';
const PROFILE = '/core/console/users/profile';

/**
 * Every address outside its own pages that the console of version 2.1.0 opens, with our page that
 * it redirects to, if any.
 */
it.each([
  ['/', '/ui/'],
  ['/ui/', undefined],
  ['/core/auth/login/', undefined],
  ['/core/auth/logout/?next=/users/users', undefined],
  ['/core/auth/profile/otp/enable/start/?next=/users/profile', `${PROFILE}?activeTab=MFA`],
  ['/core/auth/profile/otp/update/?next=/users/profile', `${PROFILE}?activeTab=MFA`],
  ['/core/auth/profile/otp/disable/authentication/?next=/x', `${PROFILE}?activeTab=MFA`],
  ['/core/auth/profile/pubkey/generate/', `${PROFILE}?activeTab=SSHUpdate`],
  ['/core/flower?_=1595209920000', '/core/console/ops/task/monitor'],
  [`/core/ops/celery/task/${OBJECT}/log/`, `/core/console/ops/celery/task/${OBJECT}/log/`],
  ['/koko/elfinder/sftp/?', undefined],
  ['/luna/?_=1595209920000', undefined],
  [`/luna/?login_to=${OBJECT}`, undefined],
  [`/luna/?type=database_app&login_to=${OBJECT}`, undefined],
  [`/luna/?type=remote_app&login_to=${OBJECT}`, undefined],
  [`/luna/join/?shareroom=${OBJECT}`, undefined],
  [`/luna/replay/${OBJECT}`, undefined],
])('answers %s with a page of ours', async (from, to) => {
  const answer = await test.visitor.get(from);
  const isRedirected = to !== undefined;
  expect([answer.status, answer.headers.get('location')]).toEqual([
    isRedirected ? 302 : 200,
    to ?? null,
  ]);
  const page = isRedirected ? await test.visitor.get(to) : answer;
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
});

it.each(['..%2F..%2Fx', 'nonsense', '%0d%0aset-cookie:x'])(
  'returns 404 for the old address of a log when %s is no id',
  async (id) => {
    const answer = await test.visitor.get(`/core/ops/celery/task/${id}/log/`);
    expect([answer.status, answer.headers.get('location')]).toEqual([404, null]);
  },
);

it('reports the missing password at the key field when the form has no password field', async () => {
  const own = await bearer(test, await buildUser(test.db));
  await agePasswordProofs(test, 6);
  const key = `ssh-ed25519 ${Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.from([0, 0, 0, 32]), Buffer.alloc(32, 7)]).toString('base64')}`;
  expect(await own.put('users/profile/public-key/', { public_key: key })).toMatchObject({
    status: 400,
    body: { password: [expect.any(String)], public_key: [expect.stringContaining('password')] },
  });
  const { status, body } = await own.put<Json>('users/profile/public-key/', {
    public_key: key,
    password: '',
  });
  expect([status, Object.keys(body)]).toEqual([400, ['password']]);
});
