import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type BuiltUser,
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
} from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { unzip } from '../../testing/unzip.ts';

let test: TestProgram;
let admin: Client;
let user: BuiltUser;
let asset: string;
let systemUser: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  asset = await buildAsset(test.db);
  systemUser = await buildSystemUser(test.db);
});

const usersOfAsset = async (query = '') =>
  (await admin.get<Page>(`perms/access/assets/${asset}/users/${query}`)).body;
const check = async () =>
  (await admin.get<Json>(`perms/access/check/?user=${user.id}&asset=${asset}`)).body;
const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);

describe('who can reach an asset', () => {
  it('returns system users, permission, group and node for each user who reaches an asset', async () => {
    const group = await buildGroup(test.db, [user.id]);
    const node = await rootNode(test.db);
    const placed = await buildAsset(test.db, { nodes: [node] });
    const rule = await buildPermission(test.db, {
      groups: [group],
      nodes: [node],
      systemUsers: [systemUser],
      actions: 1,
    });
    const { body } = await admin.get<Page>(
      `perms/access/assets/${placed}/users/?search=${user.username}`,
    );
    expect(body.count).toBe(1);
    expect(body.results[0]).toMatchObject({
      id: user.id,
      username: user.username,
      accounts: [{ id: systemUser, protocol: 'ssh', actions: ['connect'] }],
      paths: [
        { permission: { id: rule }, group: { id: group }, node: { id: node, name: 'Default' } },
      ],
    });
    expect(JSON.stringify(body)).not.toMatch(/password|private_key/);
    // Every asset is below the root node.
    expect((await admin.delete(`perms/asset-permissions/${rule}/`)).status).toBe(204);
  });

  it('pages the users of an asset by name, and searches by name', async () => {
    const others = [];
    for (const index of [1, 2, 3])
      others.push(await buildUser(test.db, { username: `page${index}-${user.username}` }));
    await buildPermission(test.db, {
      users: [user.id, ...others.map(({ id }) => id)],
      assets: [asset],
      systemUsers: [systemUser],
    });
    expect((await usersOfAsset()).count).toBe(4);
    const second = await usersOfAsset(`?search=page&limit=2&offset=2`);
    expect(second).toMatchObject({ count: 3, next: null, results: [{ id: others[2]?.id }] });
    expect(second.previous).toContain('limit=2');
    expect((await usersOfAsset('?search=%25')).count).toBe(0);
  });

  it("omits disabled users, and users without a system user of the asset's protocol", async () => {
    const disabled = await buildUser(test.db, { isActive: false });
    await buildPermission(test.db, {
      users: [disabled.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [await buildSystemUser(test.db, { protocol: 'rdp' })],
    });
    expect(await usersOfAsset()).toMatchObject({ count: 0, results: [] });
  });
});

it('lists the assets of a user with their permissions and system users', async () => {
  const rule = await buildPermission(test.db, {
    users: [user.id],
    assets: [asset],
    systemUsers: [systemUser],
  });
  const { body } = await admin.get<Page>(`perms/access/users/${user.id}/assets/`);
  expect(body).toMatchObject({
    count: 1,
    results: [
      {
        id: asset,
        paths: [{ permission: { id: rule }, group: null, node: null }],
        accounts: [{ id: systemUser }],
      },
    ],
  });
});

it('exports all rows as CSV with localized reasons, and rejects an unknown format', async () => {
  const group = await buildGroup(test.db, [user.id]);
  const others: string[] = [];
  while (others.length < 3) others.push((await buildUser(test.db)).id);
  await buildPermission(test.db, {
    users: others,
    groups: [group],
    assets: [asset],
    systemUsers: [systemUser],
  });
  const { status, headers, text } = await admin.send(
    'GET',
    `perms/access/assets/${asset}/users/?format=csv`,
  );
  const lines = text.trim().split('\r\n');
  expect([status, headers.get('content-type'), lines.length]).toEqual([
    200,
    'text/csv; charset=utf-8',
    5,
  ]);
  expect(lines.find((line) => line.includes(user.username))).toMatch(/ · (group|用户组) group-/);
  expect(headers.get('content-disposition')).toContain('attachment; filename="access_');
  for (const path of [
    `users/${user.id}/assets`,
    `user-groups/${group}/assets`,
    `system-users/${systemUser}/users`,
  ])
    expect(
      (await admin.send('GET', `perms/access/${path}/?format=csv`)).text.split('\r\n').length,
    ).toBeGreaterThan(2);
  expect((await admin.send('GET', `perms/access/assets/${asset}/users/?format=pdf`)).status).toBe(
    400,
  );
});

it('exports the users of an asset as an Excel workbook', async () => {
  await buildPermission(test.db, { users: [user.id], assets: [asset], systemUsers: [systemUser] });
  const answer = await fetch(
    new URL(`/api/v1/perms/access/assets/${asset}/users/?format=xlsx`, admin.url),
    { headers: admin.headers },
  );
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ]);
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="access_.*\.xlsx"$/,
  );
  expect(unzip(Buffer.from(await answer.arrayBuffer())).get('xl/worksheets/sheet1.xml')).toContain(
    user.username,
  );
});

