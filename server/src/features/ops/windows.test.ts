import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildOrganization, buildPermission, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import {
  type Play,
  startWindows,
  type WindowsTranscript,
} from '../../testing/hosts/windows-transcript.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

// Runs against a transcript based on Microsoft's documentation (windows-transcript.ts). Not tested
// on Windows.

let test: TestProgram;
let windows: WindowsTranscript;
let organization: string;
let administrator: Client;
let asset: string;
/** Passwords of the host by account. */
const passwords = new Map([['Administrator', 'first']]);
const created = new Set<string>();

/** A host that stores accounts and passwords, and answers other commands from the transcript. */
const play: Play = function* ({ module, isCheck, values: [name = '', second = '', third = ''] }) {
  if (module === 'facts')
    for (const line of [
      'sys_vendor Dell Inc.',
      'memory 16776756',
      'os Microsoft Windows Server 2022 标准版',
      'hostname WIN-1',
    ])
      yield `fact ${line}`;
  if (module === 'gather-users')
    yield `fact user 500\t2026-11-21T08:01:02Z\tAdministrator\tC:\\Users\\Administrator`;
  if (module === 'user' && !created.has(name)) {
    yield 'changed user';
    yield 'changed group:Users';
    if (!isCheck) created.add(name);
  }
  if (module === 'authorized-key' && !created.has(`key of ${name}`)) {
    yield 'changed key';
    if (!isCheck) created.add(`key of ${name}`);
  }
  if (module === 'password' && passwords.get(name) !== second) {
    yield 'changed password';
    if (!isCheck) passwords.set(name, second);
  }
  if (module === 'change-password') {
    yield 'changed password';
    if (!isCheck) {
      passwords.set(name, second);
      const answer = yield 'asks';
      if (answer !== 'keep') {
        passwords.set(name, third);
        yield 'fact undone';
      }
    }
  }
  if (module === 'program') {
    yield { output: 'ran ' };
    yield { output: `${name}\r\n` };
    yield 'status 0';
  }
  yield 'done';
};

beforeAll(async () => {
  windows = await startWindows(play, (username, password) => passwords.get(username) === password);
  test = await startTestProgram();
  organization = await buildOrganization(test.db);
  administrator = (await bearer(test)).inOrganization(organization);
  const admin = await make('assets/admin-users/', {
    name: unique('admin'),
    username: 'Administrator',
    password: 'first',
  });
  asset = await buildAsset(test.db, { organization, port: windows.port, hostname: 'win-1' });
  expect(
    (
      await administrator.patch(`assets/assets/${asset}/`, {
        admin_user: admin,
        platform: 'Windows',
      })
    ).status,
  ).toBe(200);
});
afterAll(() => Promise.all([test?.stop(), windows?.stop()]));

async function make(path: string, values: Json): Promise<string> {
  const answer = await administrator.post(path, values);
  if (answer.status !== 201) throw new Error(answer.text);
  return String(answer.body.id);
}

/** Waits for the end of a job, and returns its state and its lines. */
async function over(
  id: unknown,
  who = administrator,
): Promise<{ readonly state: unknown; readonly lines: readonly string[] }> {
  let state: unknown;
  await until(async () => {
    state = (await who.get(`common/jobs/${String(id)}/`)).body.state;
    return state !== 'queued' && state !== 'running';
  }, 'the job is over');
  const { lines } = (await who.get(`common/jobs/${String(id)}/log/`)).body as {
    lines: readonly { readonly text: string }[];
  };
  return { state, lines: lines.map(({ text }) => text) };
}
const task = async (path: string, body: Json) => (await administrator.post(path, body)).body.task;
const reported = (module: string) => windows.runs.filter((run) => run.module === module);

it('tests a Windows server, and reads its hardware', async () => {
  expect(
    (await over(await task(`assets/assets/${asset}/tasks/`, { action: 'test' }))).lines.join(),
  ).toMatch(/: reachable \(\d+ ms\)/);
  expect(reported('ping')).toEqual([{ module: 'ping', isCheck: false, values: [] }]);
  await over(await task(`assets/assets/${asset}/tasks/`, { action: 'refresh' }));
  expect((await administrator.get(`assets/assets/${asset}/`)).body).toMatchObject({
    vendor: 'Dell Inc.',
    memory: '17.2 G',
    os: 'Microsoft Windows Server 2022 标准版',
    hostname_raw: 'WIN-1',
  });
});

