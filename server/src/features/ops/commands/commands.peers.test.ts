import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  buildAsset,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  unique,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { freePort } from '../../../testing/free-port.ts';
import { type PrivateHost, startPrivateHost } from '../../../testing/hosts/private-host.ts';
import { until } from '../../../testing/poll.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { sheetOf, textCell } from '../../../testing/workbook.ts';
import { endAbandoned } from './store.ts';

const PATH = 'ops/command-executions/';

let test: TestProgram;
let host: PrivateHost;
let organization: string;
let administrator: Client;
let auditor: Client;
let user: Client;
let userId: string;
let account: string;
let good: string;
let also: string;
let dead: string;
beforeAll(async () => {
  [test, host] = await Promise.all([startTestProgram(), startPrivateHost()]);
  organization = await buildOrganization(test.db);
  administrator = (await bearer(test)).inOrganization(organization);
  [auditor, user] = await Promise.all([
    signInMember(test, organization, 'Auditor'),
    signInMember(test, organization, 'User'),
  ]);
  userId = String((await user.get('users/profile/')).body.id);
  account = await systemUser({ username: 'plain', password: host.passwords.plain });
  [good, also, dead] = [
    await buildAsset(test.db, { organization, port: host.port, hostname: 'good' }),
    await buildAsset(test.db, { organization, port: host.port, hostname: 'also' }),
    await buildAsset(test.db, { organization, port: await freePort(), hostname: 'dead' }),
  ];
  await grant([good, also, dead], account);
});
afterAll(() => Promise.all([test?.stop(), host?.stop()]));

/** A system user of the host. */
async function systemUser(values: Json): Promise<string> {
  const created = await administrator.post('assets/system-users/', {
    name: unique('account'),
    protocol: 'ssh',
    login_mode: 'auto',
    priority: 20,
    ...values,
  });
  if (created.status !== 201) throw new Error(created.text);
  return String(created.body.id);
}

const grant = (assets: readonly string[], systemUserId: string, actions = 1) =>
  buildPermission(test.db, {
    organization,
    users: [userId],
    assets,
    systemUsers: [systemUserId],
    actions,
  });

/** Waits until a batch command and its job have ended. The job ends shortly after the command. */
async function over(id: unknown, who = user): Promise<Json> {
  let row: Json = {};
  await until(async () => {
    row = (await who.get(`${PATH}${String(id)}/`)).body;
    const { state } = (await who.get(`common/jobs/${String(id)}/`)).body;
    return row.is_finished === true && state !== 'queued' && state !== 'running';
  }, 'the batch command is over');
  return row;
}

/** Runs a command and waits for its end. */
async function run(hosts: readonly string[], command: string, more: Json = {}): Promise<Json> {
  const started = await user.post(PATH, { hosts, run_as: account, command, ...more });
  if (started.status !== 201) throw new Error(started.text);
  return over(started.body.id);
}

/** Returns true if a `sleep` of this many seconds runs on the host. */
const sleeps = async (seconds: number) =>
  (await host.inside(`pgrep -fx 'sleep ${seconds}' || :`)) !== '';
const isThere = async (file: string) => (await host.inside(`ls ${file} 2>/dev/null || :`)) !== '';

const hostsOf = async (id: unknown, query = '') =>
  (await user.get(`${PATH}${String(id)}/hosts/${query}`)).body as {
    readonly count: number;
    readonly results: readonly Json[];
  };

