import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  buildOrganization,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { buildLicense, importLicense } from '../../testing/license.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import {
  buildMachines,
  CLOUD_SERVERS,
  type CloudServer,
} from '../../testing/services/cloud-servers/index.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { endAbandoned } from './store.ts';

const ACCOUNTS = 'xpack/cloud/accounts/';
const TASKS = 'xpack/cloud/sync-instance-tasks/';
const REGION = 'cn-north-1';
const OTHER = 'cn-south-2';

let test: TestProgram;
/** A super administrator. */
let root: Client;
let servers: ReadonlyMap<string, CloudServer>;
beforeAll(async () => {
  test = await startTestProgram({}, { licensed: false });
  root = await bearer(test);
  const started = await Promise.all(
    Object.entries(CLOUD_SERVERS).map(async ([name, start]) => [name, await start()] as const),
  );
  servers = new Map(started);
});
afterAll(() =>
  Promise.all([test?.stop(), ...[...(servers?.values() ?? [])].map((server) => server.stop())]),
);

/** An organization with its root node, and a super administrator in it. */
let organization: string;
let admin: Client;
let node: string;
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  admin = root.inOrganization(organization);
  node = await rootNode(test.db, organization);
  for (const server of servers.values()) {
    server.machines.clear();
    server.closed.clear();
    server.requests.length = 0;
  }
});

const serverOf = (provider: string) => servers.get(provider) as CloudServer;
const list = async (path: string) => (await admin.get<Json[]>(path)).body;

async function make(path: string, body: Json): Promise<string> {
  const created = await admin.post(path, body);
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return String(created.body.id);
}

const accountBody = ({ provider, keyId, secret, url, authority }: CloudServer): Json => ({
  name: unique('account'),
  provider,
  access_key_id: keyId,
  access_key_secret: secret,
  endpoint: url,
  ca_certificate: authority,
});

const taskBody = (account: string, more: Json = {}): Json => ({
  name: unique('task'),
  account,
  regions: [REGION],
  node,
  ...more,
});

/** Runs a task to its end. Returns its job and its row in the history. */
async function run(task: string): Promise<{ job: Json; history: Json }> {
  const answer = await admin.get(`${TASKS}${task}/run/`);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('task')]);
  let job: Json = {};
  await until(async () => {
    job = (await admin.get(`common/jobs/${answer.body.task}/`)).body;
    return job.state !== 'queued' && job.state !== 'running';
  }, 'the run is over');
  return { job, history: (await admin.get(`${TASKS}${task}/history/${answer.body.task}/`)).body };
}

const instancesOf = (task: string, query = '') =>
  list(`${TASKS}${task}/instances/?order=instance_id${query}`);

/** The assets of the organization, and the number of log entries about assets. */
async function assetsNow(): Promise<unknown> {
  const { rows } = await sql<{ assets: unknown; entries: number }>`
    select (select jsonb_agg(to_jsonb(a) order by a.id) from asset a
      where a.org_id = ${organization}) as assets,
      (select count(*)::int from operate_log l
        where l.org_id = ${organization} and l.resource_type = 'asset') as entries`.execute(
    test.db,
  );
  return rows[0];
}

it('requires a license', async () => {
  const server = serverOf('aliyun');
  expect((await admin.post(ACCOUNTS, accountBody(server))).body.code).toBe('license_required');
  expect((await admin.get(`xpack/cloud/regions/?account_id=${node}`)).body.code).toBe(
    'license_required',
  );
  expect((await importLicense(root)).body.status).toBe(true);
});