describe('the tree of accesses', () => {
  it('returns one branch per permission, group and node, with the users of the list', async () => {
    const [one, other, disabled] = [
      await buildUser(test.db),
      await buildUser(test.db),
      await buildUser(test.db, { isActive: false }),
    ];
    const group = await buildGroup(test.db, [one.id, other.id, disabled.id]);
    const root = await rootNode(test.db);
    const rule = await buildPermission(test.db, {
      users: [user.id],
      groups: [group],
      assets: [asset],
      systemUsers: [systemUser],
    });
    await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
      end: inHours(-1),
    });
    await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [await buildSystemUser(test.db, { protocol: 'rdp' })],
    });
    const placed = await buildAsset(test.db, { nodes: [root] });
    const { body } = await admin.get<Page>(`perms/access/assets/${asset}/users/tree/`);
    expect(
      body.results
        .map(({ permission, group, node, count }) => [
          (permission as Json).id,
          group && (group as Json).id,
          node,
          count,
        ])
        .toSorted(),
    ).toEqual(
      [
        [rule, null, null, 1],
        [rule, group, null, 2],
      ].toSorted(),
    );
    expect(
      (await admin.get<Page>(`perms/access/permissions/${rule}/users/?group=${group}`)).body,
    ).toMatchObject({
      count: 2,
      results: [{ id: expect.stringMatching(`${one.id}|${other.id}`) }, {}],
    });
    expect((await admin.get<Page>(`perms/access/permissions/${rule}/users/`)).body).toMatchObject({
      count: 1,
      results: [{ id: user.id }],
    });
    const wide = await buildPermission(test.db, {
      groups: [group],
      nodes: [root],
      systemUsers: [systemUser],
      actions: 1,
    });
    const branch = {
      permission: { id: wide },
      group: { id: group },
      node: { id: root, name: 'Default' },
      accounts: [{ id: systemUser, actions: ['connect'] }],
      count: 2,
    };
    expect(
      (await admin.get<Page>(`perms/access/assets/${placed}/users/tree/?limit=1`)).body,
    ).toMatchObject({ count: 1, results: [branch] });
    expect(
      (await admin.get<Page>(`perms/access/nodes/${root}/users/tree/`)).body.results,
    ).toContainEqual(
      expect.objectContaining({ permission: { id: wide, name: expect.anything() }, count: 2 }),
    );
    const used = (await admin.get<Page>(`perms/access/system-users/${systemUser}/users/tree/`))
      .body;
    expect(used.results.map(({ count }) => Number(count)).toSorted()).toEqual([1, 2, 2]);
    expect((await admin.delete(`perms/asset-permissions/${wide}/`)).status).toBe(204);
  });

  it('returns the branches of a user and of a group, with the assets of the list', async () => {
    const group = await buildGroup(test.db, [user.id]);
    const root = await rootNode(test.db);
    const node = String(
      (await admin.post<Json>(`assets/nodes/${root}/children/`, { value: `tree ${user.username}` }))
        .body.id,
    );
    const [first, second] = [
      await buildAsset(test.db, { nodes: [node] }),
      await buildAsset(test.db, { nodes: [node] }),
    ];
    const rule = await buildPermission(test.db, {
      users: [user.id],
      groups: [group],
      nodes: [node],
      assets: [asset],
      systemUsers: [systemUser],
    });
    await admin.patch(`assets/assets/${second}/`, { is_active: false });
    const ofUser = (await admin.get<Page>(`perms/access/users/${user.id}/assets/tree/`)).body;
    expect(
      ofUser.results.map(({ group: through, node: place, count }) => [
        Boolean(through),
        place && (place as Json).id,
        count,
      ]),
    ).toEqual([
      [false, null, 1],
      [false, node, 1],
      [true, null, 1],
      [true, node, 1],
    ]);
    expect(
      (await admin.get<Page>(`perms/access/permissions/${rule}/assets/?node=${node}`)).body,
    ).toMatchObject({ count: 1, results: [{ id: first }] });
    expect((await admin.get<Page>(`perms/access/permissions/${rule}/assets/`)).body).toMatchObject({
      count: 1,
      results: [{ id: asset }],
    });
    expect(
      (await admin.get<Page>(`perms/access/user-groups/${group}/assets/tree/`)).body.count,
    ).toBe(2);
    expect((await admin.get(`perms/access/permissions/${rule}/assets/?node=x`)).status).toBe(400);
  });

  it('responds with 404 for access trees of another organization, and 403 for users', async () => {
    const organization = await buildOrganization(test.db);
    const rule = await buildPermission(test.db, { organization });
    for (const path of [
      `assets/${await buildAsset(test.db, { organization })}/users/tree`,
      `user-groups/${await buildGroup(test.db, [], organization)}/assets/tree`,
      `permissions/${rule}/users`,
      `permissions/${rule}/assets`,
    ]) {
      expect((await admin.get(`perms/access/${path}/`)).status).toBe(404);
      expect((await (await bearer(test, user)).get(`perms/access/${path}/`)).status).toBe(403);
    }
  });
});

