import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PrivateHost, startPrivateHost } from '../../gateway/testing/private-host.ts';
import { freePort } from '../../gateway/testing/sshd.ts';
import { buildAsset, buildOrganization, rootNode, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runJob } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let host: PrivateHost;
let organization: string;
let administrator: Client;
beforeAll(async () => {
  [test, host] = await Promise.all([startTestProgram(), startPrivateHost()]);
  organization = await buildOrganization(test.db);
  administrator = (await bearer(test)).inOrganization(organization);
});
afterAll(() => Promise.all([test?.stop(), host?.stop()]));

/** An admin user of the host. */
async function adminUser(values: { readonly username: string; readonly password?: string; readonly private_key?: string }): Promise<string> {
  const made = await administrator.post('assets/admin-users/', { name: unique('admin'), ...values });
  if (made.status !== 201) throw new Error(made.text);
  return String(made.body.id);
}

/** An asset that leads to the host, unless a port says otherwise. */
async function assetWith(admin: string | null, port = host.port, more: Json = {}): Promise<string> {
  const id = await buildAsset(test.db, { organization, port });
  const changed = await administrator.patch(`assets/assets/${id}/`, { admin_user: admin, ...more });
  if (changed.status !== 200) throw new Error(changed.text);
  return id;
}

/** Waits for the end of the job that an answer names, and returns its log. */
async function finished(answer: { readonly status: number; readonly body: Json }): Promise<{ readonly state: unknown; readonly lines: readonly string[] }> {
  const id = String(answer.body.task);
  let state: unknown;
  await until(async () => {
    state = (await administrator.get(`common/jobs/${id}/`)).body.state;
    return state !== 'queued' && state !== 'running';
  }, 'the job is over');
  const { lines } = (await administrator.get(`common/jobs/${id}/log/`)).body as { lines: readonly { readonly text: string }[] };
  return { state, lines: lines.map(({ text }) => text) };
}

const connectivityOf = async (id: string) =>
  (await administrator.get(`assets/assets/${id}/`)).body.connectivity as { status: number; datetime: string; reason: string };
const start = (id: string, action: string) => administrator.post(`assets/assets/${id}/tasks/`, { action });

describe('the test of a connection', () => {
  it('says whether an asset can be reached, and what is wrong where it cannot', async () => {
    const good = await assetWith(await adminUser({ username: 'admin', password: host.passwords.admin }));
    const wrong = await assetWith(await adminUser({ username: 'admin', password: 'wrong' }));
    const dead = await assetWith(await adminUser({ username: 'admin', password: host.passwords.admin }), await freePort());
    const without = await assetWith(null);
    expect((await connectivityOf(good)).status).toBe(2);
    const answer = await start(good, 'test');
    expect([answer.status, answer.body]).toEqual([201, { task: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    const log = await finished(answer);
    expect(log.state).toBe('succeeded');
    expect(log.lines).toEqual([expect.stringMatching(/: reachable \(\d+ ms\)$/), 'Good: 1. Failed: 0. Left out: 0.']);
    expect(await connectivityOf(good)).toEqual({ status: 1, datetime: expect.any(String) });

    await finished(await start(wrong, 'test'));
    expect(await connectivityOf(wrong)).toMatchObject({ status: 0, reason: `127.0.0.1:${host.port} did not accept the credentials of admin.` });
    await finished(await start(dead, 'test'));
    expect(await connectivityOf(dead)).toMatchObject({ status: 0, reason: expect.stringContaining('refused the connection') });
    expect((await finished(await start(without, 'test'))).lines[0]).toContain('it has no admin user');
    expect((await connectivityOf(without)).status).toBe(2);

    const listed = async (status: string) => ((await administrator.get(`assets/assets/?connectivity=${status}`)).body as unknown as Json[]).map(({ id }) => id);
    expect(await listed('1')).toEqual([good]);
    expect((await listed('0')).toSorted()).toEqual([wrong, dead].toSorted());
    expect(await listed('2')).toContain(without);
    expect(await listed('x')).toEqual([]);
  });

  it('does not contact a server whose host key has changed', async () => {
    const asset = await assetWith(await adminUser({ username: 'admin', password: host.passwords.admin }));
    await finished(await start(asset, 'test'));
    const other = await startPrivateHost();
    try {
      await administrator.patch(`assets/assets/${asset}/`, { protocols: [`ssh/${other.port}`] });
      await finished(await start(asset, 'test'));
      expect(await connectivityOf(asset)).toMatchObject({ status: 0, reason: expect.stringContaining('host key') });
    } finally {
      await other.stop();
    }
  });

  it('covers the assets below a node, those of an admin user, and all of them every hour', async () => {
    const admin = await adminUser({ username: 'admin', private_key: host.privateKey });
    const mine = await assetWith(admin);
    expect((await finished(await administrator.get(`assets/admin-users/${admin}/connective/`))).lines.at(-1)).toBe('Good: 1. Failed: 0. Left out: 0.');
    expect((await connectivityOf(mine)).status).toBe(1);
    const root = await rootNode(test.db, organization);
    const below = await finished(await administrator.post(`assets/nodes/${root}/tasks/`, { action: 'test' }));
    const { count } = (await administrator.get('assets/assets/?limit=1')).body as { count: number };
    expect(below.lines).toHaveLength(count + 1);
    expect(await runJob(test, 'test-all-assets')).toMatchObject({ state: 'succeeded', done: count, total: count });
    const zeros = '00000000-0000-0000-0000-000000000000';
    const refreshed = await administrator.post(`assets/nodes/${zeros}/tasks/`, { action: 'refresh_cache' });
    expect([refreshed.status, refreshed.body]).toEqual([201, { task: '0' }]);
  });
});

describe('the hardware of an asset', () => {
  it('is read from its server', async () => {
    const asset = await assetWith(await adminUser({ username: 'deputy', password: host.passwords.deputy }));
    const { lines } = await finished(await start(asset, 'refresh'));
    expect(lines[0]).toMatch(/: read \(\d+ ms\)$/);
    const { body } = await administrator.get(`assets/assets/${asset}/`);
    expect(body.cpu_vcpus).toBe(Number(await host.inside('nproc --all')));
    expect(body.hostname_raw).toBe((await host.inside('uname -n')).trim());
    expect(body.hardware_info).toMatch(/^\d+ Core \d+\.\d [MGT] /);
    const plain = await assetWith(await adminUser({ username: 'plain', password: host.passwords.plain }));
    expect((await finished(await start(plain, 'refresh'))).lines[0]).toContain('may not become root with sudo');
    expect((await administrator.get(`assets/assets/${plain}/`)).body.hostname_raw).toBeNull();
  });
});

describe('who may start it', () => {
  it('administrators of the organization, for what exists there', async () => {
    const asset = await assetWith(null);
    const node = await rootNode(test.db, organization);
    const user = await signInMember(test, organization, 'User');
    const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Admin');
    for (const path of [`assets/assets/${asset}/tasks/`, `assets/nodes/${node}/tasks/`]) {
      expect((await user.post(path, { action: 'test' })).status).toBe(403);
      expect((await elsewhere.post(path, { action: 'test' })).status).toBe(404);
      expect((await administrator.post(path, { action: 'format' })).status).toBe(400);
    }
    const admin = await adminUser({ username: 'admin', password: 'x' });
    expect((await user.get(`assets/admin-users/${admin}/connective/`)).status).toBe(403);
    expect((await elsewhere.get(`assets/admin-users/${admin}/connective/`)).status).toBe(404);
  });
});