describe('an account', () => {
  it('tests a saved account, lists its regions, and never returns its secret', async () => {
    const server = serverOf('aliyun');
    server.machines.set(REGION, []);
    const account = await make(ACCOUNTS, accountBody(server));
    const row = async () => (await admin.get(`${ACCOUNTS}${account}/`)).body;
    await until(async () => (await row()).validity === true, 'the account was tested');
    expect(await row()).toMatchObject({
      provider_display: 'Alibaba Cloud',
      validity_display: 'Available',
      problem: '',
      org_id: organization,
    });
    const answers = [
      JSON.stringify(await row()),
      JSON.stringify(await list(ACCOUNTS)),
      JSON.stringify(await list('audits/operate-logs/?resource_type=cloud_account')),
    ];
    for (const text of answers) expect(text).not.toContain(server.secret);
    expect(answers[2]).toContain('access_key_secret');
    expect(test.log()).not.toContain(server.secret);
    const regions = await admin.get(`xpack/cloud/regions/?account_id=${account}`);
    expect(regions.body).toEqual({
      regions: [{ id: REGION, name: `China (${REGION})` }],
      count: 1,
      next: null,
    });

    // The provider no longer accepts the key.
    await admin.patch(`${ACCOUNTS}${account}/`, { access_key_secret: 'another secret' });
    await until(async () => (await row()).validity === false, 'the account was tested again');
    expect((await row()).problem).toBe(
      'the provider does not accept the access key (SignatureDoesNotMatch)',
    );
    const tried = await admin.with({ 'accept-language': 'zh' }).post(`${ACCOUNTS}${account}/test/`);
    expect(tried.body).toEqual({
      is_valid: false,
      msg: '账号无效：云服务商不接受该访问密钥（SignatureDoesNotMatch）',
    });
    const refused = await admin.get(`xpack/cloud/regions/?account_id=${account}`);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        code: 'cloud_account_unavailable',
        detail: expect.stringContaining('The account does not work'),
      },
    ]);
    await admin.patch(`${ACCOUNTS}${account}/`, {
      access_key_secret: server.secret,
      name: unique('renamed'),
    });
    expect((await admin.post(`${ACCOUNTS}${account}/test/`)).body).toEqual({
      is_valid: true,
      msg: 'The account works: 1 region.',
    });
  });

  it('lets only super administrators set another address, which never gets the stored secret', async () => {
    const server = serverOf('qcloud');
    const own = await signInMember(test, organization, 'Admin');
    const { endpoint, ca_certificate: _, ...plain } = accountBody(server);
    const refused = await own.post(ACCOUNTS, { ...plain, endpoint });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { endpoint: ['Only super administrators may set the endpoint.'] },
    ]);
    const account = await make(ACCOUNTS, accountBody(server));
    expect((await own.patch(`${ACCOUNTS}${account}/`, { endpoint: '' })).status).toBe(400);
    expect((await own.patch(`${ACCOUNTS}${account}/`, { comment: 'Ours' })).status).toBe(200);
    // Sent unchanged, as the console does.
    expect(
      (await own.put(`${ACCOUNTS}${account}/`, { ...plain, access_key_secret: '', endpoint }))
        .status,
    ).toBe(200);
    for (const change of [{ endpoint: 'https://elsewhere.example.com' }, { provider: 'aliyun' }])
      expect((await admin.patch(`${ACCOUNTS}${account}/`, change)).body).toMatchObject({
        access_key_secret: [expect.any(String)],
      });
    for (const wrong of [
      'http://10.0.0.1',
      'https://user:word@10.0.0.1',
      'https://10.0.0.1/path',
      'elsewhere',
    ])
      expect(
        (await admin.patch(`${ACCOUNTS}${account}/`, { endpoint: wrong, access_key_secret: 'x' }))
          .body,
      ).toMatchObject({ endpoint: [expect.any(String)] });
    expect(
      (await admin.patch(`${ACCOUNTS}${account}/`, { ca_certificate: 'no certificate' })).status,
    ).toBe(400);
    expect((await admin.post(ACCOUNTS, { ...plain, access_key_secret: undefined })).status).toBe(
      400,
    );
  });

  it('limits accounts and tasks to administrators of their organization', async () => {
    const server = serverOf('aliyun');
    server.machines.set(REGION, []);
    const account = await make(ACCOUNTS, accountBody(server));
    const task = await make(TASKS, taskBody(account));
    const elsewhere = await buildOrganization(test.db);
    const stranger = await signInMember(test, elsewhere, 'Admin');
    const user = await signInMember(test, organization, 'User');
    for (const path of [
      `${ACCOUNTS}${account}/`,
      `xpack/cloud/regions/?account_id=${account}`,
      `${TASKS}${task}/`,
      `${TASKS}${task}/run/`,
    ]) {
      expect([path, (await stranger.get(path)).status]).toEqual([path, 404]);
      expect([path, (await user.get(path)).status]).toEqual([path, 403]);
    }
    expect((await stranger.post(`${ACCOUNTS}${account}/test/`)).status).toBe(404);
    expect((await stranger.delete(`${TASKS}${task}/released-assets/`)).status).toBe(404);
    expect((await stranger.get(`${TASKS}${task}/instances/`)).status).toBe(404);
    const theirs = await stranger.post(TASKS, {
      ...taskBody(account),
      node: await rootNode(test.db, elsewhere),
    });
    expect([theirs.status, theirs.body]).toMatchObject([
      400,
      { account: [expect.stringContaining('does not exist')] },
    ]);
    for (const wrong of [
      { regions: [] },
      { regions: ['x.example.com/'] },
      { is_periodic: true, interval: null },
      { crontab: '0 0 31 2 *' },
    ])
      expect([wrong, (await admin.post(TASKS, taskBody(account, wrong))).status]).toEqual([
        wrong,
        400,
      ]);
    const inUse = await admin.delete(`${ACCOUNTS}${account}/`);
    expect([inUse.status, inUse.body.code]).toEqual([409, 'in_use']);
  });
});

