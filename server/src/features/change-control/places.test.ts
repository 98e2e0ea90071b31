import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, rootNode, unique } from '../../testing/builders.ts';
import type { Answer, Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene } from './testing/scene.ts';

const ASSETS = 'assets/assets/';
const NODES = 'assets/nodes/';

let test: TestProgram;
let scene: Scene;
let root: string;
/** A node that the permission names, and two nodes below it. */
let granted: string;
let below: string;
let sibling: string;
/** A node without a permission. */
let other: string;
/** An asset below the granted node, and one elsewhere. */
let inside: string;
let outside: string;

beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  scene = await buildScene(test, {}, async ({ organization, proposer, member }) => {
    root = await rootNode(test.db, organization);
    granted = await addNode(proposer, root);
    below = await addNode(proposer, granted);
    sibling = await addNode(proposer, granted);
    other = await addNode(proposer, root);
    inside = await buildAsset(test.db, { organization, nodes: [below] });
    outside = await buildAsset(test.db, { organization, nodes: [other] });
    const [systemUser] = (await proposer.get<Json[]>('assets/system-users/')).body;
    const rule = await proposer.post<Json>('perms/asset-permissions/', {
      ...{ name: unique('on node'), users: [member.id], nodes: [granted] },
      system_users: [systemUser?.id],
    });
    expect(rule.status, rule.text).toBe(201);
    return '';
  });
});

async function addNode(client: Client, parent: string): Promise<string> {
  const { status, text, body } = await client.post<Json>(`${NODES}${parent}/children/`, {
    value: unique('node'),
  });
  expect(status, text).toBe(201);
  return String(body.id);
}

/** Returns the places of assets: the nodes of each, and the tree. */
async function places() {
  const { rows } = await sql`
    select 'asset' as kind, asset_id::text as one, node_id::text as other from node_assets
    union all select 'node', id::text, parent_id::text from node order by 1, 2, 3`.execute(test.db);
  return rows;
}

async function refuses(work: () => Promise<Answer<Json>>) {
  const before = await places();
  const { status, body, text } = await work();
  expect([status, body.code], text).toEqual([409, 'change_must_be_proposed']);
  expect(await places()).toEqual(before);
}

async function accepts(work: () => Promise<Answer<unknown>>) {
  const { status, text } = await work();
  expect(status, text).toBeLessThan(300);
}

const asset = (more: Json = {}): Json => ({
  ...{ hostname: unique('new'), ip: '192.0.2.8', platform: 'Linux', protocols: ['ssh/22'] },
  ...more,
});