describe('a batch command', () => {
  it('runs as the system user on each host, and returns the exit status per host', async () => {
    const started = await user.post(`${PATH}?rows=24&cols=80`, {
      hosts: [good, dead, also],
      run_as: account,
      command: 'id -un; echo "out $((6*7))"; echo wrong >&2; exit 3',
    });
    expect([started.status, started.body]).toMatchObject([
      201,
      {
        hosts: [good, dead, also],
        run_as: account,
        result: {},
        is_finished: false,
        date_finished: null,
        log_url: `/api/v1/ops/celery/task/${started.body.id}/log/`,
      },
    ]);
    const row = await over(started.body.id);
    expect(row).toMatchObject({
      is_success: false,
      hosts_amount: 3,
      done_amount: 3,
      failed_amount: 3,
    });
    expect(row.result).toMatchObject({
      good: {
        rc: 3,
        stdout: 'plain\nout 42\n',
        stderr: 'wrong\n',
        err: 'The command ended with status 3.',
      },
      dead: { rc: null, stdout: '', err: expect.stringContaining('refused the connection') },
    });
    const { count, results } = await hostsOf(row.id, '?state=failed&limit=2');
    expect([count, results.map(({ hostname }) => hostname)]).toEqual([3, ['good', 'dead']]);
    expect((await user.get(`${PATH}${row.id}/hosts/${results[0]?.id}/`)).body).toMatchObject({
      rc: 3,
      stdout: 'plain\nout 42\n',
      is_cut: false,
    });
    // The job has the same id, and its log matches.
    const { lines } = (await user.get(`common/jobs/${row.id}/log/`)).body as {
      lines: readonly { readonly text: string }[];
    };
    expect(lines.map(({ text }) => text)).toContain(
      'good | failed: The command ended with status 3.',
    );
    expect(lines.map(({ text }) => text)).toContain('out 42');
    expect((await user.get(`common/jobs/${row.id}/`)).body).toMatchObject({
      state: 'succeeded',
      state_display: 'Failed',
      failed: 3,
      can_retry: false,
    });
  });

  it('shows output while a command runs, and keeps it when the command is interrupted', async () => {
    const gate = `/home/plain/${unique('gate')}`;
    const started = await user.post(PATH, {
      hosts: [good],
      run_as: account,
      command: `echo first; echo wrong >&2; until [ -e ${gate} ]; do sleep 0.05; done; echo second`,
    });
    // The streams are read independently: either may come first.
    await until(async () => {
      const [shown] = (await hostsOf(started.body.id, '?state=running')).results;
      return shown?.stdout === 'first\n' && shown.stderr === 'wrong\n';
    }, 'the first lines are shown');
    const [running] = (await hostsOf(started.body.id)).results;
    expect(running).toMatchObject({
      state: 'running',
      stdout: 'first\n',
      stderr: 'wrong\n',
      rc: null,
      is_cut: false,
    });
    expect((await user.get(`${PATH}${started.body.id}/hosts/${running?.id}/`)).body).toMatchObject({
      state: 'running',
      stdout: 'first\n',
    });
    expect((await user.get(`${PATH}${started.body.id}/`)).body).toMatchObject({
      is_finished: false,
      done_amount: 0,
      result: {},
    });
    await host.inside(`touch ${gate}`);
    expect((await over(started.body.id)).result).toMatchObject({
      good: { rc: 0, stdout: 'first\nsecond\n', stderr: 'wrong\n' },
    });

    const cut = await user.post(PATH, {
      hosts: [good],
      run_as: account,
      command: 'echo begun; sleep 600',
    });
    await until(
      async () => (await hostsOf(cut.body.id)).results[0]?.stdout === 'begun\n',
      'the command prints',
    );
    await user.post(`${PATH}${cut.body.id}/cancel/`);
    await over(cut.body.id);
    expect((await hostsOf(cut.body.id)).results[0]).toMatchObject({
      state: 'canceled',
      stdout: 'begun\n',
      reason: 'The task was canceled.',
    });
  });

  it('marks running hosts as failed and waiting hosts as skipped when its server is lost', async () => {
    const { id } = await run([good, also], 'echo begun');
    // The state of the database after a lost server. The test does not wait for the periodic check.
    await test.db.transaction(async (tx) => {
      await sql`update command_execution
        set is_finished = false, done_amount = 0, date_created = now() - interval '2 minutes'
        where id = ${String(id)}`.execute(tx);
      await sql`update command_execution_host set state = case asset_id when ${good} then 'running'
        else 'waiting' end
        where commandexecution_id = ${String(id)}`.execute(tx);
    });
    await endAbandoned(test.db);
    expect((await user.get(`${PATH}${id}/`)).body).toMatchObject({
      is_finished: true,
      is_success: false,
      done_amount: 1,
      failed_amount: 1,
    });
    expect((await hostsOf(id)).results).toMatchObject([
      { state: 'failed', stdout: 'begun\n' },
      { state: 'left_out' },
    ]);
  });

  it('exports all hosts as a file, in which output never becomes a formula', async () => {
    const row = await run([good, also], 'echo "=1+1"');
    expect(row).toMatchObject({ is_success: true, failed_amount: 0 });
    const file = await user.get(`${PATH}${row.id}/hosts/?format=csv`);
    expect(file.headers.get('content-type')).toContain('text/csv');
    expect(file.text).toMatch(
      /^\uFEFF?Hostname,IP,State,Exit status,Reason,Milliseconds,Output,Error output\r\n/,
    );
    expect(file.text.match(/'=1\+1/g)).toHaveLength(2);
    const sheet = await sheetOf(user, `${PATH}${row.id}/hosts/?format=xlsx`);
    expect(sheet.split(textCell('=1+1\n'))).toHaveLength(3);
    expect(sheet).not.toContain('<f>');
  });

  it('truncates large output, and drops characters that cannot be stored', async () => {
    const row = await run([good], `head -c 300000 /dev/zero | tr '\\0' x; printf 'a\\0b' >&2`);
    const [first] = (await hostsOf(row.id)).results;
    expect(first).toMatchObject({ is_cut: true, stderr: 'ab', state: 'succeeded' });
    expect(String(first?.stdout)).toHaveLength(4_096);
    expect(
      String((await user.get(`${PATH}${row.id}/hosts/${first?.id}/`)).body.stdout),
    ).toHaveLength(65_536);
  });

  it('keeps metacharacters in quoted arguments literal', async () => {
    const marker = `/home/plain/${unique('marker')}`;
    const row = await run([good], `printf '%s' '$(touch ${marker}); "\`'`);
    expect(row.result).toMatchObject({ good: { stdout: `$(touch ${marker}); "\`` } });
    expect(await isThere(marker)).toBe(false);
  });

  it('rolls out step by step, and stops when too many hosts fail', async () => {
    const row = await run([dead, good, also], 'true', { is_canary: true, failure_limit: 10 });
    expect(row).toMatchObject({
      is_success: false,
      done_amount: 1,
      failed_amount: 1,
      reason: 'Stopped: more than 10% of the servers failed.',
    });
    expect((await hostsOf(row.id)).results.map(({ state }) => state)).toEqual([
      'failed',
      'left_out',
      'left_out',
    ]);
    expect(await run([good, also], 'true', { is_canary: true, failure_limit: 10 })).toMatchObject({
      is_success: true,
      done_amount: 2,
    });
  });

  it('ends processes on the hosts when it is canceled', async () => {
    const started = await user.post(PATH, {
      hosts: [good],
      run_as: account,
      command: 'sleep 86401',
    });
    await until(() => sleeps(86_401), 'the command runs');
    expect((await user.post(`${PATH}${started.body.id}/cancel/`)).status).toBe(200);
    expect(await over(started.body.id)).toMatchObject({
      is_success: false,
      reason: 'The batch command was canceled.',
    });
    await until(async () => !(await sleeps(86_401)), 'the command is gone');
    expect((await user.post(`${PATH}${started.body.id}/cancel/`)).status).toBe(409);
  });

  it('ends when the timeout expires', async () => {
    await setting({ COMMAND_EXECUTION_TIMEOUT: 1 });
    const row = await run([good], 'sleep 600');
    await setting({ COMMAND_EXECUTION_TIMEOUT: 60 });
    expect((await hostsOf(row.id)).results[0]).toMatchObject({
      state: 'failed',
      reason: 'The task did not finish within 1 seconds.',
    });
  });

  it('signs in with the username of the user when the system user is set so', async () => {
    const same = await systemUser({ username_same_with_user: true, private_key: host.privateKey });
    await grant([good], same);
    await host.inside(
      `useradd -m -p '*' -s /bin/sh ${username()} && mkdir /home/${username()}/.ssh && cp /home/plain/.ssh/authorized_keys /home/${username()}/.ssh/ && chown -R ${username()} /home/${username()}`,
    );
    expect((await run([good], 'id -un', { run_as: same })).result).toMatchObject({
      good: { rc: 0, stdout: `${username()}\n` },
    });
  });
});

let name: string | undefined;
const username = () => name ?? '';
beforeAll(async () => {
  name = String((await user.get('users/profile/')).body.username);
});

async function setting(values: Json): Promise<void> {
  const changed = await (await bearer(test)).patch('settings/setting/', values);
  if (changed.status !== 200) throw new Error(changed.text);
}

describe('a batch command is refused', () => {
  it('rejects hosts without a grant to connect as the system user', async () => {
    const other = await buildAsset(test.db, { organization, port: host.port });
    const files = await systemUser({ username: 'plain', password: host.passwords.plain });
    await grant([good], files, 2);
    for (const [hosts, run_as] of [
      [[good, other], account],
      [[good], files],
      [[good], await buildSystemUser(test.db, { organization })],
      [[crypto.randomUUID()], account],
    ] as const) {
      const refused = await user.post(PATH, { hosts, run_as, command: 'true' });
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['hosts']]);
      expect(refused.text).not.toContain('good');
    }
    expect(
      (await auditor.post(PATH, { hosts: [good], run_as: account, command: 'true' })).status,
    ).toBe(400);
    expect(
      (await administrator.post(PATH, { hosts: [good], run_as: account, command: 'true' })).status,
    ).toBe(400);
  });

  it('rejects invalid input with the name of the field', async () => {
    for (const [field, body] of Object.entries({
      hosts: { hosts: [], run_as: account, command: 'true' },
      command: { hosts: [good], run_as: account, command: ' \n ' },
      run_as: { hosts: [good], run_as: 'x', command: 'true' },
      failure_limit: { hosts: [good], run_as: account, command: 'true', failure_limit: 101 },
    })) {
      const refused = await user.post(PATH, body);
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
    }
  });

  it('rejects system users without stored credentials or of another protocol', async () => {
    const manual = await buildSystemUser(test.db, { organization });
    const telnet = await buildSystemUser(test.db, { organization, protocol: 'telnet' });
    const old = await buildAsset(test.db, { organization, protocols: ['ssh/22', 'telnet/23'] });
    await grant([old], manual);
    await grant([old], telnet);
    for (const run_as of [manual, telnet]) {
      const refused = await user.post(PATH, { hosts: [old], run_as, command: 'true' });
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['run_as']]);
    }
  });

  it('rejects a filtered command before any host runs it', async () => {
    const guarded = await systemUser({ username: 'plain', password: host.passwords.plain });
    await grant([good, also], guarded);
    const filter = await administrator.post('assets/cmd-filters/', {
      name: unique('filter'),
      system_users: [guarded],
    });
    await administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, {
      type: 'command',
      content: 'touch',
      action: 0,
      priority: 50,
    });
    const marker = `/home/plain/${unique('marker')}`;
    const row = await run([good, also], `true\ntouch ${marker}`, { run_as: guarded });
    expect(row).toMatchObject({
      is_success: false,
      done_amount: 0,
      result: { error: expect.stringContaining('touch') },
    });
    expect(await isThere(marker)).toBe(false);
    expect(await run([good], 'echo fine', { run_as: guarded })).toMatchObject({ is_success: true });
  });

  it('rejects commands outside of the allow list of an enforced system user', async () => {
    const enforced = await systemUser({
      username: 'plain',
      password: host.passwords.plain,
      enforced: true,
      allowed_commands: 'echo *',
    });
    await grant([good], enforced);
    expect((await run([good], 'id', { run_as: enforced })).result).toMatchObject({
      error: expect.stringContaining('This command is not allowed'),
    });
    expect((await run([good], 'echo a; id', { run_as: enforced })).result).toMatchObject({
      error: expect.stringContaining('plain commands'),
    });
    expect((await run([good], "echo 'a b'", { run_as: enforced })).result).toMatchObject({
      good: { stdout: 'a b\n' },
    });
  });

  it('rejects a command without the second factor that a permission requires', async () => {
    const strict = await systemUser({ username: 'plain', password: host.passwords.plain });
    const rule = await grant([good], strict);
    await sql`update asset_permission set mfa_minutes = 5 where id = ${rule}`.execute(test.db);
    expect(await user.post(PATH, { hosts: [good], run_as: strict, command: 'true' })).toMatchObject(
      { status: 403, body: { code: 'factor_needed' } },
    );
  });

  it('skips hosts whose permission ends before their turn', async () => {
    const short = await systemUser({ username: 'plain', password: host.passwords.plain });
    const rule = await grant([good, also], short);
    // The first host blocks the run until the permission has ended.
    await setting({ REMOTE_PARALLEL_HOSTS: 1 });
    const file = `/home/plain/${unique('gate')}`;
    const started = await user.post(PATH, {
      hosts: [good, also],
      run_as: short,
      command: `touch ${file}.begun; until [ -e ${file} ]; do sleep 0.05; done`,
    });
    await until(() => isThere(`${file}.begun`), 'the command runs');
    await administrator.delete(`perms/asset-permissions/${rule}/`);
    await host.inside(`rm ${file}.begun; touch ${file}`);
    await over(started.body.id);
    await setting({ REMOTE_PARALLEL_HOSTS: 50 });
    expect((await hostsOf(started.body.id)).results.map(({ state }) => state)).toEqual([
      'succeeded',
      'failed',
    ]);
    expect(await isThere(`${file}.begun`)).toBe(false);
  });

  it('rejects all access while the setting is off', async () => {
    const row = await run([good], 'true');
    await setting({ SECURITY_COMMAND_EXECUTION: false });
    for (const answer of [
      await user.post(PATH, { hosts: [good], run_as: account, command: 'true' }),
      await user.get(PATH),
      await user.get(`${PATH}${row.id}/`),
      await user.get(`${PATH}${row.id}/hosts/`),
      await administrator.get(PATH),
    ])
      expect(answer.status).toBe(403);
    await setting({ SECURITY_COMMAND_EXECUTION: true });
    expect((await user.get(`${PATH}${row.id}/`)).status).toBe(200);
  });

  it('rejects more unfinished commands than a user may have', async () => {
    const ids: unknown[] = [];
    for (let n = 0; n < 5; n += 1)
      ids.push(
        (await user.post(PATH, { hosts: [good], run_as: account, command: 'sleep 86402' })).body.id,
      );
    expect(
      (await user.post(PATH, { hosts: [good], run_as: account, command: 'true' })).status,
    ).toBe(409);
    // Cancels the last one first, because it waits for the others.
    for (const id of ids.toReversed())
      expect((await user.post(`${PATH}${String(id)}/cancel/`)).status).toBe(200);
    for (const id of ids) await over(id);
    // One of them never started.
    expect((await hostsOf(ids[4])).results[0]).toMatchObject({ state: 'left_out' });
  });
});