// The servers follow the documentation of the providers, see testing/cloud-servers.
describe.each(Object.keys(CLOUD_SERVERS))('a task of %s', (provider) => {
  it('creates assets of the instances, and a second run changes nothing', async () => {
    const server = serverOf(provider);
    server.machines.set(REGION, buildMachines(7, 3));
    const account = await make(ACCOUNTS, accountBody(server));
    const keeper = await make('assets/admin-users/', {
      name: unique('keeper'),
      username: 'root',
      password: 'a password of it 1',
    });
    const task = await make(
      TASKS,
      taskBody(account, { admin_user: keeper, is_periodic: true, interval: 12 }),
    );
    const { job, history } = await run(task);
    expect([job.state, history]).toMatchObject([
      'succeeded',
      { summary: { new: 7, unsync: 0, sync: 0, released: 0 }, status: 1, reason: '' },
    ]);
    expect((await admin.get(`${TASKS}${task}/`)).body).toMatchObject({
      history_count: 1,
      instance_count: 7,
      periodic_display: 'Every 12 h',
      date_last_sync: expect.any(String),
    });
    const instances = await instancesOf(task);
    expect(instances).toHaveLength(7);
    expect(instances[4]).toMatchObject({
      status: 1,
      status_display: 'Synced (new)',
      region: REGION,
      instance_id: 'i-3-00004',
      reason: '',
    });
    const asset = (await admin.get(`assets/assets/${instances[4]?.asset}/`)).body;
    expect(asset).toMatchObject({
      hostname: 'web 3-4-0.5',
      ip: '10.3.0.5',
      public_ip: '198.51.3.5',
      platform: 'Windows',
      protocols: ['rdp/3389'],
    });
    expect(asset).toMatchObject({ nodes: [node], admin_user: keeper, org_id: organization });
    expect((await list('assets/assets/?hostname=web 3-0-0.1'))[0]).toMatchObject({
      platform: 'Linux',
      protocols: ['ssh/22'],
    });

    const before = await assetsNow();
    const again = await run(task);
    expect([again.job.state, again.history.summary]).toEqual([
      'succeeded',
      { new: 0, unsync: 0, sync: 7, released: 0 },
    ]);
    expect(await assetsNow()).toEqual(before);
    expect((await instancesOf(task, '&status=2')).length).toBe(7);
    expect((await list(`${TASKS}${task}/history/`)).length).toBe(2);
  });
});