describe('a node that a permission names', () => {
  it('takes no asset by any direct write, and neither do nodes below', async () => {
    const { proposer, organization } = scene;
    const admin = (await bearer(test)).inOrganization(organization);
    const path = await proposer.get<Json>(`${NODES}${below}/`);
    for (const node of [granted, below]) {
      for (const client of [proposer, admin]) {
        await refuses(() => client.patch(`${ASSETS}${outside}/`, { nodes: [node] }));
        await refuses(() => client.patch(`${ASSETS}${outside}/`, { nodes: [other, node] }));
        await refuses(() => client.put(`${NODES}${node}/assets/add/`, { assets: [outside] }));
        await refuses(() => client.put(`${NODES}${node}/assets/replace/`, { assets: [outside] }));
      }
      await refuses(() => proposer.patch(ASSETS, [{ id: outside, nodes: [node] }]));
      await refuses(() => proposer.post(ASSETS, asset({ nodes: [node] })));
      await refuses(() => proposer.post(`${ASSETS}?node_id=${node}`, asset()));
    }
    const line = `${unique('x')},Linux,192.0.2.9,${path.body.full_value}`;
    const file = `hostname,platform,ip,nodes\n${line.replaceAll(' / ', '/')}\n`;
    const imported = await proposer.send('POST', ASSETS, file, 'text/csv');
    expect(imported.text).toContain('change_must_be_proposed');
    await expect(
      sql`insert into node_assets (node_id, asset_id) values (${below}, ${outside})`.execute(
        test.db,
      ),
    ).rejects.toMatchObject({ code: 'SP001' });
  });

  it('takes no node with assets, and takes one without', async () => {
    const { proposer } = scene;
    const parent = await addNode(proposer, other);
    const leaf = await addNode(proposer, parent);
    const move = (node: string, to: string) => () =>
      proposer.put<Json>(`${NODES}${to}/children/add/`, { nodes: [node] });
    await refuses(move(other, granted));
    await refuses(move(other, below));
    await accepts(() => proposer.put(`${NODES}${leaf}/assets/add/`, { assets: [outside] }));
    await refuses(move(parent, below));
    await accepts(() => proposer.put(`${NODES}${leaf}/assets/remove/`, { assets: [outside] }));
    await accepts(move(parent, below));
    await refuses(() => proposer.put(`${NODES}${leaf}/assets/add/`, { assets: [outside] }));
  });

  it('takes no asset by bulk changes and files of wanted objects', async () => {
    const { proposer } = scene;
    const before = await places();
    const { rows } = await sql<{ hostname: string }>`select hostname from asset
      where id = ${outside}`.execute(test.db);
    const hostname = rows[0]?.hostname ?? '';
    const set = await proposer.post<{ spm: string }>('common/resources/matching/', {
      ...{ resource: 'asset', query: `hostname=${hostname}` },
    });
    const started = await proposer.post<{ job: string }>('common/resources/bulk/', {
      ...{ resource: 'asset', spm: set.body.spm, action: 'update', changes: { nodes: [granted] } },
    });
    expect(started.status, started.text).toBe(201);
    await until(async () => {
      const job = await proposer.get<Json>(`common/jobs/${started.body.job}/`);
      return !['queued', 'running'].includes(String(job.body.state));
    }, 'the job ends');
    const { body } = await proposer.get<Json>(`${NODES}${granted}/`);
    const applied = await proposer.post<Json>('common/resources/apply/', {
      objects: [
        { kind: 'asset', state: 'present', fields: { hostname, nodes: [body.full_value] } },
      ],
      apply: true,
    });
    expect(applied.status, applied.text).toBe(400);
    expect(await places()).toEqual(before);
  });

  it('lets assets leave, and move below it', async () => {
    const { proposer } = scene;
    await accepts(() => proposer.patch(`${ASSETS}${inside}/`, { nodes: [sibling] }));
    await accepts(() => proposer.put(`${NODES}${below}/assets/replace/`, { assets: [inside] }));
    await accepts(() => proposer.put(`${NODES}${sibling}/assets/add/`, { assets: [inside] }));
    await accepts(() => proposer.put(`${NODES}${sibling}/assets/remove/`, { assets: [inside] }));
    await accepts(() => proposer.put(`${NODES}${sibling}/children/add/`, { nodes: [below] }));
    await accepts(() => proposer.put(`${NODES}${below}/assets/remove/`, { assets: [inside] }));
    await refuses(() => proposer.patch(`${ASSETS}${inside}/`, { nodes: [sibling] }));
  });

  it('does not take back an asset that was free in between, also in one request', async () => {
    const { proposer } = scene;
    for (const items of [
      [{ nodes: [other] }, { ip: '198.51.100.66' }, { nodes: [below] }],
      [{ nodes: [other] }, { nodes: [below], ip: '198.51.100.66' }],
    ]) {
      const sent = await proposer.patch<Json>(
        ASSETS,
        items.map((item) => ({ id: inside, ...item })),
      );
      expect(sent.status).toBeGreaterThanOrEqual(400);
    }
    const { body } = await proposer.get<Json>(`${ASSETS}${inside}/`);
    expect([body.nodes, body.ip]).toEqual([[below], expect.not.stringContaining('198.51.100.66')]);
  });

  it('takes an asset by a change set, and gives it back by the undo', async () => {
    const { proposer, decider } = scene;
    const set = await proposed(proposer, [
      { resource: 'asset', action: 'change', object: outside, body: { nodes: [granted] } },
      { resource: 'asset', action: 'create', body: asset({ nodes: [below] }) },
    ]);
    expect(set.changes[0]?.fields).toEqual({ nodes: [[other], [granted]] });
    const approved = await answer(decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
    const nodesNow = async () => (await proposer.get<Json>(`${ASSETS}${outside}/`)).body.nodes;
    expect(await nodesNow()).toEqual([granted]);
    const undo = await proposer.post<Json>(`change-sets/${set.id}/undo/`);
    expect(undo.status, undo.text).toBe(201);
    expect((await answer(decider, { id: String(undo.body.id) }, 'approve')).status).toBe(200);
    expect(await nodesNow()).toEqual([other]);
  });
});

it('takes no asset while a waiting change set names the node', async () => {
  const { proposer, member, account, decider } = scene;
  const rule = { name: unique('wish'), users: [member.id], system_users: [account] };
  const set = await proposed(proposer, [
    { resource: 'asset_permission', action: 'create', body: { ...rule, nodes: [other] } },
  ]);
  await refuses(() => proposer.patch(`${ASSETS}${inside}/`, { nodes: [other] }));
  expect((await answer(decider, set, 'reject')).status).toBe(200);
  await accepts(() => proposer.patch(`${ASSETS}${inside}/`, { nodes: [other] }));
});

it('creates assets at the root freely, also under a permission for the root', async () => {
  const { proposer, decider, member, account } = scene;
  const rule = { name: unique('all'), users: [member.id], system_users: [account] };
  const set = await proposed(proposer, [
    { resource: 'asset_permission', action: 'create', body: { ...rule, nodes: [root] } },
  ]);
  expect((await answer(decider, set, 'approve')).status).toBe(200);
  await accepts(() => proposer.post(ASSETS, asset()));
  await refuses(() => proposer.patch(`${ASSETS}${outside}/`, { ip: '198.51.100.66' }));
  await accepts(() => proposer.put(`${NODES}${other}/assets/remove/`, { assets: [outside] }));
});

it('takes no asset while a rule of emergency access names the node', async () => {
  const { proposer, decider, member, account } = scene;
  const rule = {
    ...{ name: unique('fire'), users: [member.id], nodes: [other], system_users: [account] },
    reviewers: [scene.proposerId],
  };
  const set = await proposed(proposer, [
    { resource: 'emergency_access', action: 'create', body: rule },
  ]);
  expect((await answer(decider, set, 'approve')).status).toBe(200);
  await refuses(() => proposer.patch(`${ASSETS}${inside}/`, { nodes: [other] }));
});
