import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildAsset, buildOrganization, rootNode, unique } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { freePort } from '../../../testing/free-port.ts';
import { type PrivateHost, startPrivateHost } from '../../../testing/hosts/private-host.ts';
import { runHousekeeping } from '../../../testing/jobs.ts';
import { until } from '../../../testing/poll.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { tidyTasks } from './store.ts';

/** Far in the future: the test starts every run itself, also at night. */
const NEVER = '0 0 29 2 *';

let test: TestProgram;
let host: PrivateHost;
let organization: string;
let administrator: Client;
let admin: string;
let good: string;
let dead: string;
/** Run and task of the first test. */
let first: Json;
let task: Json;

beforeAll(async () => {
  [test, host] = await Promise.all([startTestProgram(), startPrivateHost()]);
  organization = await buildOrganization(test.db);
  administrator = (await bearer(test)).inOrganization(organization);
  const created = await administrator.post('assets/admin-users/', {
    name: 'main admin',
    username: 'admin',
    password: host.passwords.admin,
  });
  admin = String(created.body.id);
  good = await buildAsset(test.db, { organization, port: host.port, hostname: 'web-good' });
  dead = await buildAsset(test.db, { organization, port: await freePort(), hostname: 'web-dead' });
  for (const id of [good, dead])
    await administrator.patch(`assets/assets/${id}/`, { admin_user: admin });
});
afterAll(() => Promise.all([test?.stop(), host?.stop()]));

const list = async (path: string, client = administrator) => (await client.get<Json[]>(path)).body;
const one = async (path: string) => (await administrator.get(path)).body;

const isOver = (job: string) =>
  until(
    async () =>
      ['succeeded', 'failed', 'canceled'].includes(
        String((await one(`common/jobs/${job}/`)).state),
      ),
    'the job is over',
  );

/** Waits for the end of the job that an answer names, and returns its execution. */
async function executed(answer: {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
}): Promise<Json> {
  expect([answer.status < 300, answer.text]).toEqual([true, expect.stringContaining('task')]);
  const id = String(answer.body.task);
  await isOver(id);
  return one(`ops/adhoc-executions/${id}/`);
}

const testAdmin = async () =>
  executed(await administrator.get(`assets/admin-users/${admin}/connective/`));

it('records a test of assets as a run of a task, with version and hosts', async () => {
  first = await testAdmin();
  [task = {}] = await list('ops/tasks/');
  const failure = {
    'web-dead(admin)': { ping: { msg: expect.stringContaining('refused the connection') } },
  };
  const version = String(first.adhoc);
  expect(first).toMatchObject({
    task: task.id,
    task_display: `Test asset connectivity: main admin@${organization}`,
    task_title: 'Test asset connectivity: main admin',
    hosts_amount: 2,
    stat: { total: 2, success: 1, failed: 1 },
    is_finished: true,
    is_success: false,
    timedelta: expect.any(Number),
    result: {},
    summary: { contacted: ['web-good(admin)'], dark: failure },
    last_success: ['web-good(admin)'],
    last_failure: failure,
    short_id: String(first.id).slice(-12),
    adhoc_short_id: version.slice(-12),
  });
  expect(await one(`ops/tasks/${task.id}/`)).toMatchObject({
    name: 'Test asset connectivity: main admin',
    interval: 24,
    crontab: null,
    is_periodic: false,
    is_deleted: false,
    summary: { total: 1, success: 0, failed: 1 },
    latest_execution: {
      id: first.id,
      adhoc: version,
      stat: { total: 2 },
      last_success: ['web-good(admin)'],
      date_start: first.date_start,
    },
    versions_amount: 1,
    contents: [{ name: 'ping', action: { module: 'ping', args: '' } }],
    org_id: organization,
  });
  expect(await one(`ops/adhoc/${version}/`)).toMatchObject({
    task: task.id,
    task_name: 'Test asset connectivity: main admin',
    pattern: 'all',
    options: '{"forks": 50, "timeout": 60}',
    hosts: [good, dead].toSorted(),
    hosts_amount: 2,
    run_as_admin: true,
    become_display: 'root',
    run_times: 1,
    latest_execution: { id: first.id, is_finished: true, is_success: false },
  });
  const hosts = await list(`ops/adhoc-execution-hosts/?execution=${first.id}`);
  expect(hosts).toMatchObject([
    { hostname: 'web-good', asset: good, state: 'done', username: 'admin', reason: '' },
    {
      hostname: 'web-dead',
      asset: dead,
      state: 'failed',
      reason: expect.stringContaining('refused the connection'),
    },
  ]);
  const log = await administrator.get(`ops/celery/task/${first.id}/log/`);
  expect(log.body.data).toContain('web-good: reachable');
});

