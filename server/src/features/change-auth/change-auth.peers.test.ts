import { ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildOrganization, rootNode, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { type PrivateHost, startPrivateHost } from '../../testing/hosts/private-host.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PLANS = 'xpack/change-auth-plan/plan/';
const EXECUTIONS = 'xpack/change-auth-plan/plan-execution/';
const SUBTASKS = 'xpack/change-auth-plan/plan-execution-subtask/';
const CUSTOM = 'Colon:quote\'"$(id)`é1';

let test: TestProgram;
let hosts: [PrivateHost, PrivateHost];
let organization: string;
let administrator: Client;
let assets: [string, string];
beforeAll(async () => {
  [test, ...hosts] = await Promise.all([
    startTestProgram(),
    startPrivateHost(),
    startPrivateHost(),
  ]);
  // The tests settle interrupted changes themselves, and check their state before.
  await withoutSchedule(test, 'settle-change-auth');
  organization = await buildOrganization(test.db);
  administrator = (await bearer(test)).inOrganization(organization);
  assets = await Promise.all(
    hosts.map(async (host) => {
      // A folder for programs of the tests, in the namespace of the host only.
      await host.inside('mount -t tmpfs tmpfs /usr/local/sbin');
      const admin = await administrator.post('assets/admin-users/', {
        name: unique('admin'),
        username: 'admin',
        password: host.passwords.admin,
      });
      const id = await buildAsset(test.db, { organization, port: host.port });
      await administrator.patch(`assets/assets/${id}/`, { admin_user: admin.body.id });
      return id;
    }) as [Promise<string>, Promise<string>],
  );
});
afterAll(() => Promise.all([test?.stop(), ...(hosts ?? []).map((host) => host.stop())]));
beforeEach(async () => {
  await Promise.all(
    hosts.map((host) => host.inside('rm -f /usr/local/sbin/* /home/plain/.ssh/rc')),
  );
});

/** Returns true if the sshd of a host accepts a password. */
const accepts = ({ host, port }: PrivateHost, username: string, password: string) =>
  new Promise<boolean>((done) => {
    const client = new ssh2.Client();
    client.once('ready', () => {
      client.end();
      done(true);
    });
    client.once('error', () => done(false));
    client.connect({ host, port, username, password });
  });

const list = async (path: string) => (await administrator.get<Json[]>(path)).body;
const over = async (id: string) => {
  let job: Json = {};
  await until(async () => {
    job = (await administrator.get(`common/jobs/${id}/`)).body;
    return job.state !== 'queued' && job.state !== 'running';
  }, 'the run is over');
  return job;
};
const planOf = async (body: Json): Promise<string> => {
  const created = await administrator.post(PLANS, {
    name: unique('plan'),
    username: 'plain',
    assets: [assets[0]],
    ...body,
  });
  if (created.status !== 201) throw new Error(created.text);
  return String(created.body.id);
};
const start = async (plan: string) =>
  String((await administrator.post(EXECUTIONS, { plan })).body.task);
const subtasksOf = (execution: string) => list(`${SUBTASKS}?plan_execution_id=${execution}`);
const runPlan = async (plan: string) => {
  const id = await start(plan);
  const job = await over(id);
  return { id, job, subtasks: await subtasksOf(id) };
};
const retry = async (subtask: Json) => {
  const answer = await administrator.put(`${SUBTASKS}${subtask.id}/`, {});
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('task')]);
  await over(String(answer.body.task));
  return (await administrator.get(`${SUBTASKS}${subtask.id}/`)).body;
};
/** Stored passwords of an account on an asset, latest first. */
async function stored(asset: string, username: string): Promise<string[]> {
  const { rows } = await sql<{ id: string; password: string }>`
    select id, password from asset_user where asset_id = ${asset} and username = ${username}
    order by version desc`.execute(test.db);
  return rows.map(({ id, password }) =>
    test.program.vault.open(password, `asset_user.password.${id}`),
  );
}
const pending = async () =>
  (await sql`select 1 from change_auth_subtask where pending is not null`.execute(test.db)).rows
    .length;
