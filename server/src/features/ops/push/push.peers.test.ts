import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildUser,
  rootNode,
  unique,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { type PrivateHost, startPrivateHost } from '../../../testing/hosts/private-host.ts';
import { runJob } from '../../../testing/jobs.ts';
import { until } from '../../../testing/poll.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let host: PrivateHost;
let busybox: PrivateHost;
let organization: string;
let administrator: Client;
let admin: string;
beforeAll(async () => {
  [test, host, busybox] = await Promise.all([
    startTestProgram(),
    startPrivateHost(),
    startPrivateHost('busybox'),
  ]);
  organization = await buildOrganization(test.db);
  administrator = (await bearer(test)).inOrganization(organization);
  admin = await make('assets/admin-users', {
    name: unique('admin'),
    username: 'admin',
    password: host.passwords.admin,
    private_key: host.privateKey,
  });
});
afterAll(() => Promise.all([test?.stop(), host?.stop(), busybox?.stop()]));

async function make(path: string, values: Json): Promise<string> {
  const created = await administrator.post(`${path}/`, values);
  if (created.status !== 201) throw new Error(created.text);
  return String(created.body.id);
}

/** An asset for a host, with its administrator as admin user. */
async function assetOf(
  target: { readonly port: number },
  more: Json = {},
  nodes?: readonly string[],
): Promise<string> {
  const id = await buildAsset(test.db, { organization, port: target.port });
  // Set before the asset joins its nodes, which trigger pushes.
  const changed = await administrator.patch(`assets/assets/${id}/`, { admin_user: admin, ...more });
  if (changed.status !== 200) throw new Error(changed.text);
  for (const node of nodes ?? [])
    expect(
      (await administrator.put(`assets/nodes/${node}/assets/replace/`, { assets: [id] })).status,
    ).toBe(200);
  return id;
}

const systemUser = (values: Json) =>
  make('assets/system-users', {
    name: unique('system'),
    login_mode: 'auto',
    protocol: 'ssh',
    auto_push: true,
    auto_generate_key: true,
    shell: '/bin/bash',
    ...values,
  });
const rule = (values: Json) => make('perms/asset-permissions', { name: unique('rule'), ...values });
interface Pushed {
  asset: string;
  username: string;
  state: string;
  reason_text: string;
}
const pushesOf = async (id: string) =>
  (await administrator.get<readonly Pushed[]>(`assets/system-users/${id}/pushes/?order=username`))
    .body;
const task = (id: string, body: Json, query = '') =>
  administrator.post(`assets/system-users/${id}/tasks/${query}`, body);

/** Waits for the end of the job that an answer names, and returns its lines. */
async function finished(answer: {
  readonly status: number;
  readonly body: Json;
}): Promise<readonly string[]> {
  expect(answer.status).toBe(201);
  const id = String(answer.body.task);
  await until(
    async () =>
      !['queued', 'running'].includes(
        String((await administrator.get(`common/jobs/${id}/`)).body.state),
      ),
    'the job is over',
  );
  const { lines } = (await administrator.get(`common/jobs/${id}/log/`)).body as {
    lines: readonly { readonly text: string }[];
  };
  return lines.map(({ text }) => text);
}

/** Waits until no account of a system user is waiting, and some were pushed or skipped. */
const settled = (id: string, count: number) =>
  until(async () => {
    const rows = await pushesOf(id);
    return rows.length === count && rows.every(({ state }) => state !== 'waiting');
  }, `${count} accounts are settled`);

/** Number of requests that no job has taken over. */
const requestCount = async (id: string) =>
  (
    await sql<{
      n: number;
    }>`select count(*)::int as n from system_user_push_wanted where system_user_id = ${id}`.execute(
      test.db,
    )
  ).rows[0]?.n;