describe('who sees it', () => {
  it('shows a command to its user, and to auditors of the organization in their log', async () => {
    const row = await run([good, dead], 'echo seen');
    const colleague = await signInMember(test, organization, 'User');
    for (const path of [
      `${PATH}${row.id}/`,
      `${PATH}${row.id}/hosts/`,
      `common/jobs/${row.id}/log/`,
    ])
      expect((await colleague.get(path)).status).toBe(404);
    expect((await colleague.post(`${PATH}${row.id}/cancel/`)).status).toBe(404);
    const foreign = (await hostsOf(row.id)).results[0]?.id;
    const mine = await run([good], 'true');
    expect((await user.get(`${PATH}${mine.id}/hosts/${foreign}/`)).status).toBe(404);

    const log = 'audits/command-execution-logs/';
    for (const path of [
      log,
      `audits/command-executions-hosts-relations/?commandexecution=${row.id}`,
    ])
      expect((await user.get(path)).status).toBe(403);
    const [entry] = (await auditor.get<Json[]>(`${log}?search=seen`)).body;
    expect(entry).toMatchObject({
      id: row.id,
      hosts: [good, dead],
      command: 'echo seen',
      user: userId,
      run_as: account,
      is_finished: true,
      is_success: false,
      failed_amount: 1,
      org_id: organization,
    });
    const userName = String(entry?.user_display).replace(/\(.*/, '');
    expect(
      (
        (await auditor.get(`${log}?user__name=${encodeURIComponent(userName)}&limit=1`)).body as {
          count: number;
        }
      ).count,
    ).toBeGreaterThan(0);
    expect(
      ((await auditor.get(`${log}?run_as__name=nobody&limit=1`)).body as { count: number }).count,
    ).toBe(0);
    const relations = (
      await auditor.get<Json[]>(
        `audits/command-executions-hosts-relations/?commandexecution=${row.id}`,
      )
    ).body;
    expect(relations).toMatchObject([
      {
        asset: good,
        asset_display: 'good(127.0.0.1)',
        commandexecution: row.id,
        commandexecution_display: 'echo seen',
        state: 'succeeded',
        rc: 0,
        stdout: 'seen\n',
      },
      { asset: dead, state: 'failed', rc: null },
    ]);
    expect((await auditor.get(`ops/celery/task/${row.id}/log/`)).body).toMatchObject({
      data: expect.stringContaining('seen\r\n'),
      end: true,
    });
    const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Auditor');
    for (const client of [elsewhere, colleague])
      expect((await client.get(`ops/celery/task/${row.id}/log/`)).status).toBe(404);
    expect((await elsewhere.get(log)).body).toEqual([]);
    expect(
      (await elsewhere.get(`audits/command-executions-hosts-relations/?commandexecution=${row.id}`))
        .body,
    ).toEqual([]);
  });
});