const hashOf = (host: PrivateHost) => host.inside('grep "^plain:" /etc/shadow | cut -d: -f2');
/** Settles interrupted changes now, as the server does periodically and at its start. */
const settle = () => runHousekeeping(test, 'settle-change-auth');
/** Replaces `chpasswd`; the real one is /usr/sbin/chpasswd. */
const inPlace = (host: PrivateHost, lines: string) =>
  host.inside(
    `cat >/usr/local/sbin/chpasswd <<'END'\n#!/bin/sh\n[ "$1" = -e ] && exec /usr/sbin/chpasswd -e\n${lines}\nEND\nchmod 755 /usr/local/sbin/chpasswd`,
  );
/** Kills the calling shell and its connection, which prevents the rollback. */
const CUT =
  'cd /proc; for p in [0-9]*; do [ "$p" = 1 ] || [ "$p" = $$ ] || kill -9 "$p"; done 2>/dev/null';

describe('the strategies', () => {
  it('sets the custom password of a plan and verifies it by a sign-in', async () => {
    const [host] = hosts;
    const plan = await planOf({ password_strategy: 'custom', password: CUSTOM });
    const { id, job, subtasks } = await runPlan(plan);
    expect([job.state, subtasks.length]).toEqual(['succeeded', 1]);
    expect(subtasks[0]).toMatchObject({
      asset: assets[0],
      username: 'plain',
      is_success: true,
      step: 'finished',
      step_display: 'Finished',
      reason: '',
      needs_attention: false,
    });
    expect(await accepts(host, 'plain', CUSTOM)).toBe(true);
    expect(await accepts(host, 'plain', host.passwords.plain)).toBe(false);
    expect(await stored(assets[0], 'plain')).toEqual([CUSTOM]);
    const [execution] = await list(`${EXECUTIONS}?plan_id=${plan}`);
    expect(execution).toMatchObject({
      id,
      assets_amount: 1,
      nodes_amount: 0,
      result_summary: { succeed: 1, failed: 0, total: 1 },
      is_finished: true,
    });
    expect((await administrator.get(`${PLANS}${plan}/`)).body).toMatchObject({
      run_times: 1,
      periodic_display: '-',
    });
    expect(
      JSON.stringify([
        job,
        execution,
        subtasks,
        (await administrator.get(`common/jobs/${id}/log/`)).body,
      ]),
    ).not.toContain('quote');
    expect(await pending()).toBe(0);
  });

  it('sets random passwords, shared or per server, new in every run', async () => {
    const node = await rootNode(test.db, organization);
    const one = await planOf({
      assets: [],
      nodes: [node],
      password_strategy: 'random_one',
      password_rules: { length: 12 },
    });
    expect((await runPlan(one)).subtasks.map(({ is_success: isSuccess }) => isSuccess)).toEqual([
      true,
      true,
    ]);
    const [first = '', second = ''] = (
      await Promise.all(assets.map((asset) => stored(asset, 'plain')))
    ).map(([latest]) => latest);
    expect([first, first.length]).toEqual([second, 12]);
    for (const host of hosts) expect(await accepts(host, 'plain', first)).toBe(true);

    const each = await planOf({
      assets,
      password_strategy: 'random_all',
      password_rules: { length: 30 },
    });
    await runPlan(each);
    const latest = (await Promise.all(assets.map((asset) => stored(asset, 'plain')))).map(
      ([password = '']) => password,
    );
    expect(new Set([first, ...latest]).size).toBe(3);
    for (const [index, password] of latest.entries()) {
      expect(password).toMatch(/^[a-zA-Z][a-zA-Z0-9_.=+@%-]{29}$/);
      expect(await accepts(hosts[index as 0 | 1], 'plain', password)).toBe(true);
    }
  });

  it('changes the password of the admin user itself', async () => {
    const plan = await planOf({
      username: 'admin',
      assets: [assets[1]],
      password_strategy: 'random_all',
    });
    expect((await runPlan(plan)).subtasks).toMatchObject([{ is_success: true }]);
    const [password = ''] = await stored(assets[1], 'admin');
    expect(await accepts(hosts[1], 'admin', password)).toBe(true);
    // Later work uses the new password.
    expect((await runPlan(plan)).subtasks).toMatchObject([{ is_success: true }]);
  });
});

