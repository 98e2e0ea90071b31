import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildUser,
  rootNode,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { freePort } from '../../testing/free-port.ts';
import { startDevice } from '../../testing/hosts/device.ts';
import { type PrivateHost, startPrivateHost } from '../../testing/hosts/private-host.ts';
import { runJob } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startSshd } from '../../testing/ssh/sshd.ts';
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
async function adminUser(values: {
  readonly username: string;
  readonly password?: string;
  readonly private_key?: string;
}): Promise<string> {
  const created = await administrator.post('assets/admin-users/', {
    name: unique('admin'),
    ...values,
  });
  if (created.status !== 201) throw new Error(created.text);
  return String(created.body.id);
}

/** An asset for the host, with another port if given. */
async function assetWith(admin: string | null, port = host.port, more: Json = {}): Promise<string> {
  const id = await buildAsset(test.db, { organization, port });
  const changed = await administrator.patch(`assets/assets/${id}/`, { admin_user: admin, ...more });
  if (changed.status !== 200) throw new Error(changed.text);
  return id;
}

/** Waits for the end of the job that an answer names, and returns its log. */
async function finished(answer: {
  readonly status: number;
  readonly body: Json;
}): Promise<{ readonly state: unknown; readonly lines: readonly string[] }> {
  const id = String(answer.body.task);
  let state: unknown;
  await until(async () => {
    state = (await administrator.get(`common/jobs/${id}/`)).body.state;
    return state !== 'queued' && state !== 'running';
  }, 'the job is over');
  const { lines } = (await administrator.get(`common/jobs/${id}/log/`)).body as {
    lines: readonly { readonly text: string }[];
  };
  return { state, lines: lines.map(({ text }) => text) };
}

const connectivityOf = async (id: string) =>
  (await administrator.get(`assets/assets/${id}/`)).body.connectivity as {
    status: number;
    datetime: string;
    reason: string;
  };
const start = (id: string, action: string) =>
  administrator.post(`assets/assets/${id}/tasks/`, { action });