it('restarts a task on all or failed hosts, with a new version only for other hosts', async () => {
  const again = await executed(await administrator.get(`ops/tasks/${task.id}/run/`));
  expect([again.adhoc, again.stat]).toEqual([
    first.adhoc,
    { total: 2, success: 1, failed: 1, skipped: 0 },
  ]);
  const failed = await executed(
    await administrator.post(`ops/adhoc-executions/${first.id}/retry-failed/`, {}),
  );
  expect([failed.adhoc, failed.stat]).toEqual([
    first.adhoc,
    { total: 1, success: 0, failed: 1, skipped: 0 },
  ]);
  expect([first.outcome, failed.outcome]).toEqual(['partly', 'failed']);
  expect((await one(`ops/tasks/${task.id}/`)).latest_execution).toMatchObject({
    outcome: 'failed',
  });

  const more = await buildAsset(test.db, { organization, port: host.port, hostname: 'web-more' });
  await administrator.patch(`assets/assets/${more}/`, { admin_user: admin });
  await administrator.patch(`assets/assets/${dead}/`, { protocols: [`ssh/${host.port}`] });
  const wider = await testAdmin();
  expect([wider.outcome, wider.stat]).toEqual([
    'succeeded',
    { total: 3, success: 3, failed: 0, skipped: 0 },
  ]);
  expect(wider.adhoc).not.toBe(first.adhoc);
  expect((await list(`ops/adhoc/?task=${task.id}`)).map(({ id }) => id)).toEqual([
    wider.adhoc,
    first.adhoc,
  ]);
  expect((await list(`ops/adhoc-executions/?adhoc=${first.adhoc}`)).length).toBe(3);
  expect((await list(`ops/adhoc-executions/?task=${task.id}`)).length).toBe(4);
  const refused = await administrator.post(`ops/adhoc-executions/${wider.id}/retry-failed/`, {});
  expect([refused.status, refused.body.code]).toEqual([409, 'no_failed_hosts']);
  expect((await one(`ops/tasks/${task.id}/`)).summary).toEqual({ total: 4, success: 1, failed: 3 });
});