describe('a server is never locked out', () => {
  it('restores the old password when sshd rejects the new one', async () => {
    const [host] = hosts;
    const [before = ''] = await stored(assets[0], 'plain');
    const hash = await hashOf(host);
    await inPlace(host, 'sed "s/$/x/" | /usr/sbin/chpasswd');
    const { job, subtasks } = await runPlan(await planOf({ password_strategy: 'random_all' }));
    expect(job.state).toBe('succeeded');
    expect(subtasks).toMatchObject([
      { is_success: false, needs_attention: false, step: 'verify', can_retry: true },
    ]);
    expect(subtasks[0]?.reason).toContain('The old password is restored');
    expect([await hashOf(host), await accepts(host, 'plain', before), await pending()]).toEqual([
      hash,
      true,
      0,
    ]);
    expect((await stored(assets[0], 'plain'))[0]).toBe(before);
    await host.inside('rm /usr/local/sbin/chpasswd');
    expect(await retry(subtasks[0] ?? {})).toMatchObject({
      is_success: true,
      step: 'finished',
      can_retry: false,
    });
    expect((await administrator.put(`${SUBTASKS}${subtasks[0]?.id}/`, {})).status).toBe(409);
  });

  it('rolls back on the server when the connection ends before the verifying sign-in', async () => {
    const [host] = hosts;
    const hash = await hashOf(host);
    await host.inside('echo "sleep 60" >/home/plain/.ssh/rc; chown plain /home/plain/.ssh/rc');
    const id = await start(await planOf({ password_strategy: 'random_all' }));
    await until(
      async () => (await subtasksOf(id))[0]?.step === 'verify',
      'the new password is set and not proved',
    );
    await until(async () => (await hashOf(host)) !== hash, 'the server has the new password');
    await administrator.post(`common/jobs/${id}/cancel/`, {});
    await until(async () => (await hashOf(host)) === hash, 'the server has the old password again');
    await until(
      async () => (await administrator.get(`${EXECUTIONS}${id}/`)).body.is_finished === true,
      'the run is over',
    );
    expect(await pending()).toBe(1);
    await host.inside('rm /home/plain/.ssh/rc');
    await over(id);
    await until(async () => {
      await settle();
      return (await pending()) === 0;
    }, 'it is known which password is in force');
    expect(await subtasksOf(id)).toMatchObject([
      {
        is_success: false,
        needs_attention: false,
        reason: expect.stringContaining('The old password is still valid'),
      },
    ]);
  });

  it('settles later by a sign-in when the server goes down after the change', async () => {
    const [host] = hosts;
    await inPlace(host, `/usr/sbin/chpasswd; ${CUT}`);
    const { subtasks } = await runPlan(await planOf({ password_strategy: 'random_all' }));
    expect(subtasks).toMatchObject([
      {
        is_success: false,
        needs_attention: false,
        reason: expect.stringContaining('checks again automatically'),
      },
    ]);
    const versions = (await stored(assets[0], 'plain')).length;
    // Other changes of this account are rejected in the meantime.
    const other = await runPlan(await planOf({ password_strategy: 'random_all' }));
    expect(other.subtasks).toMatchObject([
      { is_success: false, reason: expect.stringContaining('is not verified yet') },
    ]);
    await host.inside('rm /usr/local/sbin/chpasswd');
    await settle();
    expect((await administrator.get(`${SUBTASKS}${subtasks[0]?.id}/`)).body).toMatchObject({
      is_success: true,
      step: 'finished',
    });
    const [latest = '', ...earlier] = await stored(assets[0], 'plain');
    expect([earlier.length, await accepts(host, 'plain', latest), await pending()]).toEqual([
      versions,
      true,
      0,
    ]);
  });

  it('needs attention when neither password is accepted, and settles by a retry', async () => {
    const [host] = hosts;
    const [before = ''] = await stored(assets[0], 'plain');
    await inPlace(host, `sed "s/$/y/" | /usr/sbin/chpasswd; ${CUT}`);
    const { subtasks } = await runPlan(await planOf({ password_strategy: 'random_all' }));
    await host.inside('rm /usr/local/sbin/chpasswd');
    await settle();
    const waiting = (await administrator.get(`${SUBTASKS}${subtasks[0]?.id}/`)).body;
    expect(waiting).toMatchObject({
      is_success: false,
      needs_attention: true,
      can_retry: true,
      reason: expect.stringContaining('The current password is unknown'),
    });
    expect(
      (await list('common/attention/')).find(({ kind }) => kind === 'unsettled_changes'),
    ).toMatchObject({ count: 1 });
    await host.inside(`printf '%s\\n' 'plain:${before}' | chpasswd`);
    expect(await retry(waiting)).toMatchObject({
      is_success: false,
      needs_attention: false,
      reason: expect.stringContaining('The old password is still valid'),
    });
    expect(await retry(waiting)).toMatchObject({ is_success: true });
    expect(await pending()).toBe(0);
  });
});

