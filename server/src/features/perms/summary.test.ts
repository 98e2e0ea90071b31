import type { PermissionSummary } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const PATH = 'perms/permission-summary/';

it('counts each user and each asset of a permission once', async () => {
  const [one, two] = [await buildUser(test.db), await buildUser(test.db)];
  const group = await buildGroup(test.db, [one.id, two.id]);
  const assets = [await buildAsset(test.db), await buildAsset(test.db)];
  const account = await buildSystemUser(test.db);
  const root = await rootNode(test.db);
  const { status, body } = await admin.post<PermissionSummary>(PATH, {
    users: [one.id],
    user_groups: [group],
    assets: [assets[0]],
    nodes: [root],
    system_users: [account],
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    users: { count: 1 },
    user_groups: { count: 1 },
    nodes: { count: 1 },
    system_users: { count: 1 },
    people: 2,
    reached: 2,
  });
  expect((await admin.post<PermissionSummary>(PATH, {})).body).toMatchObject({
    people: 0,
    reached: 0,
    users: { count: 0, names: [] },
  });
});

it('names system users whose protocol no asset offers, direct or below a node', async () => {
  const node = String(
    (
      await admin.post<Json>(`assets/nodes/${await rootNode(test.db)}/children/`, {
        value: 'Devices',
      })
    ).body.id,
  );
  const desktop = await buildAsset(test.db, { protocols: ['rdp/3389', 'ssh/22'] });
  const switchboard = await buildAsset(test.db, { protocols: ['telnet/23'], nodes: [node] });
  const [rdp, vnc, telnet, mysql] = await Promise.all(
    ['rdp', 'vnc', 'telnet', 'mysql'].map((protocol) => buildSystemUser(test.db, { protocol })),
  );
  const unoffered = async (named: Json) =>
    (await admin.post<PermissionSummary>(PATH, named)).body.unoffered.map(
      ({ protocol, accounts: { count, names } }) => [protocol, count, names.length],
    );
  const accounts = [rdp, vnc, telnet, mysql, await buildSystemUser(test.db, { protocol: 'vnc' })];
  expect(await unoffered({ assets: [desktop], system_users: accounts })).toEqual([
    ['mysql', 1, 1],
    ['telnet', 1, 1],
    ['vnc', 2, 2],
  ]);
  expect(
    await unoffered({ assets: [desktop], nodes: [node], system_users: [rdp, telnet] }),
  ).toEqual([]);
  expect(await unoffered({ assets: [switchboard], system_users: [rdp] })).toEqual([['rdp', 1, 1]]);
  // Without assets there is nothing to compare with.
  expect(await unoffered({ system_users: [vnc] })).toEqual([]);
  expect(await unoffered({ assets: [desktop] })).toEqual([]);
});

it('ignores objects of other organizations, and rejects callers who are not administrators', async () => {
  const elsewhere = await buildOrganization(test.db);
  const foreign = await buildAsset(test.db, { organization: elsewhere });
  const person = await buildUser(test.db);
  expect(
    (
      await admin.post<PermissionSummary>(PATH, {
        assets: [foreign],
        nodes: [await rootNode(test.db, elsewhere)],
      })
    ).body,
  ).toMatchObject({
    assets: { count: 0, names: [] },
    nodes: { count: 0 },
    reached: 0,
  });
  expect(
    (await admin.inOrganization(elsewhere).post<PermissionSummary>(PATH, { users: [person.id] }))
      .body,
  ).toMatchObject({ users: { count: 0 }, people: 0 });
  for (const role of ['User', 'Auditor'] as const) {
    const caller = await bearer(test, await buildUser(test.db, { role }));
    expect((await caller.post(PATH, {})).status).toBe(403);
  }
  expect((await test.visitor.post(PATH, {})).status).toBe(401);
  expect((await admin.post(PATH, { users: ['x'] })).status).toBe(400);
});

it('returns the first name of each field of a permission, and the groups of its users', async () => {
  const [direct, both] = [await buildUser(test.db), await buildUser(test.db)];
  const group = await buildGroup(test.db, [both.id]);
  const asset = await buildAsset(test.db);
  const account = await buildSystemUser(test.db);
  const rule = await buildPermission(test.db, {
    users: [direct.id, both.id],
    groups: [group],
    assets: [asset],
    systemUsers: [account],
  });
  const { body } = await admin.get<Json>(`perms/asset-permissions/${rule}/`);
  expect(body.first_names).toMatchObject({
    user_groups: { id: group },
    assets: { id: asset },
    nodes: null,
    system_users: { id: account },
  });
  const users = (await admin.get<Json[]>(`perms/asset-permissions/${rule}/users/all/`)).body;
  expect(users.find((row) => row.user === direct.id)).toMatchObject({ direct: true, through: [] });
  expect(users.find((row) => row.user === both.id)).toMatchObject({
    direct: true,
    through: [{ id: group }],
  });
  expect(
    (await admin.get<Json[]>(`perms/asset-permissions/${rule}/assets/all/`)).body,
  ).toMatchObject([{ asset, direct: true, through: [] }]);
});