it('records hardware readings, tests of system users and pushes as separate tasks', async () => {
  const hardware = await executed(
    await administrator.post(`assets/assets/${good}/tasks/`, { action: 'refresh' }),
  );
  expect([hardware.task_title, hardware.last_success]).toEqual([
    'Refresh asset hardware info: web-good',
    ['web-good(admin)'],
  ]);
  const created = await administrator.post('assets/system-users/', {
    name: 'web account',
    username: unique('web').slice(0, 20),
    protocol: 'ssh',
    password: 'S3cret-of-web',
  });
  const id = String(created.body.id);
  const rule = await administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    assets: [good],
    system_users: [id],
    actions: ['all'],
  });
  expect([rule.status, rule.text]).toEqual([201, expect.any(String)]);
  const pushed = await executed(
    await administrator.post(`assets/system-users/${id}/tasks/`, { action: 'push', asset: good }),
  );
  expect([pushed.task_title, pushed.is_finished, pushed.stat]).toMatchObject([
    'Push system users to assets: web account - web-good',
    true,
    { total: 1 },
  ]);
  const tested = await executed(
    await administrator.post(`assets/system-users/${id}/tasks/`, { action: 'test', asset: good }),
  );
  expect([tested.task_title, tested.stat]).toMatchObject([
    'Test system user connectivity: web account - web-good',
    { total: 1 },
  ]);
  const again = await executed(await administrator.get(`ops/tasks/${tested.task}/run/`));
  expect([again.task, again.task_title]).toEqual([tested.task, tested.task_title]);
  expect((await list('ops/tasks/?search=hardware')).map(({ id: found }) => found)).toEqual([
    hardware.task,
  ]);
  expect((await list('ops/tasks/?search=更新资产硬件')).map(({ id: found }) => found)).toEqual([
    hardware.task,
  ]);

  // The task names follow renamed objects.
  await administrator.patch(`assets/assets/${good}/`, { hostname: 'web-best' });
  await administrator.patch(`assets/system-users/${id}/`, { name: 'web login' });
  expect(await one(`ops/tasks/${hardware.task}/`)).toMatchObject({
    name: 'Refresh asset hardware info: web-best',
    title: 'Refresh asset hardware info: web-best',
  });
  expect(await one(`ops/tasks/${tested.task}/`)).toMatchObject({
    title: 'Test system user connectivity: web login - web-good',
  });
  expect((await list('ops/tasks/?search=best')).map(({ id: found }) => found)).toEqual([
    hardware.task,
  ]);
  await administrator.patch(`assets/assets/${good}/`, { hostname: 'web-good' });
  const root = await rootNode(test.db, organization);
  const above = String(
    (await administrator.post(`assets/nodes/${root}/children/`, { value: 'above' })).body.id,
  );
  const below = String(
    (await administrator.post(`assets/nodes/${above}/children/`, { value: 'below' })).body.id,
  );
  const ofNode = await executed(
    await administrator.post(`assets/nodes/${below}/tasks/`, { action: 'test' }),
  );
  expect(ofNode.task_title).toMatch(/^Test asset connectivity: .* \/ above \/ below$/);
  await administrator.patch(`assets/nodes/${above}/`, { value: 'renamed' });
  expect((await one(`ops/tasks/${ofNode.task}/`)).title).toMatch(/ \/ renamed \/ below$/);
});

it('runs tasks by crontab or interval', async () => {
  const schedule = async () =>
    (
      await sql<{
        cron: string;
      }>`select cron from jobs.schedule where name = 'run-task' and key = ${task.id}`.execute(
        test.db,
      )
    ).rows[0]?.cron;
  const changed = await administrator.patch(`ops/tasks/${task.id}/`, {
    is_periodic: true,
    crontab: NEVER,
    comment: 'nightly',
  });
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { periodic_display: `Crontab: ${NEVER} (Asia/Shanghai)`, comment: 'nightly' },
  ]);
  await until(async () => (await schedule()) === NEVER, 'the task has its schedule');
  const installation = (await bearer(test)).inOrganization(organization);
  expect((await installation.get('ops/celery/period-tasks/')).body).toMatchObject([
    {
      id: task.id,
      name: task.name,
      task: 'test-assets',
      enabled: true,
      description: 'nightly',
      last_run_at: expect.any(String),
      total_run_count: 4,
    },
  ]);
  const off = await installation.patch(`ops/celery/period-tasks/${task.id}/`, { enabled: false });
  expect([off.status, off.body.enabled, (await one(`ops/tasks/${task.id}/`)).is_periodic]).toEqual([
    200,
    false,
    false,
  ]);
  expect(
    (await installation.patch(`ops/celery/period-tasks/${task.id}/`, { enabled: true })).body
      .enabled,
  ).toBe(true);
  for (const wrong of [
    { crontab: null, interval: null },
    { interval: 65_536 },
    { crontab: '* * *' },
  ])
    expect((await administrator.patch(`ops/tasks/${task.id}/`, wrong)).status).toBe(400);

  let runs: Json[] = [];
  /** Makes the task due, and waits until its run and job have ended. */
  const runByPeriod = async (count: number) => {
    await runHousekeeping(test, 'run-task', { task: task.id });
    await until(async () => {
      runs = await list(`ops/adhoc-executions/?task=${task.id}`);
      return runs.length === count && runs[0]?.is_finished === true;
    }, 'the task ran by its period');
    await isOver(String(runs[0]?.id));
  };
  await runByPeriod(5);
  expect(runs[0]).toMatchObject({ is_success: true, stat: { total: 3, success: 3 } });
  // Without a requester, the language of the installation applies.
  const written = async (run: Json | undefined) =>
    JSON.stringify((await one(`common/jobs/${run?.id}/log/`)).lines);
  expect(await written(runs[0])).toContain('可连接');
  expect((await installation.patch('settings/setting/', { SERVER_LANGUAGE: 'en' })).status).toBe(
    200,
  );
  await runByPeriod(6);
  expect(await written(runs[0])).toContain('reachable');
  expect((await one(`common/jobs/${runs[0]?.id}/`)).started_by).toBe('Schedule');
  await administrator.patch(`ops/tasks/${task.id}/`, { is_periodic: false });
  await until(
    async () => (await schedule()) === undefined,
    'a task that is switched off has no schedule',
  );
});