describe('a stored version', () => {
  it('sets a stored version on its server after a recent second factor, and stores it as the latest', async () => {
    const [host] = hosts;
    const versions = async () =>
      (await list(`assets/asset-users/?asset_id=${assets[0]}&username=plain&draw=1`)).toSorted(
        (one, other) => Number(other.version) - Number(one.version),
      );
    const earlier = (await versions())[1] ?? {};
    const [latest = '', oldPassword = ''] = await stored(assets[0], 'plain');
    const set = (id: unknown, client = administrator) =>
      client.post(`assets/asset-users/${id}/set-on-server/`, {});
    expect(await set(earlier.id)).toMatchObject({
      status: 403,
      body: { code: 'mfa_verify_required' },
    });
    await sql`update web_session set mfa_verified = now()`.execute(test.db);
    const started = await set(earlier.id);
    expect([started.status, started.text]).toEqual([201, expect.stringContaining('task')]);
    const id = String(started.body.task);
    expect(await over(id)).toMatchObject({
      state: 'succeeded',
      failed: 0,
      title: 'Set a stored password on its server',
    });
    expect([
      await accepts(host, 'plain', oldPassword),
      await accepts(host, 'plain', latest),
    ]).toEqual([true, false]);
    expect((await stored(assets[0], 'plain')).slice(0, 3)).toEqual([
      oldPassword,
      latest,
      oldPassword,
    ]);
    expect((await administrator.get(`${EXECUTIONS}${id}/`)).body).toMatchObject({
      plan: null,
      password_strategy: 'stored',
      is_finished: true,
    });
    const logged = await list(
      `audits/operate-logs/?resource_type=asset_user&action=update&resource=plain@${(await versions())[0]?.hostname}`,
    );
    expect(logged.length).toBe(1);

    // A server that rejects it keeps its password, and a retry is possible.
    await inPlace(host, 'sed "s/$/x/" | /usr/sbin/chpasswd');
    const again = String((await set((await versions())[1]?.id)).body.task);
    expect(await over(again)).toMatchObject({
      state: 'succeeded',
      failed: 1,
      state_display: 'Failed',
    });
    expect([await accepts(host, 'plain', oldPassword), await pending()]).toEqual([true, 0]);
    const [subtask = {}] = await subtasksOf(again);
    expect(subtask).toMatchObject({
      is_success: false,
      can_retry: true,
      reason: expect.stringContaining('The old password is restored'),
    });
    await host.inside('rm /usr/local/sbin/chpasswd');
    expect(await retry(subtask)).toMatchObject({ is_success: true });
    expect(await accepts(host, 'plain', latest)).toBe(true);

    const key = await administrator.post('assets/asset-users/', {
      asset: assets[0],
      username: 'keyed',
      private_key: host.privateKey,
    });
    expect(await set(key.body.id)).toMatchObject({
      status: 400,
      body: { code: 'version_without_password' },
    });
    const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Admin');
    expect([(await set(earlier.id, elsewhere)).status, (await set('x')).status]).toEqual([
      404, 404,
    ]);
    expect((await set(earlier.id, await signInMember(test, organization, 'User'))).status).toBe(
      403,
    );
  });
});