describe('nodes, system users and groups', () => {
  it('lists the users of a node and of a system user, and the assets of a group', async () => {
    const group = await buildGroup(test.db, [user.id]);
    const root = await rootNode(test.db);
    const node = String(
      (await admin.post<Json>(`assets/nodes/${root}/children/`, { value: `shop ${user.username}` }))
        .body.id,
    );
    const placed = await buildAsset(test.db, { nodes: [node] });
    const rule = await buildPermission(test.db, {
      groups: [group],
      nodes: [node],
      systemUsers: [systemUser],
      actions: 1,
    });
    const expected = {
      id: user.id,
      accounts: [{ id: systemUser, actions: ['connect'] }],
      paths: [{ permission: { id: rule }, group: { id: group } }],
    };
    const ofNode = (await admin.get<Page>(`perms/access/nodes/${node}/users/`)).body;
    expect(ofNode).toMatchObject({
      count: 1,
      results: [{ ...expected, paths: [{ node: { id: node } }] }],
    });
    // The root contains the node.
    expect(
      (await admin.get<Page>(`perms/access/nodes/${root}/users/?search=${user.username}`)).body,
    ).toMatchObject({ count: 1, results: [expected] });
    expect(
      (await admin.get<Page>(`perms/access/system-users/${systemUser}/users/`)).body,
    ).toMatchObject({ count: 1, results: [expected] });
    expect((await admin.get<Page>(`perms/access/user-groups/${group}/assets/`)).body).toMatchObject(
      {
        count: 1,
        results: [
          {
            id: placed,
            paths: [{ permission: { id: rule }, group: { id: group }, node: { id: node } }],
          },
        ],
      },
    );
    // A permission that names the user directly does not count for the group.
    await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    expect((await admin.get<Page>(`perms/access/user-groups/${group}/assets/`)).body.count).toBe(1);
    await admin.patch(`assets/assets/${placed}/`, { is_active: false });
    expect((await admin.get<Page>(`perms/access/nodes/${node}/users/`)).body.count).toBe(0);
  });

  it('lists users who reach an asset of the node through another node', async () => {
    const root = await rootNode(test.db);
    const addNode = async (value: string) =>
      String(
        (
          await admin.post<Json>(`assets/nodes/${root}/children/`, {
            value: `${value} ${user.username}`,
          })
        ).body.id,
      );
    const [here, there] = [await addNode('here'), await addNode('there')];
    await buildAsset(test.db, { nodes: [here] });
    await buildPermission(test.db, { users: [user.id], nodes: [there], systemUsers: [systemUser] });
    const ofHere = async () => (await admin.get<Page>(`perms/access/nodes/${here}/users/`)).body;
    expect((await ofHere()).count).toBe(0);
    await buildAsset(test.db, { nodes: [here, there] });
    expect(await ofHere()).toMatchObject({
      count: 1,
      results: [{ id: user.id, paths: [{ node: { id: there } }] }],
    });
  });

  it('responds with 404 for nodes, system users and groups of another organization, and 403 for users', async () => {
    const organization = await buildOrganization(test.db);
    const group = await buildGroup(test.db, [], organization);
    for (const path of [
      `nodes/${await rootNode(test.db, organization)}/users`,
      `system-users/${await buildSystemUser(test.db, { organization })}/users`,
      `user-groups/${group}/assets`,
    ]) {
      expect((await admin.get(`perms/access/${path}/`)).status).toBe(404);
      expect((await (await bearer(test, user)).get(`perms/access/${path}/`)).status).toBe(403);
    }
  });
});