it('pushes a local account with password and key, without shell and sudo rule, and is idempotent', async () => {
  const id = await make('assets/system-users/', {
    name: unique('system'),
    username: 'Deploy',
    login_mode: 'auto',
    protocol: 'ssh',
    auto_push: false,
    auto_generate_key: true,
    shell: '/bin/bash',
    sudo: '/bin/whoami',
  });
  await make('perms/asset-permissions/', {
    name: unique('rule'),
    assets: [asset],
    system_users: [id],
  });
  const tasks = `assets/system-users/${id}/tasks/`;
  const dry = await over(await task(tasks, { action: 'push_check' }));
  expect(dry.lines.join()).toMatch(
    /win-1: Deploy: would change: account, group:Users, password, key/,
  );
  expect(created.size).toBe(0);
  await administrator.patch(`assets/system-users/${id}/`, { auto_push: true });
  await until(
    async () =>
      (await administrator.get<Json[]>(`assets/system-users/${id}/pushes/`)).body[0]?.state ===
      'done',
    'it is pushed',
  );
  expect(reported('user').at(-1)).toEqual({
    module: 'user',
    isCheck: false,
    values: ['Deploy', '', '', 'Deploy', 'S-1-5-32-545\nS-1-5-32-555'],
  });
  expect(passwords.get('Deploy')).toMatch(/^.{16,}$/);
  expect(reported('group')).toEqual([]);
  expect((await over(await task(tasks, { action: 'push' }))).lines[0]).toMatch(
    /win-1: Deploy pushed \(nothing to change\)/,
  );
  // It signs in with the generated secret.
  expect((await over(await task(tasks, { action: 'test' }))).lines.at(-1)).toBe(
    '1 succeeded, 0 failed, 0 skipped.',
  );
});

it('gathers the accounts of a Windows server', async () => {
  const node = (await administrator.get<Json[]>('assets/nodes/')).body[0]?.id;
  const gather = await make('xpack/gathered-user/tasks/', {
    name: unique('gather'),
    nodes: [node],
  });
  expect(
    (
      await over(
        (
          await administrator.post('xpack/gathered-user/task-executions/', { task: gather })
        ).body.task,
      )
    ).state,
  ).toBe('succeeded');
  expect((await administrator.get(`assets/gathered-users/?asset_id=${asset}`)).body).toMatchObject([
    { username: 'Administrator', present: true, ip_last_login: null },
  ]);
});

it('changes a Windows password, and restores the old one when the sign-in fails', async () => {
  passwords.set('svc-backup', 'before');
  const plan = await make('xpack/change-auth-plan/plan/', {
    name: unique('plan'),
    username: 'svc-backup',
    assets: [asset],
    password_strategy: 'custom',
    password: 'a new one: \'"$(id) 密码',
  });
  const run = async () => {
    const { task: id } = (
      await administrator.post('xpack/change-auth-plan/plan-execution/', { plan })
    ).body;
    await over(id);
    return (
      await administrator.get<Json[]>(
        `xpack/change-auth-plan/plan-execution-subtask/?plan_execution_id=${String(id)}`,
      )
    ).body[0];
  };
  expect(await run()).toMatchObject({ is_success: true, needs_attention: false });
  expect(passwords.get('svc-backup')).toBe('a new one: \'"$(id) 密码');
  // Rejected at the sign-in: the host gets the stored password back.
  await administrator.patch(`xpack/change-auth-plan/plan/${plan}/`, { password: 'another one' });
  const set = passwords.set.bind(passwords);
  passwords.set = (name, value) =>
    set(name, value === 'another one' ? 'not what was asked' : value);
  expect(await run()).toMatchObject({ is_success: false, needs_attention: false });
  passwords.set = set;
  expect(passwords.get('svc-backup')).toBe('a new one: \'"$(id) 密码');
  expect(reported('change-password').at(-1)?.values).toEqual([
    'svc-backup',
    'another one',
    'a new one: \'"$(id) 密码',
  ]);
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from asset_user where username = 'svc-backup'`.execute(test.db);
  expect(rows[0]?.n).toBe(1);
});

it('runs a batch command in PowerShell after the filters', async () => {
  passwords.set('operator', 'x');
  const user = await signInMember(test, organization, 'User');
  const userId = String((await user.get('users/profile/')).body.id);
  const account = await make('assets/system-users/', {
    name: unique('account'),
    username: 'operator',
    password: 'x',
    protocol: 'ssh',
    login_mode: 'auto',
    auto_push: false,
  });
  await buildPermission(test.db, {
    organization,
    users: [userId],
    assets: [asset],
    systemUsers: [account],
    actions: 1,
  });
  const started = await user.post('ops/command-executions/', {
    hosts: [asset],
    run_as: account,
    command: 'Get-Service -Name sshd',
  });
  expect([started.status, started.text]).toEqual([201, expect.any(String)]);
  await over(started.body.id, user);
  expect((await user.get(`ops/command-executions/${started.body.id}/`)).body).toMatchObject({
    is_success: true,
    result: { 'win-1': { rc: 0, stdout: 'ran Get-Service -Name sshd\r\n' } },
  });
});

it('keeps secrets off command lines', () => {
  expect(windows.commands.size).toBe(1);
});
