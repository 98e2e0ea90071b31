import type { TreeNode } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildAsset, buildOrganization, rootNode } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { assertTreeIsExact } from '../../testing/tree-audit.ts';

let test: TestProgram;
let admin: Client;
let organization: string;
let root: string;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  admin = (await bearer(test)).inOrganization(organization);
  root = await rootNode(test.db, organization);
});

const add = async (parent: string, value?: string, client = admin) =>
  (await client.post(`assets/nodes/${parent}/children/`, value === undefined ? {} : { value }))
    .body;
const move = (id: unknown, to: unknown) =>
  admin.put(`assets/nodes/${to}/children/add/`, { nodes: [id] });
const node = async (id: unknown) => (await admin.get(`assets/nodes/${id}/`)).body;

describe('searching', () => {
  it('finds nodes by names in their path if one is their own', async () => {
    const [eu, us] = [await add(root, 'eu-central'), await add(root, 'us-east')];
    for (const region of [eu, us]) await add(String(region.id), 'prod');
    const findNames = async (search: string) =>
      (await admin.get<Json[]>(`assets/nodes/?search=${encodeURIComponent(search)}`)).body
        .map(({ full_value }) => full_value)
        .sort();
    expect(await findNames('eu prod')).toEqual(['Root / eu-central / prod']);
    expect(await findNames('PROD / eu-central')).toEqual(['Root / eu-central / prod']);
    expect(await findNames('eu-central/prod')).toEqual(['Root / eu-central / prod']);
    expect(await findNames('prod')).toEqual(['Root / eu-central / prod', 'Root / us-east / prod']);
    expect(await findNames('eu')).toEqual(['Root / eu-central']);
    expect(await findNames('eu east')).toEqual([]);
    expect(await findNames('pr%d')).toEqual([]);
  });
});

describe('searching in the tree', () => {
  it('returns matches with their ancestors, within the organization', async () => {
    const [eu, us] = [await add(root, 'eu-central'), await add(root, 'us-east')];
    for (const region of [eu, us])
      for (const name of ['prod-10', 'prod-2', 'dev']) await add(String(region.id), name);
    const findNames = async (search: string, client = admin) =>
      (
        await client.get<TreeNode[]>(
          `assets/nodes/children/tree/?search=${encodeURIComponent(search)}`,
        )
      ).body.map(({ meta }) => meta.type === 'node' && meta.node.value);
    expect(await findNames('eu prod')).toEqual(['eu-central', 'prod-2', 'prod-10', 'Root']);
    expect(await findNames('us-east')).toEqual(['Root', 'us-east']);
    expect(await findNames('prod%')).toEqual([]);
    const elsewhere = (await bearer(test)).inOrganization(await buildOrganization(test.db));
    expect(await findNames('prod', elsewhere)).toEqual([]);
  });
});

describe('growing', () => {
  it('names new nodes automatically in the language of the request', async () => {
    const names = [
      await add(root),
      await add(root),
      await add(root, undefined, admin.with({ 'accept-language': 'zh' })),
      await add(root),
    ];
    expect(names.map((row) => row.value)).toEqual([
      'New node 1',
      'New node 2',
      '新节点 1',
      'New node 3',
    ]);
  });

  it('gives new keys after a node is deleted', async () => {
    const first = await add(root, 'a');
    await admin.delete(`assets/nodes/${first.id}/`);
    expect((await add(root, 'b')).key).not.toBe(first.key);
  });

  it('creates a child of the root by a plain POST', async () => {
    const { status, body } = await admin.post('assets/nodes/', { value: '机房' });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        value: '机房',
        name: '机房',
        full_value: 'Root / 机房',
        assets_amount: 0,
        org_id: organization,
      }),
    ]);
  });

  it('rejects the name of a sibling, and accepts it elsewhere', async () => {
    const a = await add(root, 'a');
    expect(await add(root, 'a')).toEqual({ value: ['This field must be unique.'] });
    expect(await add(String(a.id), 'a')).toMatchObject({ full_value: 'Root / a / a' });
  });

  it('rejects nodes below the 30th level', async () => {
    let parent = root;
    for (let level = 2; level <= 30; level++) parent = String((await add(parent)).id);
    expect(await add(parent)).toMatchObject({ code: 'node_too_deep' });
  });
});