describe('the test of a connection', () => {
  it('reports reachable assets, and the reason for unreachable ones', async () => {
    const good = await assetWith(
      await adminUser({ username: 'admin', password: host.passwords.admin }),
    );
    const wrong = await assetWith(await adminUser({ username: 'admin', password: 'wrong' }));
    const dead = await assetWith(
      await adminUser({ username: 'admin', password: host.passwords.admin }),
      await freePort(),
    );
    const without = await assetWith(null);
    expect((await connectivityOf(good)).status).toBe(2);
    const answer = await start(good, 'test');
    expect([answer.status, answer.body]).toEqual([
      201,
      { task: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    const log = await finished(answer);
    expect(log.state).toBe('succeeded');
    expect(log.lines).toEqual([
      expect.stringMatching(/: reachable \(\d+ ms\)$/),
      '1 succeeded, 0 failed, 0 skipped.',
    ]);
    expect(await connectivityOf(good)).toEqual({ status: 1, datetime: expect.any(String) });

    await finished(await start(wrong, 'test'));
    expect(await connectivityOf(wrong)).toMatchObject({
      status: 0,
      reason: `127.0.0.1:${host.port} did not accept the credentials of admin.`,
    });
    await finished(await start(dead, 'test'));
    expect(await connectivityOf(dead)).toMatchObject({
      status: 0,
      reason: expect.stringContaining('refused the connection'),
    });
    expect((await finished(await start(without, 'test'))).lines[0]).toContain(
      'no usable admin user',
    );
    expect((await connectivityOf(without)).status).toBe(2);

    const listed = async (status: string) =>
      (await administrator.get<Json[]>(`assets/assets/?connectivity=${status}`)).body.map(
        ({ id }) => id,
      );
    expect(await listed('1')).toEqual([good]);
    expect((await listed('0')).toSorted()).toEqual([wrong, dead].toSorted());
    expect(await listed('2')).toContain(without);
    expect(await listed('x')).toEqual([]);
  });

  it('sends nothing to a server whose host key has changed', async () => {
    const asset = await assetWith(
      await adminUser({ username: 'admin', password: host.passwords.admin }),
    );
    await finished(await start(asset, 'test'));
    const other = await startPrivateHost();
    try {
      await administrator.patch(`assets/assets/${asset}/`, { protocols: [`ssh/${other.port}`] });
      await finished(await start(asset, 'test'));
      expect(await connectivityOf(asset)).toMatchObject({
        status: 0,
        reason: expect.stringContaining('host key'),
      });
    } finally {
      await other.stop();
    }
  });

  it('tests the assets of a node, of an admin user, and all of them hourly', async () => {
    const admin = await adminUser({ username: 'admin', private_key: host.privateKey });
    const mine = await assetWith(admin);
    expect(
      (await finished(await administrator.get(`assets/admin-users/${admin}/connective/`))).lines.at(
        -1,
      ),
    ).toBe('1 succeeded, 0 failed, 0 skipped.');
    expect((await connectivityOf(mine)).status).toBe(1);
    const root = await rootNode(test.db, organization);
    const below = await finished(
      await administrator.post(`assets/nodes/${root}/tasks/`, { action: 'test' }),
    );
    const { count } = (await administrator.get('assets/assets/?limit=1')).body as { count: number };
    expect(below.lines).toHaveLength(count + 1);
    expect(await runJob(test, 'test-all-assets')).toMatchObject({
      state: 'succeeded',
      done: count,
      total: count,
    });
    const zeros = '00000000-0000-0000-0000-000000000000';
    const refreshed = await administrator.post(`assets/nodes/${zeros}/tasks/`, {
      action: 'refresh_cache',
    });
    expect([refreshed.status, refreshed.body]).toEqual([201, { task: '0' }]);
  });
});

it('tests new assets when the setting is on', async () => {
  const superior = await bearer(test);
  const admin = await adminUser({ username: 'admin', password: host.passwords.admin });
  const created = async () => {
    const answer = await administrator.post('assets/assets/', {
      hostname: unique('new'),
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: [`ssh/${host.port}`],
      admin_user: admin,
    });
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.body.id);
  };
  const before = await created();
  await superior.patch('settings/setting/', { security: { ASSET_TEST_NEW: true } });
  try {
    const after = await created();
    await until(async () => (await connectivityOf(after)).status === 1, 'the new asset was tested');
    expect((await connectivityOf(before)).status).toBe(2);
  } finally {
    await superior.patch('settings/setting/', { security: { ASSET_TEST_NEW: false } });
  }
});

describe('the test of a system user', () => {
  /** A system user that a permission grants on assets. */
  async function systemUser(
    values: Json,
    assets: readonly string[],
    users: readonly string[] = [],
  ): Promise<string> {
    const created = await administrator.post('assets/system-users/', {
      name: unique('system'),
      login_mode: 'auto',
      protocol: 'ssh',
      auto_push: false,
      ...values,
    });
    if (created.status !== 201) throw new Error(created.text);
    await buildPermission(test.db, {
      organization,
      assets,
      users,
      systemUsers: [String(created.body.id)],
    });
    return String(created.body.id);
  }
  const accountResults = async (assetId: string) =>
    (
      await sql<{ username: string; status: number; reason: { en: string } | null }>`
        select username, status, reason from account_connectivity where asset_id = ${assetId}
        order by username`.execute(test.db)
    ).rows;
  const tests = (id: string, body: Json = {}, query = '') =>
    administrator.post(`assets/system-users/${id}/tasks/${query}`, { action: 'test', ...body });

  it('signs in on granted assets, and stores the result per account', async () => {
    const admin = await adminUser({ username: 'admin', password: host.passwords.admin });
    const [one, two, three] = [
      await assetWith(admin),
      await assetWith(admin),
      await assetWith(admin),
    ];
    const good = await systemUser({ username: 'plain', password: host.passwords.plain }, [
      one,
      two,
    ]);
    const log = await finished(await tests(good));
    expect(log.lines.at(-1)).toBe('2 succeeded, 0 failed, 0 skipped.');
    expect(await accountResults(one)).toEqual([{ username: 'plain', status: 1, reason: null }]);
    expect([await accountResults(three), (await connectivityOf(one)).status]).toEqual([[], 2]);

    const wrong = await systemUser({ username: 'deputy', password: 'wrong' }, [one, two]);
    expect((await finished(await tests(wrong, { asset: one }))).lines).toHaveLength(2);
    expect(await accountResults(one)).toMatchObject([
      {
        username: 'deputy',
        status: 0,
        reason: { en: expect.stringContaining('credentials of deputy') },
      },
      { username: 'plain' },
    ]);
    expect(await accountResults(two)).toMatchObject([{ username: 'plain' }]);
    // The asset is not granted: nothing is contacted.
    expect((await finished(await tests(good, { asset: three }))).lines).toEqual([
      '0 succeeded, 0 failed, 0 skipped.',
    ]);

    // The admin user of the asset is an account as well.
    await finished(await start(one, 'test'));
    expect((await accountResults(one)).map(({ username }) => username)).toEqual([
      'admin',
      'deputy',
      'plain',
    ]);
  });

  it('signs in with the usernames of users on their granted assets', async () => {
    const [one, two] = [await assetWith(null), await assetWith(null)];
    const member = await buildUser(test.db, {
      username: 'plain',
      memberOf: [{ organization, role: 'User' }],
    });
    const other = await buildUser(test.db, {
      username: unique('nobody'),
      memberOf: [{ organization, role: 'User' }],
    });
    const same = await systemUser(
      { username_same_with_user: true, username: '', password: host.passwords.plain },
      [one],
      [member.id],
    );
    await buildPermission(test.db, {
      organization,
      assets: [two],
      groups: [await buildGroup(test.db, [other.id], organization)],
      systemUsers: [same],
    });
    expect((await finished(await tests(same))).lines.at(-1)).toBe(
      '1 succeeded, 1 failed, 0 skipped.',
    );
    expect(await accountResults(one)).toEqual([{ username: 'plain', status: 1, reason: null }]);
    expect(await accountResults(two)).toMatchObject([{ username: other.username, status: 0 }]);
    expect((await finished(await tests(same, {}, '?username=plain'))).lines.at(-1)).toBe(
      '1 succeeded, 0 failed, 0 skipped.',
    );
  });

  it('rejects objects of other organizations', async () => {
    const id = await systemUser({ username: 'plain', password: 'x' }, []);
    const foreign = await buildAsset(test.db, { organization: await buildOrganization(test.db) });
    expect((await tests(id, { asset: foreign })).status).toBeGreaterThanOrEqual(400);
    expect((await tests(id, { asset: 'x' })).status).toBe(400);
    const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Admin');
    expect(
      (await elsewhere.post(`assets/system-users/${id}/tasks/`, { action: 'test' })).status,
    ).toBe(404);
    const user = await signInMember(test, organization, 'User');
    expect((await user.post(`assets/system-users/${id}/tasks/`, { action: 'test' })).status).toBe(
      403,
    );
  });
});

describe('the test of what is no Unix server', () => {
  const linesOf = async (id: string) => (await finished(await start(id, 'test'))).lines[0];
  const reached = async (id: string) => (await connectivityOf(id)).status;
  const tries = async (
    protocol: string,
    port: number,
    admin: string | null = null,
    more: Json = {},
  ) => assetWith(admin, port, { protocols: [`${protocol}/${port}`], ...more });

  it('performs the first exchange of RDP and VNC, and reports other servers', async () => {
    // The confirmation of a server that chose TLS, see [MS-RDPBCGR] 4.1.2.
    const rdp = await startDevice((socket) =>
      socket.once(
        'data',
        (bytes) =>
          bytes[5] === 0xe0 &&
          socket.write(Buffer.from('030000130ed00000123400021f080001000000', 'hex')),
      ),
    );
    const vnc = await startDevice((socket) => void socket.write('RFB 003.008\n'));
    const web = await startDevice(
      (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    try {
      const good = [
        await tries('rdp', rdp.port, null, { platform: 'Windows' }),
        await tries('vnc', vnc.port),
      ];
      for (const id of good)
        expect(await linesOf(id)).toContain('the port answers, no account tested');
      expect(await Promise.all(good.map(reached))).toEqual([1, 1]);
      const bad = [
        await tries('rdp', web.port),
        await tries('vnc', web.port),
        await tries('rdp', vnc.port),
      ];
      for (const id of bad)
        expect(await linesOf(id)).toMatch(/did not answer like a (rdp|vnc) server/);
      expect(await Promise.all(bad.map(reached))).toEqual([0, 0, 0]);
      expect(await linesOf(await tries('vnc', await freePort()))).toContain(
        'refused the connection',
      );
      // An open port is no result for the account.
      const viewer = String(
        (
          await administrator.post('assets/system-users/', {
            name: unique('vnc'),
            protocol: 'vnc',
            password: 'x',
          })
        ).body.id,
      );
      await buildPermission(test.db, {
        organization,
        assets: [String(good[1])],
        systemUsers: [viewer],
      });
      const { lines } = await finished(
        await administrator.post(`assets/system-users/${viewer}/tasks/`, { action: 'test' }),
      );
      expect(lines).toEqual([
        expect.stringContaining('no account tested'),
        '1 succeeded, 0 failed, 0 skipped.',
      ]);
    } finally {
      await Promise.all([rdp.stop(), vnc.stop(), web.stop()]);
    }
  });

  it('signs in over telnet, or waits for the greeting without an account', async () => {
    const device = await startDevice((socket) => {
      socket.write('router login: ');
      let typed = '';
      socket.on('data', (bytes) => {
        typed += bytes.toString('latin1').replaceAll('\0', '').replaceAll('\n', '');
        if (/^admin\r[^\r]*$/.test(typed)) socket.write('Password: ');
        else if (/^admin\rgood\r$/.test(typed)) socket.write('router# ');
        else if (/\r[^\r]*\r$/.test(typed)) socket.write('Login incorrect\r\nrouter login: ');
      });
    });
    try {
      expect(await linesOf(await tries('telnet', device.port))).toContain(
        'the port answers, no account tested',
      );
      const right = await tries(
        'telnet',
        device.port,
        await adminUser({ username: 'admin', password: 'good' }),
      );
      expect(await linesOf(right)).toMatch(/: reachable \(\d+ ms\)$/);
      const wrong = await tries(
        'telnet',
        device.port,
        await adminUser({ username: 'admin', password: 'wrong' }),
      );
      expect(await linesOf(wrong)).toContain('did not accept the credentials of admin');
      expect([await reached(right), await reached(wrong)]).toEqual([1, 0]);
    } finally {
      await device.stop();
    }
  });
});

describe('gateways', () => {
  const tried = (id: string, body: Json = {}) =>
    administrator.post(`assets/gateways/${id}/test-connective/`, body);
  const gatewayOf = async (domain: string, values: Json) => {
    const created = await administrator.post('assets/gateways/', {
      name: unique('gateway'),
      domain,
      ip: '127.0.0.1',
      ...values,
    });
    if (created.status !== 201) throw new Error(created.text);
    return String(created.body.id);
  };
  const newDomain = async () =>
    String((await administrator.post('assets/domains/', { name: unique('domain') })).body.id);

  it('connects through a gateway to a port, and reports the failing step', async () => {
    const domain = await newDomain();
    const good = await gatewayOf(domain, {
      port: host.port,
      username: 'plain',
      private_key: host.privateKey,
    });
    expect([(await tried(good)).status, (await tried(good)).text]).toEqual([200, '"ok"']);
    expect((await tried(good, { port: host.port })).status).toBe(200);
    const closed = await tried(good, { port: await freePort() });
    expect([closed.status, closed.body.error]).toEqual([
      400,
      expect.stringContaining('refused the connection'),
    ]);
    expect((await tried(good, { port: 70_000 })).status).toBe(400);
    const wrong = await gatewayOf(domain, {
      port: host.port,
      username: 'plain',
      password: 'wrong',
    });
    expect((await tried(wrong)).body.error).toBe(
      `127.0.0.1:${host.port} did not accept the credentials of plain.`,
    );
    const elsewhere = await signInMember(test, await buildOrganization(test.db), 'Admin');
    const user = await signInMember(test, organization, 'User');
    const path = `assets/gateways/${good}/test-connective/`;
    expect([(await elsewhere.post(path, {})).status, (await user.post(path, {})).status]).toEqual([
      404, 403,
    ]);
  });

  it('uses another gateway of the domain while one is down', async () => {
    const [first, second] = await Promise.all([startSshd(), startSshd()]);
    try {
      const domain = await newDomain();
      for (const hop of [first, second])
        await gatewayOf(domain, {
          port: hop.port,
          username: hop.username,
          private_key: hop.privateKey,
        });
      const asset = await assetWith(
        await adminUser({ username: 'admin', private_key: host.privateKey }),
        host.port,
        { domain },
      );
      const test = async () => (await finished(await start(asset, 'test'))).lines.at(-1);
      const good = '1 succeeded, 0 failed, 0 skipped.';
      expect(await test()).toBe(good);
      await first.stop();
      // The live gateway is accountResults in any order, and tried first afterwards.
      for (let turn = 0; turn < 4; turn += 1) expect(await test()).toBe(good);
      await second.stop();
      expect(await test()).toBe('0 succeeded, 1 failed, 0 skipped.');
      expect(await connectivityOf(asset)).toMatchObject({
        status: 0,
        reason: expect.stringContaining('refused the connection'),
      });
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});

describe('the hardware of an asset', () => {
  it('reads the hardware of an asset from its server', async () => {
    const asset = await assetWith(
      await adminUser({ username: 'deputy', password: host.passwords.deputy }),
    );
    const { lines } = await finished(await start(asset, 'refresh'));
    expect(lines[0]).toMatch(/: refreshed \(\d+ ms\)$/);
    const { body } = await administrator.get(`assets/assets/${asset}/`);
    expect(body.cpu_vcpus).toBe(Number(await host.inside('nproc --all')));
    expect(body.hostname_raw).toBe((await host.inside('uname -n')).trim());
    expect(body.hardware_info).toMatch(/^\d+ Core \d+\.\d [MGT] /);
    const plain = await assetWith(
      await adminUser({ username: 'plain', password: host.passwords.plain }),
    );
    expect((await finished(await start(plain, 'refresh'))).lines[0]).toContain(
      'cannot become root with sudo',
    );
    expect((await administrator.get(`assets/assets/${plain}/`)).body.hostname_raw).toBeNull();
  });
});

describe('who may start it', () => {
  it('allows only administrators of the organization, for its objects', async () => {
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
