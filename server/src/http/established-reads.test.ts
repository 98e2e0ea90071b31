import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  buildOrganization,
  buildPermission,
  buildUser,
  rootNode,
  unique,
} from '../testing/builders.ts';
import type { Client, Json, Page } from '../testing/client.ts';
import { ADMIN, bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

/** Reads of version 2.1 below one object, and ways in which its clients send requests. */

let test: TestProgram;
let admin: Client;
const ids: Record<string, string> = {};
const add = async (path: string, body: Json) =>
  String((await admin.post<Json>(path, body)).body.id);
const SECRET = 'A-good-password-1';
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  ids.domain = await add('assets/domains/', { name: unique('domain') });
  const gateway = { ip: '10.5.0.9', username: 'jump', password: SECRET, domain: ids.domain };
  ids.gateway = await add('assets/gateways/', { ...gateway, name: unique('gateway') });
  await add('assets/gateways/', { ...gateway, name: unique('off'), is_active: false });
  ids.adminUser = await add('assets/admin-users/', { name: unique('root'), password: SECRET });
  ids.account = await add('assets/system-users/', {
    name: unique('ops'),
    username: 'ops',
    login_mode: 'manual',
  });
  const asset = (more: Json) =>
    add('assets/assets/', { hostname: unique('host'), ip: '10.5.0.1', platform: 'Linux', ...more });
  ids.asset = await asset({ domain: ids.domain, admin_user: ids.adminUser });
  ids.other = await asset({ platform: 'Windows2016' });
  ids.node = await add(`assets/nodes/${await rootNode(test.db)}/children/`, { value: unique('a') });
  ids.below = await add(`assets/nodes/${ids.node}/children/`, { value: unique('b') });
  await buildPermission(test.db, { assets: [ids.asset], systemUsers: [ids.account] });
});
afterAll(() => test.stop());

const idsOf = (rows: readonly Json[]) => rows.map(({ id }) => id);

it('lists the active gateways of an asset without their secrets', async () => {
  const { body, text } = await admin.get<Json[]>(`assets/assets/${ids.asset}/gateways/`);
  expect(idsOf(body)).toEqual([ids.gateway]);
  expect(body[0]).toMatchObject({ ip: '10.5.0.9', port: 22, protocol: 'ssh', username: 'jump' });
  expect(text).not.toContain(SECRET);
  expect((await admin.get(`assets/assets/${ids.other}/gateways/`)).body).toEqual([]);
  expect((await admin.get(`assets/assets/${ids.asset}/gateways/?limit=1`)).body).toMatchObject({
    count: 1,
  });
});

it('returns the platform of an asset', async () => {
  expect((await admin.get(`assets/assets/${ids.asset}/platform/`)).body).toMatchObject({
    name: 'Linux',
    base: 'Linux',
    charset: 'utf8',
  });
  expect((await admin.get(`assets/assets/${ids.other}/platform/`)).body).toMatchObject({
    name: 'Windows2016',
    base: 'Windows',
    meta: { security: 'tls' },
  });
});

it.each([
  ['admin-users', () => ids.adminUser],
  ['system-users', () => ids.account],
])('lists the assets of one of the %s, bare and in pages', async (path, id) => {
  const url = `assets/${path}/${id()}/assets/`;
  expect(idsOf((await admin.get<Json[]>(url)).body)).toEqual([ids.asset]);
  expect((await admin.get<Page>(`${url}?limit=5`)).body.count).toBe(1);
  expect((await admin.get(`${url}?search=no-such-host`)).body).toEqual([]);
});

it('shows all nodes as a tree', async () => {
  const { body } = await admin.get<Json[]>('assets/nodes/tree/');
  const nodeOf = (row: Json) => (row.meta as { node: Json }).node.id;
  expect(body.map(nodeOf)).toEqual(expect.arrayContaining([ids.node, ids.below]));
  const below = body.find((row) => nodeOf(row) === ids.below);
  expect(below?.pId).toBe(body.find((row) => nodeOf(row) === ids.node)?.id);
});

describe('every one of these reads', () => {
  const READS: readonly (readonly [path: string, id: () => string | undefined])[] = [
    ['assets/assets/{id}/gateways/', () => ids.asset],
    ['assets/assets/{id}/platform/', () => ids.asset],
    ['assets/admin-users/{id}/assets/', () => ids.adminUser],
    ['assets/system-users/{id}/assets/', () => ids.account],
  ];

  it.each(READS)('answers 404 in another organization and for other ids: %s', async (path, id) => {
    const elsewhere = admin.inOrganization(await buildOrganization(test.db));
    expect((await elsewhere.get(path.replace('{id}', id() ?? ''))).status).toBe(404);
    for (const none of [crypto.randomUUID(), 'x', '..%2f'])
      expect((await admin.get(path.replace('{id}', none))).status).toBe(404);
  });

  it.each([...READS, ['assets/nodes/tree/', () => ''] as const])(
    'rejects users, auditors and visitors: %s',
    async (path, id) => {
      const url = path.replace('{id}', id() ?? '');
      for (const role of ['User', 'Auditor'] as const) {
        const client = await bearer(test, await buildUser(test.db, { role }));
        expect([role, (await client.get(url)).status]).toEqual([role, 403]);
      }
      expect((await test.visitor.get(url)).status).toBe(401);
    },
  );
});

it.each(['PUT', 'PATCH'])('moves nodes and unblocks users by %s', async (method) => {
  const moved = await add('assets/nodes/', { value: unique('moved') });
  const target = `assets/nodes/${ids.node}/children/add/`;
  expect((await admin.request(method, target, { nodes: [moved] })).status).toBe(200);
  const children = await admin.get<Json[]>(`assets/nodes/${ids.node}/children/`);
  expect(idsOf(children.body)).toContain(moved);
  const { id } = await buildUser(test.db);
  expect((await admin.request(method, `users/users/${id}/unblock/`)).status).toBe(200);
});

it('takes a bearer token under the name Token, and no other token', async () => {
  const { token } = (await test.visitor.post<Json>('authentication/auth/', { ...ADMIN })).body;
  for (const scheme of ['Token', 'token', 'Bearer'])
    expect(
      (await test.visitor.with({ authorization: `${scheme} ${token}` }).get('users/profile/')).body,
    ).toMatchObject({ username: 'admin' });
  for (const wrong of ['Token', `Token ${'0'.repeat(40)}`, `Tokens ${token}`, `Sign ${token}`])
    expect((await test.visitor.with({ authorization: wrong }).get('users/profile/')).status).toBe(
      401,
    );
});

it('reads a body without a content type as JSON', async () => {
  const sent = JSON.stringify({ name: unique('label'), value: 'v' });
  expect((await admin.send('POST', 'assets/labels/', sent)).status).toBe(201);
  expect(await admin.send('POST', 'assets/labels/', 'name=x&value=y')).toMatchObject({
    status: 400,
    body: { code: 'malformed_json' },
  });
  expect((await admin.send('POST', 'assets/labels/', sent, 'text/plain')).status).toBe(415);
});