describe('renaming', () => {
  it('changes the paths of the subtree when a node is renamed', async () => {
    const a = await add(root, 'a');
    const b = await add(String(a.id), 'b');
    await admin.patch(`assets/nodes/${a.id}/`, { value: 'x' });
    expect((await node(b.id)).full_value).toBe('Root / x / b');
  });

  it('rejects the name of a sibling, and accepts the unchanged name', async () => {
    const [a] = [await add(root, 'a'), await add(root, 'b')];
    expect((await admin.patch(`assets/nodes/${a.id}/`, { value: 'b' })).body).toEqual({
      value: ['This field must be unique.'],
    });
    expect((await admin.patch(`assets/nodes/${a.id}/`, { value: 'a' })).status).toBe(200);
  });

  it('rejects renaming the root', async () => {
    expect((await admin.patch(`assets/nodes/${root}/`, { value: 'x' })).body).toMatchObject({
      code: 'node_root',
    });
  });
});

describe('moving', () => {
  it('moves the subtree with its counts', async () => {
    const [a, b] = [await add(root, 'a'), await add(root, 'b')];
    const below = await add(String(a.id), 'below');
    const asset = await buildAsset(test.db, { organization, nodes: [String(below.id)] });
    expect((await node(a.id)).assets_amount).toBe(1);
    expect((await move(a.id, b.id)).text).toBe('OK');
    expect(await node(below.id)).toMatchObject({
      full_value: 'Root / b / a / below',
      assets_amount: 1,
    });
    expect((await node(b.id)).assets_amount).toBe(1);
    expect(
      (await admin.get<Json[]>(`assets/assets/?node_id=${b.id}&all=1`)).body.map((row) => row.id),
    ).toEqual([asset]);
    expect(
      (await admin.get(`assets/nodes/${b.id}/assets/?format=csv&fields=id&all=1`)).text
        .trim()
        .split('\r\n'),
    ).toEqual(['ID', asset]);
    await assertTreeIsExact(test.db, organization);
  });

  it('counts an asset once when it is below both nodes', async () => {
    const [a, b] = [await add(root, 'a'), await add(root, 'b')];
    await buildAsset(test.db, { organization, nodes: [String(a.id), String(b.id)] });
    await move(a.id, b.id);
    expect([(await node(b.id)).assets_amount, (await node(root)).assets_amount]).toEqual([1, 1]);
    await assertTreeIsExact(test.db, organization);
  });

  it('rejects moving the root, cycles, duplicate names and unknown nodes', async () => {
    const a = await add(root, 'a');
    const b = await add(String(a.id), 'b');
    const other = await add(root, 'b');
    expect((await move(root, a.id)).body.code).toBe('node_root');
    expect((await move(a.id, b.id)).body.code).toBe('node_cycle');
    expect((await move(a.id, a.id)).body.code).toBe('node_cycle');
    expect((await move(other.id, a.id)).body).toEqual({ value: ['This field must be unique.'] });
    expect((await move(crypto.randomUUID(), a.id)).status).toBe(404);
    expect((await move(a.id, crypto.randomUUID())).status).toBe(404);
    expect((await admin.put(`assets/nodes/${root}/children/add/`, { nodes: [] })).status).toBe(400);
    await assertTreeIsExact(test.db, organization);
  });

  it('rejects a move that would exceed the maximum depth', async () => {
    let deep = root;
    for (let level = 2; level <= 29; level++) deep = String((await add(deep)).id);
    const tall = await add(root, 'tall');
    await add(String(tall.id), 'child');
    expect((await move(tall.id, deep)).body.code).toBe('node_too_deep');
    await assertTreeIsExact(test.db, organization);
  });

  it('moves all nodes or none', async () => {
    const [a, b, target] = [await add(root, 'a'), await add(root, 'b'), await add(root, 'target')];
    await add(String(target.id), 'b');
    expect(
      (await admin.put(`assets/nodes/${target.id}/children/add/`, { nodes: [a.id, b.id] })).status,
    ).toBe(400);
    expect((await node(a.id)).full_value).toBe('Root / a');
  });
});