it('rejects a second start, and ends when it is canceled', async () => {
  // It accepts connections and never responds.
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  try {
    const { port } = silent.address() as AddressInfo;
    await administrator.patch(`assets/assets/${dead}/`, { protocols: [`ssh/${port}`] });
    const started = String((await administrator.get(`ops/tasks/${task.id}/run/`)).body.task);
    await until(
      async () => (await administrator.get(`ops/adhoc-executions/${started}/`)).status === 200,
      'the run has begun',
    );
    expect(await one(`ops/adhoc-executions/${started}/`)).toMatchObject({
      is_finished: false,
      is_success: false,
      date_finished: null,
    });
    const second = await administrator.get(`ops/tasks/${task.id}/run/`);
    expect([second.status, second.body.code]).toEqual([409, 'already_runs']);
    expect((await administrator.post(`common/jobs/${started}/cancel/`, {})).status).toBe(200);
    await until(
      async () => (await one(`ops/adhoc-executions/${started}/`)).is_finished === true,
      'the run is over',
    );
    expect(await one(`ops/adhoc-executions/${started}/`)).toMatchObject({
      is_success: false,
      outcome: 'canceled',
    });
  } finally {
    silent.close();
    await administrator.patch(`assets/assets/${dead}/`, { protocols: [`ssh/${host.port}`] });
  }
});

it('ends runs without a job, and deletes old versions and runs', async () => {
  await sql`
    insert into adhoc_execution (id, org_id, task_id, hosts_amount, date_start)
    select gen_random_uuid(), org_id, id, 1, now() - hours * interval '1 hour'
    from ops_task, (values (1), (2400)) as age (hours)
    where id = ${task.id}`.execute(test.db);
  await sql`
    insert into adhoc (org_id, task_id, tasks, hosts_digest, hosts, hosts_amount, run_as_admin,
      date_created)
    select org_id, id, '[]', n::text, '{}', 0, true, now() + n * interval '1 second'
    from ops_task, generate_series(1, 5) n where id = ${task.id}`.execute(test.db);
  await tidyTasks(30, test.db);
  await tidyTasks(30, test.db);
  const executions = (
    await administrator.get<Page>(`ops/adhoc-executions/?task=${task.id}&limit=100`)
  ).body.results;
  expect(executions).toHaveLength(8);
  expect(executions.every(({ is_finished: isFinished }) => isFinished)).toBe(true);
  expect(await list(`ops/adhoc/?task=${task.id}`)).toHaveLength(5);
  expect((await one(`ops/adhoc-executions/${first.id}/`)).adhoc).toBeNull();
});

it('allows only administrators of the organization', async () => {
  const user = await signInMember(test, organization, 'User');
  const auditor = await signInMember(test, organization, 'Auditor');
  const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Admin');
  const paths = [
    'tasks/',
    'adhoc/',
    'adhoc-executions/',
    'adhoc-execution-hosts/',
    `tasks/${task.id}/run/`,
  ];
  for (const path of paths)
    for (const client of [user, auditor])
      expect([path, (await client.get(`ops/${path}`)).status]).toEqual([path, 403]);
  for (const path of paths.slice(0, 4)) expect(await list(`ops/${path}`, elsewhere)).toEqual([]);
  expect((await elsewhere.get(`ops/tasks/${task.id}/run/`)).status).toBe(404);
  expect((await elsewhere.post(`ops/adhoc-executions/${first.id}/retry-failed/`, {})).status).toBe(
    404,
  );
  expect((await administrator.post('ops/tasks/', { name: 'x' })).status).toBe(405);
  expect((await administrator.delete(`ops/tasks/${task.id}/`)).status).toBe(204);
  expect((await administrator.get(`ops/adhoc-executions/${first.id}/`)).status).toBe(404);
});
