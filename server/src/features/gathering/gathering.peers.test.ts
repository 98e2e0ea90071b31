import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildOrganization, rootNode, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { freePort } from '../../testing/free-port.ts';
import { type PrivateHost, startPrivateHost } from '../../testing/hosts/private-host.ts';
import { importLicense } from '../../testing/license.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const TASKS = 'xpack/gathered-user/tasks/';
const EXECUTIONS = 'xpack/gathered-user/task-executions/';
const USERS = 'assets/gathered-users/';
/** Far in the future: the test starts every run itself, also at night. */
const NEVER = '0 0 29 2 *';

let test: TestProgram;
let host: PrivateHost;
let organization: string;
let administrator: Client;
let node: string;
let asset: string;
let dead: string;
beforeAll(async () => {
  [test, host] = await Promise.all([startTestProgram({}, { licensed: false }), startPrivateHost()]);
  organization = await buildOrganization(test.db);
  administrator = (await bearer(test)).inOrganization(organization);
  node = await rootNode(test.db, organization);
  const admin = await administrator.post('assets/admin-users/', {
    name: unique('admin'),
    username: 'admin',
    password: host.passwords.admin,
  });
  asset = await buildAsset(test.db, { organization, port: host.port, hostname: 'web-gathered' });
  dead = await buildAsset(test.db, { organization, port: await freePort(), hostname: 'web-dead' });
  for (const id of [asset, dead])
    await administrator.patch(`assets/assets/${id}/`, { admin_user: admin.body.id });
});
afterAll(() => Promise.all([test?.stop(), host?.stop()]));

const list = async (path: string) => (await administrator.get<Json[]>(path)).body;
const users = async (query = '') => list(`${USERS}?asset_id=${asset}${query}`);

async function run(task: unknown): Promise<Json> {
  const answer = await administrator.post(EXECUTIONS, { task });
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('task')]);
  const id = String(answer.body.task);
  let job: Json = {};
  await until(async () => {
    job = (await administrator.get(`common/jobs/${id}/`)).body;
    return job.state !== 'queued' && job.state !== 'running';
  }, 'the run is over');
  return job;
}

it('requires a license', async () => {
  const refused = await administrator.post(TASKS, { name: unique('task'), nodes: [node] });
  expect([refused.status, refused.body.code]).toEqual([403, 'license_required']);
  expect((await administrator.post(EXECUTIONS, { task: node })).body.code).toBe('license_required');
  expect((await importLicense(await bearer(test))).body.status).toBe(true);
});

it('gathers the accounts of servers, and marks removed ones', async () => {
  const created = await administrator.post(TASKS, {
    name: 'Every night',
    nodes: [node],
    is_periodic: true,
    crontab: NEVER,
    interval: 24,
  });
  expect([created.status, created.body]).toMatchObject([
    201,
    { periodic_display: `Crontab: ${NEVER} (Asia/Shanghai)`, executed_times: 0, nodes_amount: 1 },
  ]);
  const task = created.body.id;
  const schedule = async () =>
    (
      await sql<{
        cron: string;
      }>`select cron from jobs.schedule where name = 'gather-users' and key = ${task}`.execute(
        test.db,
      )
    ).rows[0]?.cron;
  await until(async () => (await schedule()) === NEVER, 'the task has its schedule');

  await host.inside(
    'useradd -m -s /bin/sh "gathered"; useradd -M -s /usr/sbin/nologin "daemonlike"',
  );
  const job = await run(task);
  expect([job.state, job.done, job.total, job.subject]).toEqual(['succeeded', 2, 2, 'Every night']);
  const names = (await users()).map(({ username }) => username);
  expect(names).toEqual(expect.arrayContaining(['admin', 'deputy', 'gathered', 'plain', 'root']));
  expect(names).not.toContain('daemonlike');
  const [found] = await users('&username=gathered');
  expect(found).toMatchObject({
    asset,
    hostname: 'web-gathered',
    ip: '127.0.0.1',
    username: 'gathered',
    present: true,
    org_id: organization,
  });

  const [execution] = await list(`${EXECUTIONS}?task=${task}`);
  expect(execution).toMatchObject({
    id: job.id,
    task_display: 'Every night',
    total: 2,
    succeed: 1,
    failed: 1,
    is_finished: true,
    timedelta: expect.any(Number),
  });
  const results = await list(`xpack/gathered-user/task-execution-results/?execution=${job.id}`);
  expect(results).toMatchObject([
    {
      asset: dead,
      hostname: 'web-dead',
      is_success: false,
      users: 0,
      reason: expect.stringContaining('refused the connection'),
    },
    { asset, hostname: 'web-gathered', is_success: true, users: names.length, reason: '' },
  ]);

  await host.inside('userdel -r gathered 2>/dev/null');
  await run(task);
  expect(await users('&username=gathered')).toMatchObject([{ present: false }]);
  expect((await users('&present=false')).map(({ username }) => username)).toEqual(['gathered']);
  expect((await administrator.get(`${TASKS}${task}/`)).body).toMatchObject({
    executed_times: 2,
    date_last_run: expect.any(String),
  });
  await administrator.patch(`${TASKS}${task}/`, { is_periodic: false });
  await until(
    async () => (await schedule()) === undefined,
    'a task that is switched off has no schedule',
  );
});

it('filters accounts by node, host and address, and searches by names', async () => {
  const count = (await users()).length;
  const below = await administrator.post(`assets/nodes/${node}/children/`, { value: 'Below' });
  const amount = async (query: string) => (await list(`${USERS}?${query}`)).length;
  expect(await amount(`node_id=${node}`)).toBe(count);
  expect(await amount(`node_id=${below.body.id}`)).toBe(0);
  expect(await amount(`node_id=${node}&show_current_asset=1`)).toBe(count);
  expect(await amount('asset__hostname=web-gathered')).toBe(count);
  expect(await amount('asset__ip=10.0.0.1')).toBe(0);
  expect(await amount('search=web-gath')).toBe(count);
  expect(await amount('search=web-gath deputy')).toBe(1);
  expect(await amount('search=100%')).toBe(0);
});

it('rejects a task without assets or a schedule, and callers who are not administrators', async () => {
  const below = await administrator.post(`assets/nodes/${node}/children/`, { value: 'Empty' });
  const empty = await administrator.post(TASKS, { name: unique('task'), nodes: [below.body.id] });
  const refused = await administrator.post(EXECUTIONS, { task: empty.body.id });
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    'These nodes contain no assets. Choose other nodes.',
  ]);
  for (const wrong of [
    { nodes: [] },
    { is_periodic: true, interval: null },
    { crontab: '0 0 31 2 *' },
    { interval: 65_536 },
    { interval: 0 },
  ])
    expect(
      (await administrator.post(TASKS, { name: unique('task'), nodes: [node], ...wrong })).status,
    ).toBe(400);
  const user = await signInMember(test, organization, 'User');
  const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Admin');
  expect((await user.get(USERS)).status).toBe(403);
  expect((await elsewhere.get(USERS)).body).toEqual([]);
  expect((await elsewhere.post(EXECUTIONS, { task: empty.body.id })).status).toBe(404);
  expect((await administrator.post(USERS, { username: 'x' })).status).toBe(405);
});