describe('a system user', () => {
  it('creates the account on granted assets with home, password, key and sudo rule, and is idempotent', async () => {
    const asset = await assetOf(host);
    const name = 'ops-one';
    const id = await systemUser({
      username: name,
      sudo: '/usr/bin/id\n/bin/true',
      home: '/home/elsewhere',
    });
    await rule({ assets: [asset], system_users: [id] });
    await settled(id, 1);
    expect(await pushesOf(id)).toMatchObject([
      { asset, username: name, state: 'done', reason_text: '' },
    ]);
    expect(
      await host.inside(
        `getent passwd ${name}; ls -ld /home/elsewhere; id -nG ${name}; cat /etc/sudoers.d/sallyport-${name}`,
      ),
    ).toMatch(
      /:\/home\/elsewhere:\/bin\/bash\ndrwx------ \d+ ops-one ops-one .*\nops-one\nops-one ALL=\(ALL\) NOPASSWD: \/usr\/bin\/id, \/bin\/true\n$/,
    );
    const { ssh_public_key: key } = (await administrator.get(`assets/system-users/${id}/`)).body;
    expect(await host.inside('cat /home/elsewhere/.ssh/authorized_keys')).toContain(
      String(key).split(' ')[1],
    );
    // It can sign in with the generated secret.
    expect((await finished(await task(id, { action: 'test' }))).at(-1)).toBe(
      '1 succeeded, 0 failed, 0 skipped.',
    );

    const before = await host.inside(
      'cat /etc/passwd /etc/group /etc/shadow; ls -lR --full-time /home /etc/sudoers.d',
    );
    expect(await finished(await task(id, { action: 'push' }))).toEqual([
      expect.stringMatching(/: ops-one pushed \(nothing to change\)$/),
      '1 succeeded, 0 failed, 0 skipped.',
    ]);
    expect(
      await host.inside(
        'cat /etc/passwd /etc/group /etc/shadow; ls -lR --full-time /home /etc/sudoers.d',
      ),
    ).toBe(before);
  });

  it('reports in a dry run what a push would change, without changing it', async () => {
    const [asset, telnet] = [
      await assetOf(host),
      await assetOf(host, { protocols: ['telnet/23'] }),
    ];
    const id = await systemUser({ username: 'ops-dry', sudo: '/usr/bin/id', auto_push: false });
    await rule({ assets: [asset, telnet], system_users: [id] });
    const before = await host.inside(
      'cat /etc/passwd /etc/group /etc/shadow; ls -A /home /etc/sudoers.d',
    );
    const lines = await finished(await task(id, { action: 'push_check' }));
    expect(lines.at(-1)).toBe('1 succeeded, 0 failed, 1 skipped.');
    expect(lines.join()).toMatch(/: ops-dry: would change: account, password, key, sudo rule/);
    expect(
      await host.inside('cat /etc/passwd /etc/group /etc/shadow; ls -A /home /etc/sudoers.d'),
    ).toBe(before);
    expect(await pushesOf(id)).toEqual([]);
    await administrator.patch(`assets/system-users/${id}/`, { auto_push: true });
    await settled(id, 2);
    expect((await finished(await task(id, { action: 'push_check', asset }))).join()).toContain(
      'ops-dry: nothing to change',
    );
    const telnetUser = await make('assets/system-users', {
      name: unique('telnet'),
      username: 'ops-tel',
      protocol: 'telnet',
      password: 'x',
    });
    const refused = await task(telnetUser, { action: 'push_check' });
    await until(
      async () =>
        (await administrator.get(`common/jobs/${refused.body.task}/`)).body.state === 'failed',
      'it is refused',
    );
    expect((await administrator.get(`common/jobs/${refused.body.task}/`)).body.reason).toBe(
      'Dry runs work for SSH system users only.',
    );
  });

  it('pushes again after a change, and keeps the sudo rule when visudo rejects the new one', async () => {
    const asset = await assetOf(host);
    const id = await systemUser({ username: 'ops-two', sudo: '/usr/bin/id' });
    await rule({ assets: [asset], system_users: [id] });
    await settled(id, 1);
    const shell = async () => (await host.inside('getent passwd ops-two')).trim().split(':').at(-1);
    await administrator.patch(`assets/system-users/${id}/`, { shell: '/bin/sh' });
    await until(async () => (await shell()) === '/bin/sh', 'the shell is pushed');
    await administrator.patch(`assets/system-users/${id}/`, { sudo: 'not a path' });
    await until(
      async () => (await pushesOf(id))[0]?.state === 'failed',
      'visudo has refused the rule',
    );
    expect((await pushesOf(id))[0]?.reason_text).toMatch(/visudo rejected.*not a path/s);
    expect(await host.inside('cat /etc/sudoers.d/sallyport-ops-two')).toBe(
      'ops-two ALL=(ALL) NOPASSWD: /usr/bin/id\n',
    );
    // Comments are not pushed.
    await administrator.patch(`assets/system-users/${id}/`, { comment: 'x' });
    expect(await requestCount(id)).toBe(0);

    await test.db.transaction(
      async (tx) =>
        void (await sql`update system_account set auto_push = false where id = ${id}`.execute(tx)),
    );
    await administrator.patch(`assets/system-users/${id}/`, { sudo: '/usr/bin/id' });
    expect((await finished(await task(id, { action: 'push_failed' }))).join()).toContain(
      'auto push of the system user is off',
    );
    await administrator.patch(`assets/system-users/${id}/`, { auto_push: true });
    await until(async () => (await pushesOf(id))[0]?.state === 'done', 'it is pushed again');
    // Between a change and its push, earlier results are hidden. A job is already enqueued, so this
    // request stays.
    await sql`insert into system_user_push_wanted (system_user_id, is_queued)
      values (${id}, true)`.execute(test.db);
    expect((await pushesOf(id))[0]?.state).toBe('waiting');
  });

  it('pushes to assets that join a node in one job, and reports skipped ones', async () => {
    const root = await rootNode(test.db, organization);
    const node = String(
      (await administrator.post(`assets/nodes/${root}/children/`, { value: unique('node') })).body
        .id,
    );
    const id = await systemUser({ username: 'ops-three' });
    await rule({ nodes: [node], system_users: [id] });
    const good = await assetOf(host, {}, [node]);
    const without = await assetOf(host, { admin_user: null }, [node]);
    const small = await assetOf(
      busybox,
      {
        admin_user: await make('assets/admin-users', {
          name: unique('root'),
          username: 'root',
          private_key: busybox.privateKey,
        }),
      },
      [node],
    );
    const off = await assetOf(host, { is_active: false }, [node]);
    const telnet = await assetOf(host, { protocols: ['telnet/23'] }, [node]);
    const other = await assetOf(host, { platform: 'Other' }, [node]);
    await settled(id, 6);
    const results = new Map(
      (await pushesOf(id)).map(({ asset, state, reason_text: reason }) => [
        asset,
        `${state} ${reason}`,
      ]),
    );
    expect(results.get(good)).toBe('done ');
    expect(results.get(without)).toContain('skipped No usable admin user');
    expect(results.get(small)).toContain('failed The program useradd is missing on the server');
    expect(results.get(off)).toContain('skipped The asset is disabled');
    expect(results.get(telnet)).toContain('skipped The asset does not support the protocol');
    expect(results.get(other)).toContain('skipped The platform');
    const jobs = async () =>
      (
        await sql<{
          n: number;
        }>`select count(*)::int as n from job where name = 'push-system-user'
          and org_id = ${organization}
          and subject = (select name from system_account where id = ${id})`.execute(test.db)
      ).rows[0]?.n ?? 0;
    const before = await jobs();
    const many: string[] = [];
    for (let at = 0; at < 12; at += 1) many.push(await assetOf(host));
    expect(
      (await administrator.put(`assets/nodes/${node}/assets/add/`, { assets: many })).status,
    ).toBe(200);
    await until(async () => (await requestCount(id)) === 0, 'a job has taken over the requests');
    await settled(id, 6 + many.length);
    expect((await jobs()) - before).toBeLessThanOrEqual(2);
    // Only failed accounts are pushed again.
    expect((await finished(await task(id, { action: 'push_failed' }))).at(-1)).toBe(
      '0 succeeded, 1 failed, 0 skipped.',
    );
    expect((await finished(await task(id, { action: 'push', asset: good }))).at(-1)).toBe(
      '1 succeeded, 0 failed, 0 skipped.',
    );
  });

  it('creates an account per user on the assets granted to that user', async () => {
    const [one, two] = [await assetOf(host), await assetOf(host)];
    const [anna, bert] = await Promise.all(
      ['anna-x', 'bert-x'].map((username) =>
        buildUser(test.db, {
          username: unique(username).slice(0, 20),
          memberOf: [{ organization, role: 'User' }],
        }),
      ),
    );
    if (!anna || !bert) throw new Error('no users');
    const evil = await buildUser(test.db, {
      username: `x';touch /tmp/pwned;$(id)\`id\`\n${'y'.repeat(60)}`,
      memberOf: [{ organization, role: 'User' }],
    });
    const group = await buildGroup(test.db, [bert.id], organization);
    const id = await systemUser({ username: '', username_same_with_user: true });
    await rule({ users: [anna.id], assets: [one], system_users: [id] });
    await rule({ user_groups: [group], assets: [two], system_users: [id] });
    await settled(id, 2);
    const listed = async () =>
      (await pushesOf(id))
        .map(
          ({ asset, username, state }) => `${username} ${asset === one ? 'one' : 'two'} ${state}`,
        )
        .toSorted();
    expect(await listed()).toEqual(
      [`${anna.username} one done`, `${bert.username} two done`].toSorted(),
    );
    // A new member of the group gets an account. Invalid usernames are rejected before anything is
    // sent.
    await sql`insert into user_group_users (user_group_id, user_id)
      values (${group}, ${evil.id})`.execute(test.db);
    await settled(id, 3);
    expect((await pushesOf(id)).find(({ username }) => username === evil.username)).toMatchObject({
      state: 'failed',
      reason_text: 'Server accounts cannot have this name.',
    });
    expect(await host.inside('ls /tmp/pwned 2>/dev/null; :')).toBe('');
    expect(
      (
        await finished(await task(id, { action: 'push', asset: one }, `?username=${anna.username}`))
      ).at(-1),
    ).toBe('1 succeeded, 0 failed, 0 skipped.');
  });

  it('skips root and the admin user, and rejects system users of other organizations', async () => {
    const asset = await assetOf(host);
    const id = await systemUser({ username: 'Root' });
    await rule({ assets: [asset], system_users: [id] });
    await settled(id, 1);
    expect(await pushesOf(id)).toMatchObject([
      { state: 'skipped', reason_text: 'root and administrator are never pushed.' },
    ]);
    const same = await systemUser({ username: 'admin' });
    await rule({ assets: [asset], system_users: [same] });
    await settled(same, 1);
    expect(await pushesOf(same)).toMatchObject([
      {
        state: 'skipped',
        reason_text: 'this is the admin user of the asset, whose password must not change.',
      },
    ]);
    const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Admin');
    const user = await signInMember(test, organization, 'User');
    expect([
      (await elsewhere.get(`assets/system-users/${id}/pushes/`)).status,
      (await user.get(`assets/system-users/${id}/pushes/`)).status,
    ]).toEqual([404, 403]);
    expect((await user.post(`assets/system-users/${id}/tasks/`, { action: 'push' })).status).toBe(
      403,
    );
    expect(
      (await elsewhere.post(`assets/system-users/${id}/tasks/`, { action: 'push' })).status,
    ).toBe(404);
  });

  it('lets the certificates of the organization in, and follows its authorities and principals', async () => {
    const asset = await assetOf(host);
    const authority = await make('assets/ssh-authorities', { name: unique('ca') });
    const id = await systemUser({
      username: 'ops-cert',
      login_mode: 'certificate',
      auto_generate_key: false,
    });
    const file = '/home/ops-cert/.ssh/authorized_keys';
    const trusted = async () =>
      (await host.inside(`cat ${file}`)).split('\n').filter((line) => line !== '');
    const signsIn = async () => (await finished(await task(id, { action: 'test' }))).at(-1);
    await rule({ assets: [asset], system_users: [id] });
    await settled(id, 1);
    expect(await pushesOf(id)).toMatchObject([{ state: 'done', reason_text: '' }]);
    const { public_key: key } = (await administrator.get(`assets/ssh-authorities/${authority}/`))
      .body;
    const body = String(key).split(' ').slice(0, 2).join(' ');
    expect(await trusted()).toEqual([`cert-authority ${body} sallyport:${id}`]);
    expect(await signsIn()).toBe('1 succeeded, 0 failed, 0 skipped.');
    expect((await finished(await task(id, { action: 'push_check' }))).join()).toContain(
      'ops-cert: nothing to change',
    );

    // Lines of others stay, and lines of another system user for the same account.
    const others = [
      '# by hand',
      `cert-authority ${body} sallyport:00000000-0000-4000-8000-000000000000`,
    ];
    await host.inside(`printf '%s\\n' '${others.join("' '")}' >>${file}`);
    const second = await make('assets/ssh-authorities', { name: unique('ca') });
    await until(async () => (await trusted()).length === 4, 'the second authority is pushed');
    expect(await trusted()).toEqual(expect.arrayContaining(others));
    expect(await signsIn()).toBe('1 succeeded, 0 failed, 0 skipped.');
    await administrator.delete(`assets/ssh-authorities/${authority}/`);
    await until(async () => (await trusted()).length === 3, 'the first authority is withdrawn');
    expect(await trusted()).toEqual([...others, expect.not.stringContaining(body)]);

    const changed = await administrator.patch(`assets/system-users/${id}/`, {
      certificate_principals: 'shift-a\nCORP\\ops',
    });
    expect(changed.status).toBe(200);
    await until(async () => (await trusted()).join().includes('CORP'), 'principals are pushed');
    expect((await trusted()).at(-1)).toMatch(
      /^cert-authority,principals="shift-a,CORP\\ops" ssh-ed25519 /,
    );
    expect(await signsIn()).toBe('1 succeeded, 0 failed, 0 skipped.');
    const quoted = await administrator.patch(`assets/system-users/${id}/`, {
      certificate_principals: 'a" ssh-ed25519',
    });
    expect(quoted.status).toBe(400);
    expect(quoted.body).toHaveProperty('certificate_principals');
    expect(await trusted()).toHaveLength(3);
    await administrator.delete(`assets/ssh-authorities/${second}/`);
    expect(await signsIn()).toBe('1 succeeded, 0 failed, 0 skipped.');
  });

  it('reports in a dry run that the authority would be trusted on a new account', async () => {
    const asset = await assetOf(host);
    const id = await systemUser({
      username: 'ops-cert-dry',
      login_mode: 'certificate',
      auto_generate_key: false,
      auto_push: false,
    });
    await rule({ assets: [asset], system_users: [id] });
    expect((await finished(await task(id, { action: 'push_check' }))).join()).toMatch(
      /: ops-cert-dry: would change: account, SSH authority/,
    );
    expect(await host.inside('getent passwd ops-cert-dry || :')).toBe('');
  });

  it('pushes daily when the setting is on', async () => {
    const asset = await assetOf(host);
    const id = await systemUser({ username: 'ops-daily' });
    await rule({ assets: [asset], system_users: [id] });
    await settled(id, 1);
    await host.inside('userdel -r ops-daily 2>/dev/null; :');
    await runJob(test, 'push-system-users');
    await until(
      async () => (await host.inside('getent passwd ops-daily || :')).includes('ops-daily'),
      'the account is back',
    );
  });
});