describe('deleting', () => {
  it('removes an empty node', async () => {
    const a = await add(root);
    expect((await admin.delete(`assets/nodes/${a.id}/`)).status).toBe(204);
  });

  it('rejects deleting the root, and nodes with children or assets', async () => {
    const a = await add(root);
    const b = await add(String(a.id));
    await buildAsset(test.db, { organization, nodes: [String(b.id)] });
    for (const [id, code] of [
      [root, 'node_root'],
      [a.id, 'node_not_empty'],
      [b.id, 'node_not_empty'],
    ] as const) {
      const answer = await admin.delete(`assets/nodes/${id}/`);
      expect([answer.status, answer.body.code]).toEqual([403, code]);
    }
  });
});

describe('assets on a node', () => {
  const place = (id: unknown, how: string, assets: readonly unknown[]) =>
    admin.put(`assets/nodes/${id}/assets/${how}/`, { assets });

  it('adds, replaces and removes assets of a node', async () => {
    const [a, b] = [await add(root, 'a'), await add(root, 'b')];
    const asset = await buildAsset(test.db, { organization });
    const nodesOf = async () =>
      (await admin.get<{ nodes: string[] }>(`assets/assets/${asset}/`)).body.nodes.sort();
    expect((await place(a.id, 'add', [asset])).status).toBe(200);
    expect(await nodesOf()).toEqual([root, a.id].sort());
    await place(b.id, 'replace', [asset]);
    expect(await nodesOf()).toEqual([b.id]);
    await place(b.id, 'remove', [asset]);
    expect(await nodesOf()).toEqual([root]);
    await place(root, 'remove', [asset]);
    expect(await nodesOf()).toEqual([root]);
    await assertTreeIsExact(test.db, organization);
  });

  it('places all assets or none', async () => {
    const a = await add(root, 'a');
    const asset = await buildAsset(test.db, { organization });
    expect((await place(a.id, 'add', [asset, crypto.randomUUID()])).status).toBe(400);
    expect((await node(a.id)).assets_amount).toBe(0);
  });

  it('updates counts when assets are created, moved and deleted', async () => {
    const a = await add(root, 'a');
    const { body: asset } = await admin.post(`assets/assets/?node_id=${a.id}`, {
      hostname: 'h',
      ip: '10.0.0.1',
      platform: 'Linux',
    });
    expect((await node(a.id)).assets_amount).toBe(1);
    const { body: row } = await admin.patch(`assets/assets/${asset.id}/`, { nodes: [root] });
    expect([row.nodes, (await node(a.id)).assets_amount]).toEqual([[root], 0]);
    await admin.delete(`assets/assets/${asset.id}/`);
    expect((await node(root)).assets_amount).toBe(0);
    await assertTreeIsExact(test.db, organization);
  });

  it('rejects an asset without nodes', async () => {
    const asset = await buildAsset(test.db, { organization });
    expect((await admin.patch(`assets/assets/${asset}/`, { nodes: [] })).status).toBe(400);
  });
});

describe('the tree as it is drawn', () => {
  it('returns one level with counts in names and assets as leaves', async () => {
    const a = await add(root, 'a');
    await add(String(a.id), 'b');
    const asset = await buildAsset(test.db, {
      organization,
      nodes: [String(a.id)],
      hostname: 'web-1',
    });
    const { body: top } = await admin.get<TreeNode[]>('assets/nodes/children/tree/');
    expect(top.map((leaf) => [leaf.name, leaf.pId, leaf.isParent])).toEqual([
      ['Root (1)', '', true],
      ['a (1)', top[0]?.id, true],
    ]);
    const { body: level } = await admin.get<TreeNode[]>(
      `assets/nodes/children/tree/?key=${a.key}&assets=1`,
    );
    expect(level.map((leaf) => [leaf.name, leaf.pId, leaf.meta.type])).toEqual([
      ['b (0)', a.key, 'node'],
      ['web-1', a.key, 'asset'],
    ]);
    expect(level[1]).toMatchObject({
      id: asset,
      meta: { asset: { hostname: 'web-1', reachability: 2 } },
    });
  });

  it('responds with 404 for an unknown node', async () => {
    for (const query of ['key=9:9:9', `id=${crypto.randomUUID()}`, "key='"])
      expect((await admin.get(`assets/nodes/children/tree/?${query}`)).status).toBe(404);
  });
});