describe('why not', () => {
  it('returns no obstacles when access is granted', async () => {
    const rule = await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    expect(await check()).toMatchObject({
      granted: true,
      near: [],
      access: { paths: [{ permission: { id: rule } }] },
    });
  });

  it('returns the nearest permissions with their obstacles, fewest obstacles first', async () => {
    const expired = await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
      end: inHours(-1),
    });
    const without = await buildPermission(test.db, { assets: [asset], systemUsers: [systemUser] });
    const elsewhere = await buildPermission(test.db, {
      users: [user.id],
      systemUsers: [await buildSystemUser(test.db, { protocol: 'vnc' })],
    });
    const { granted, near } = await check();
    expect(granted).toBe(false);
    expect(
      (near as Json[]).map(({ permission, obstacles }) => [(permission as Json).id, obstacles]),
    ).toEqual([
      [expired, ['expired']],
      [without, ['user']],
      [elsewhere, ['asset', 'protocol']],
    ]);
    expect(near).toMatchObject([
      { account_protocols: [], target_protocols: [] },
      { account_protocols: [], target_protocols: [] },
      { account_protocols: ['vnc'], target_protocols: ['ssh'] },
    ]);
  });

  it('returns a disabled user and a disabled asset as general obstacles', async () => {
    const { body } = await admin.patch(`users/users/${user.id}/`, { is_active: false });
    expect(body).toMatchObject({ is_active: false });
    await admin.patch(`assets/assets/${asset}/`, { is_active: false });
    expect((await check()).general).toEqual(['user_disabled', 'asset_disabled']);
  });
});

it('rejects users with 403, and objects of other organizations with 404', async () => {
  const own = await bearer(test, user);
  const foreign = await buildAsset(test.db, { organization: await buildOrganization(test.db) });
  expect((await own.get(`perms/access/assets/${asset}/users/`)).status).toBe(403);
  expect((await own.get(`perms/access/check/?user=${user.id}&asset=${asset}`)).status).toBe(403);
  expect((await admin.get(`perms/access/assets/${foreign}/users/`)).status).toBe(404);
  expect((await admin.get(`perms/access/check/?user=${user.id}&asset=${foreign}`)).status).toBe(
    404,
  );
  expect((await admin.get('perms/access/check/')).status).toBe(404);
});