describe('the assets of a plan', () => {
  it('lists the assets of a plan with those below its nodes, and adds and removes single ones concurrently', async () => {
    const node = await rootNode(test.db, organization);
    const plan = await planOf({ assets: [], password: 'good enough' });
    const names = async (query = '') =>
      (await list(`${PLANS}${plan}/assets/${query}`)).map(({ id }) => id).sort();
    const move = (placement: string, ...ids: string[]) =>
      administrator.patch(`${PLANS}${plan}/asset/${placement}/`, { assets: ids });
    expect(await names()).toEqual([]);
    expect(
      (await Promise.all(assets.map((asset) => move('add', asset)))).map(({ status }) => status),
    ).toEqual([200, 200]);
    expect(await names()).toEqual([...assets].sort());
    expect(await names(`?ids=${assets[1]}`)).toEqual([assets[1]]);
    expect((await administrator.get(`${PLANS}${plan}/assets/?limit=1`)).body).toMatchObject({
      count: 2,
      results: [{ ip: expect.any(String) }],
    });
    expect((await move('remove', assets[0], assets[0])).body).toMatchObject({
      assets: [assets[1]],
      assets_amount: 1,
    });
    expect(await names()).toEqual([assets[1]]);
    const file = await administrator.get(`${PLANS}${plan}/assets/?format=csv`);
    expect([file.text.includes(assets[1]), file.text.includes(assets[0])]).toEqual([true, false]);
    await administrator.patch(`${PLANS}${plan}/`, { nodes: [node] });
    expect(await names()).toEqual([...assets].sort());
    // Assets below nodes cannot be removed singly.
    expect((await move('remove', assets[1])).body).toMatchObject({ assets: [], nodes_amount: 1 });
    expect(await names()).toEqual([...assets].sort());

    const elsewhere = await buildOrganization(test.db);
    const foreign = await buildAsset(test.db, { organization: elsewhere });
    const refused = await move('add', foreign);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['assets']]);
    expect((await move('add')).status).toBe(400);
    const other = await signInMember(test, elsewhere, 'Admin');
    for (const answer of [
      await other.get(`${PLANS}${plan}/assets/`),
      await other.patch(`${PLANS}${plan}/asset/add/`, { assets: [foreign] }),
      await other.patch(`${PLANS}${plan}/asset/remove/`, { assets }),
    ])
      expect(answer.status).toBe(404);
  });
});

describe('what is refused', () => {
  it('rejects invalid plans with their field', async () => {
    const refused = async (body: Json) => {
      const answer = await administrator.post(PLANS, {
        name: unique('plan'),
        username: 'plain',
        assets,
        ...body,
      });
      expect(answer.status).toBe(400);
      return Object.keys(answer.body);
    };
    expect(await refused({ password_strategy: 'custom' })).toContain('password');
    expect(await refused({ password_strategy: 'custom', password: 'two\nlines' })).toContain(
      'password',
    );
    for (const length of [5, 31, 'x'])
      expect(
        await refused({ password_strategy: 'random_all', password_rules: { length } }),
      ).toContain('password_rules.length');
    for (const username of ['root;id', '$(id)', 'a b', '-x', 'x'.repeat(33)])
      expect(await refused({ password: 'good enough', username })).toContain('username');
    expect(await refused({ password: 'good enough', is_periodic: true, interval: null })).toContain(
      'is_periodic',
    );
  });

  it('rejects a plan without assets, a server without the account, and callers who are not administrators', async () => {
    const empty = await planOf({ assets: [], password: 'good enough' });
    expect((await over(await start(empty))).reason).toBe('The plan has no active asset.');
    const { subtasks } = await runPlan(
      await planOf({ username: 'nobody-here', password: 'good enough' }),
    );
    expect(subtasks).toMatchObject([
      { is_success: false, step: 'preflight', reason: 'The server has no account nobody-here.' },
    ]);
    const user = await signInMember(test, organization, 'User');
    const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Admin');
    expect((await user.post(EXECUTIONS, { plan: empty })).status).toBe(403);
    expect((await elsewhere.post(EXECUTIONS, { plan: empty })).status).toBe(404);
    expect((await elsewhere.put(`${SUBTASKS}${subtasks[0]?.id}/`, {})).status).toBe(404);
    expect((await administrator.get(`${PLANS}${empty}/`)).text).not.toContain('good enough');
  });
});

// The last test: control cannot be switched off directly.
it('sets passwords by an existing plan in an organization with change control', async () => {
  await signInMember(test, organization);
  // Control holds plans, too: this one exists before, and its runs change the passwords.
  const plan = await planOf({ password_strategy: 'custom', password: `Controlled ${CUSTOM}` });
  const on = await administrator.put('change-control/', { is_on: true });
  expect(on.status, on.text).toBe(200);
  const { job, subtasks } = await runPlan(plan);
  expect([job.state, subtasks[0]?.is_success]).toEqual(['succeeded', true]);
  expect(await accepts(hosts[0], 'plain', `Controlled ${CUSTOM}`)).toBe(true);
});
