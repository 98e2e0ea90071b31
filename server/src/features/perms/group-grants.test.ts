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
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let organization: string;
let insider: Client;
beforeAll(async () => {
  test = await startTestProgram();
  organization = await buildOrganization(test.db);
  insider = await signInMember(test, organization);
});
afterAll(() => test.stop());

const ids = (rows: Json[]) => rows.map(({ id }) => id).sort();

it('lists the assets, nodes and system users that a group grants, without other grants of its members', async () => {
  const { db } = test;
  const root = await rootNode(db, organization);
  const node = String(
    (await insider.post(`assets/nodes/${root}/children/`, { value: 'granted' })).body.id,
  );
  const [direct, below, other] = [
    await buildAsset(db, { organization }),
    await buildAsset(db, { organization, nodes: [node] }),
    await buildAsset(db, { organization }),
  ];
  const member = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
  const group = await buildGroup(db, [member.id], organization);
  const [systemUser, another] = [
    await buildSystemUser(db, { organization }),
    await buildSystemUser(db, { organization }),
  ];
  await buildPermission(db, {
    organization,
    groups: [group],
    assets: [direct],
    nodes: [node],
    systemUsers: [systemUser],
    actions: 1,
  });
  await buildPermission(db, {
    organization,
    users: [member.id],
    assets: [direct, other],
    systemUsers: [another],
  });
  const url = `perms/user-groups/${group}`;

  expect(ids((await insider.get<Json[]>(`${url}/assets/`)).body)).toEqual([direct, below].sort());
  expect(ids((await insider.get<Json[]>(`${url}/nodes/${node}/assets/`)).body)).toEqual([below]);
  expect((await insider.get<Json[]>(`${url}/assets/${direct}/system-users/`)).body).toEqual([
    expect.objectContaining({ id: systemUser, actions: ['connect'] }),
  ]);
  expect((await insider.get<Json[]>(`${url}/assets/${other}/system-users/`)).body).toEqual([]);
  expect(ids((await insider.get<Json[]>(`${url}/nodes/`)).body)).toEqual([root, node].sort());
  expect(ids((await insider.get<Json[]>(`${url}/nodes/children/?id=${root}`)).body)).toEqual([
    node,
  ]);
  expect(
    (await insider.get<Json[]>(`${url}/nodes/tree/`)).body.map(({ title }) => title).sort(),
  ).toEqual(['Root (2)', 'granted (1)']);
  const tree = await insider.get<Json[]>(`${url}/nodes/children/tree/`);
  expect(tree.body.map(({ title }) => title).sort()).toEqual(['Root (2)', 'granted (1)']);
  expect(ids((await insider.get<Json[]>(`perms/users/${member.id}/assets/`)).body)).toEqual(
    [direct, below, other].sort(),
  );
});

it('distinguishes a group from a user with the same id', async () => {
  const { db } = test;
  const asset = await buildAsset(db, { organization });
  const person = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
  // Only a super administrator chooses the id of a new object.
  const sameId = await (await bearer(test))
    .inOrganization(organization)
    .post<Json>('users/groups/', { id: person.id, name: 'same id' });
  expect([sameId.status, sameId.body.id]).toEqual([201, person.id]);
  await buildPermission(db, {
    organization,
    groups: [person.id],
    assets: [asset],
    systemUsers: [await buildSystemUser(db, { organization })],
  });
  const of = async (what: string) =>
    ids((await insider.get<Json[]>(`perms/${what}/${person.id}/assets/`)).body);
  expect([await of('user-groups'), await of('users'), await of('user-groups')]).toEqual([
    [asset],
    [],
    [asset],
  ]);
});

it('responds with 404 for a group of another organization', async () => {
  const there = await buildOrganization(test.db);
  const group = await buildGroup(test.db, [], there);
  for (const path of [
    'assets/',
    'nodes/',
    'nodes/tree/',
    'nodes/children/',
    'nodes/children/tree/',
    `assets/${crypto.randomUUID()}/system-users/`,
  ])
    expect([path, (await insider.get(`perms/user-groups/${group}/${path}`)).status]).toEqual([
      path,
      404,
    ]);
});