describe('a task', () => {
  const provider = 'aliyun';

  it('places no instance in a granted node under change control, and says so', async () => {
    const server = serverOf(provider);
    server.machines.set(REGION, buildMachines(2, 4));
    const account = await make(ACCOUNTS, accountBody(server));
    const granted = await make(`assets/nodes/${node}/children/`, { value: unique('granted') });
    const free = await make(`assets/nodes/${node}/children/`, { value: unique('free') });
    const [inGranted, inFree] = [
      await make(TASKS, taskBody(account, { node: granted })),
      await make(TASKS, taskBody(account, { node: free })),
    ];
    const users = [(await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] })).id];
    const system_users = [await buildSystemUser(test.db, { organization })];
    await make('perms/asset-permissions/', {
      ...{ name: unique('rule'), users, system_users, nodes: [granted] },
    });
    const on = await admin.put('change-control/', { is_on: true });
    expect(on.status, on.text).toBe(200);
    expect((await run(inGranted)).history.summary).toMatchObject({ new: 0, unsync: 2 });
    const [instance] = await instancesOf(inGranted);
    expect(instance).toMatchObject({
      asset: null,
      reason: expect.stringContaining('second administrator'),
    });
    expect((await run(inFree)).history.summary).toMatchObject({ new: 2, unsync: 0 });
  });

  it('updates assets only if the task says so', async () => {
    const server = serverOf(provider);
    const [machine] = buildMachines(1, 4);
    if (!machine) throw new Error('no machine');
    server.machines.set(REGION, [machine]);
    const account = await make(ACCOUNTS, accountBody(server));
    const task = await make(TASKS, taskBody(account, { hostname_strategy: 'instance_name' }));
    await run(task);
    const [{ asset } = {}] = await instancesOf(task);
    const assetFacts = async () => {
      const { hostname, ip, public_ip } = (await admin.get(`assets/assets/${asset}/`)).body;
      return [hostname, ip, public_ip];
    };
    expect(await assetFacts()).toEqual(['web 4-0', '10.4.0.1', '198.51.4.1']);
    Object.assign(machine, { name: 'renamed', privateIp: '10.4.0.9', publicIp: '' });
    await run(task);
    expect(await assetFacts()).toEqual(['web 4-0', '10.4.0.1', '198.51.4.1']);
    await admin.patch(`${TASKS}${task}/`, { is_always_update: true });
    await run(task);
    expect(await assetFacts()).toEqual(['renamed', '10.4.0.9', null]);
    const entry = (await list('audits/operate-logs/?resource_type=asset')).find(
      ({ action }) => action === 'update',
    );
    expect(entry).toMatchObject({ resource: 'renamed', user: expect.stringContaining('dmin') });
    const before = await assetsNow();
    expect((await run(task)).history.summary).toEqual({ new: 0, unsync: 0, sync: 1, released: 0 });
    expect(await assetsNow()).toEqual(before);
  });

  it('gives instances with one name different hostnames, and shares assets with another task', async () => {
    const server = serverOf(provider);
    server.machines.set(
      REGION,
      buildMachines(3, 5).map((machine) => ({ ...machine, name: 'namesake' })),
    );
    const account = await make(ACCOUNTS, accountBody(server));
    const task = await make(TASKS, taskBody(account, { hostname_strategy: 'instance_name' }));
    await run(task);
    const names = async () =>
      (await list('assets/assets/?order=hostname')).map(({ hostname }) => hostname);
    expect(await names()).toEqual(['namesake', 'namesake-0.2', 'namesake-0.3']);
    const second = await make(TASKS, taskBody(account));
    expect((await run(second)).history.summary).toEqual({
      new: 0,
      unsync: 0,
      sync: 3,
      released: 0,
    });
    expect(await names()).toHaveLength(3);
  });

  it('reports instances without an asset and the reason, and releases nothing after a failed region', async () => {
    const server = serverOf(provider);
    const machines = buildMachines(3, 6);
    Object.assign(machines[1] ?? {}, { privateIp: '', publicIp: '' });
    server.machines.set(REGION, machines);
    server.machines.set(OTHER, buildMachines(2, 7));
    await make('assets/assets/', { hostname: 'by hand', ip: '10.6.0.1', platform: 'Linux' });
    const account = await make(ACCOUNTS, accountBody(server));
    const task = await make(TASKS, taskBody(account, { regions: [REGION, OTHER] }));
    expect((await run(task)).history.summary).toEqual({ new: 3, unsync: 2, sync: 0, released: 0 });
    expect((await instancesOf(task, '&status=0')).map(({ reason }) => reason)).toEqual([
      'The asset by hand already has this address but belongs to no instance',
      'The instance has no IP address',
    ]);
    server.closed.add(OTHER);
    const { job, history } = await run(task);
    expect([job.state, history]).toMatchObject([
      'failed',
      {
        status: 0,
        summary: { new: 0, unsync: 2, sync: 1, released: 0 },
        reason: expect.stringContaining(`${OTHER}: the region is not enabled`),
      },
    ]);
    expect((await instancesOf(task, `&region=${OTHER}`)).map(({ status }) => status)).toEqual([
      1, 1,
    ]);
    expect((await admin.get(`${ACCOUNTS}${account}/`)).body.validity).toBe(true);
  });

  it('fails with a key that is no longer accepted, and releases nothing', async () => {
    const server = serverOf('aws_international');
    server.machines.set(REGION, buildMachines(2, 8));
    server.machines.set(OTHER, []);
    const account = await make(ACCOUNTS, accountBody(server));
    const task = await make(TASKS, taskBody(account, { regions: [REGION, OTHER] }));
    await run(task);
    // A closed region returns the same error.
    server.closed.add(OTHER);
    expect((await run(task)).history).toMatchObject({
      status: 0,
      reason: expect.stringContaining('the region is not enabled'),
    });
    await admin.patch(`${ACCOUNTS}${account}/`, { access_key_id: 'AKIDOTHER' });
    const { job, history } = await run(task);
    expect([job.state, history.reason]).toEqual([
      'failed',
      'the provider does not accept the access key (AuthFailure)',
    ]);
    expect((await admin.get(`${ACCOUNTS}${account}/`)).body).toMatchObject({ validity: false });
    expect((await instancesOf(task)).map(({ status }) => status)).toEqual([2, 2]);
  });

  it('marks released instances, deletes their assets, and disables those that had sessions', async () => {
    const server = serverOf(provider);
    const machines = buildMachines(4, 9);
    server.machines.set(REGION, machines);
    const account = await make(ACCOUNTS, accountBody(server));
    const task = await make(TASKS, taskBody(account));
    await run(task);
    const assets = (await instancesOf(task)).map(({ asset }) => String(asset));
    server.machines.set(REGION, machines.slice(2));
    expect((await run(task)).history.summary).toEqual({ new: 0, unsync: 0, sync: 2, released: 2 });
    expect((await instancesOf(task)).map(({ status_display: status }) => status)).toEqual([
      'Released',
      'Released',
      'Synced',
      'Synced',
    ]);
    // Assets are not changed automatically.
    expect((await list('assets/assets/?is_active=true')).length).toBe(4);
    await sql`insert into session (org_id, "user", asset, "system_user", asset_id)
      values (${organization}, 'Li Wei', 'web', 'root', ${assets[0]})`.execute(test.db);
    expect((await admin.delete(`${TASKS}${task}/released-assets/`)).body).toEqual({
      deleted: 1,
      disabled: 1,
    });
    expect((await admin.get(`assets/assets/${assets[0]}/`)).body.is_active).toBe(false);
    expect((await admin.get(`assets/assets/${assets[1]}/`)).status).toBe(404);
    const entries = (await list('audits/operate-logs/?resource_type=asset')).map(
      ({ action }) => action,
    );
    expect(entries.filter((action) => action !== 'create').sort()).toEqual(['delete', 'update']);
    expect((await admin.delete(`${TASKS}${task}/released-assets/`)).body).toEqual({
      deleted: 0,
      disabled: 0,
    });
    // The instance with sessions exists again.
    server.machines.set(REGION, machines);
    expect((await run(task)).history.summary).toEqual({ new: 1, unsync: 0, sync: 3, released: 0 });
  });

  it('does not recreate an asset that a user deleted, until the exclusion is revoked', async () => {
    const server = serverOf(provider);
    const machines = buildMachines(2, 11);
    server.machines.set(REGION, machines);
    const account = await make(ACCOUNTS, accountBody(server));
    const [task, other] = [
      await make(TASKS, taskBody(account)),
      await make(TASKS, taskBody(account)),
    ];
    await run(task);
    const [deleted, kept] = await instancesOf(task);
    expect((await admin.delete(`assets/assets/${deleted?.asset}/`)).status).toBe(204);
    // The same applies to a task that finds the instance for the first time.
    for (const one of [task, other]) {
      expect((await run(one)).history.summary).toEqual({ new: 0, unsync: 1, sync: 1, released: 0 });
      expect(await instancesOf(one)).toMatchObject([
        {
          instance_id: deleted?.instance_id,
          asset: null,
          is_left_out: true,
          reason: 'The asset was deleted, so the instance is excluded',
        },
        { instance_id: kept?.instance_id, asset: kept?.asset, is_left_out: false, reason: '' },
      ]);
    }
    const take = (instance: unknown, client = admin) =>
      client.post(`${TASKS}${task}/instances/${instance}/take/`, {});
    expect([
      (await take(kept?.id)).status,
      (await take('x')).status,
      (await take(deleted?.id, root)).status,
    ]).toEqual([404, 404, 404]);
    expect((await take(deleted?.id)).status).toBe(204);
    expect((await run(task)).history.summary).toEqual({ new: 1, unsync: 0, sync: 1, released: 0 });
    expect((await run(other)).history.summary).toEqual({ new: 0, unsync: 0, sync: 2, released: 0 });
  });

  it('marks a run as interrupted when its server is permanently lost', async () => {
    const account = await make(ACCOUNTS, accountBody(serverOf(provider)));
    const task = await make(TASKS, taskBody(account));
    const lost = crypto.randomUUID();
    const started = async (id: string, ago: string) =>
      sql`insert into cloud_sync_execution (id, org_id, task_id, date_sync)
        values (${id}, ${organization}, ${task}, now() - ${ago}::interval)`.execute(test.db);
    await started(lost, '5 minutes');
    // A clock was ahead when this one began.
    const early = crypto.randomUUID();
    await started(early, '-10 minutes');
    const fresh = crypto.randomUUID();
    await started(fresh, '-30 seconds');
    await endAbandoned(test.db);
    for (const id of [lost, early])
      expect((await admin.get(`${TASKS}${task}/history/${id}/`)).body).toMatchObject({
        status: 0,
        reason: 'The run was interrupted',
      });
    expect((await admin.get(`${TASKS}${task}/history/${fresh}/`)).body).toMatchObject({
      status: 2,
    });
  });

  it('creates no more assets than the license covers', async () => {
    const server = serverOf(provider);
    server.machines.set(REGION, buildMachines(3, 10));
    const account = await make(ACCOUNTS, accountBody(server));
    const task = await make(TASKS, taskBody(account));
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from asset`.execute(
      test.db,
    );
    await importLicense(root, buildLicense({ asset_count: (rows[0]?.count ?? 0) + 1 }));
    expect((await run(task)).history.summary).toEqual({ new: 1, unsync: 2, sync: 0, released: 0 });
    expect((await instancesOf(task, '&status=0'))[0]?.reason).toContain('The license covers');
    await importLicense(root);
    expect((await run(task)).history.summary).toEqual({ new: 2, unsync: 0, sync: 1, released: 0 });
  });
});
