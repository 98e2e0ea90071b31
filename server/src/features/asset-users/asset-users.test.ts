import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildPermission, rootNode, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { sheetOf, textCell } from '../../testing/workbook.ts';

let test: TestProgram;
let cast: Cast;
let admin: Client;
let person: { readonly id: string; readonly username: string };
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
  admin = cast.clients.orgAdmin;
  person = (await cast.clients.user.get<typeof person>('users/profile/')).body;
});
afterAll(() => test.stop());

const LIST = 'assets/asset-users/';
const SECRETS = 'assets/asset-user-auth-infos/';
const listed = async (query: string, client = admin, path = LIST) => {
  const answer = await client.get<(Json & { id: string })[]>(`${path}?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const created = async (path: string, body: Json, client = admin): Promise<string> => {
  const answer = await client.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.id);
};
const newAsset = (hostname = unique('asset')) =>
  buildAsset(test.db, { organization: cast.organization, hostname });
/** Marks the second factor of every sign-in as verified. */
const prove = (interval = '0 seconds') =>
  sql`update web_session set mfa_verified = now() - ${interval}::interval`.execute(test.db);
const forget = () => sql`update web_session set mfa_verified = null`.execute(test.db);
const views = async (name: string) =>
  (
    await listed(
      `resource_type=asset_user&action=view&resource=${encodeURIComponent(name)}`,
      admin,
      'audits/operate-logs/',
    )
  ).length;

/**
 * An asset with an account `ops` of each kind, and a system user with the username of its users.
 */
async function fullAsset() {
  const hostname = unique('full');
  const asset = await newAsset(hostname);
  const adminUser = await created('assets/admin-users/', {
    name: unique('admin'),
    username: 'ops',
    password: 'secret of the admin user',
  });
  expect((await admin.patch(`assets/assets/${asset}/`, { admin_user: adminUser })).status).toBe(
    200,
  );
  const system = (more: Json) =>
    created('assets/system-users/', {
      name: unique('system'),
      password: 'secret of the system user',
      ...more,
    });
  const systemUser = await system({ username: 'ops', priority: 30 });
  const desktop = await system({ username: 'desktop', protocol: 'rdp' });
  const dynamic = await createDynamic();
  await buildPermission(test.db, {
    organization: cast.organization,
    users: [person.id],
    assets: [asset],
    systemUsers: [systemUser, desktop, dynamic],
  });
  return { asset, hostname, adminUser, systemUser, dynamic };
}
let dynamicUser: string | undefined;
async function createDynamic(): Promise<string> {
  dynamicUser ??= await created('assets/system-users/', {
    name: unique('own-name'),
    username_same_with_user: true,
    password: 'secret of the dynamic one',
  });
  return dynamicUser;
}

describe('the state of secrets', () => {
  const names = async (query: string) => (await listed(query)).map(({ username }) => username);

  it('says when each secret changed, and filters by old, unchanged and missing ones', async () => {
    const { asset, adminUser, systemUser } = await fullAsset();
    await created(LIST, { asset, username: 'twice', password: 'one' });
    await created(LIST, { asset, username: 'twice', password: 'two' });
    await created(LIST, { asset, username: 'once', password: 'one' });
    const manual = await created('assets/system-users/', {
      name: unique('manual'),
      username: 'typed',
      login_mode: 'manual',
    });
    await buildPermission(test.db, {
      organization: cast.organization,
      users: [person.id],
      assets: [asset],
      systemUsers: [manual],
    });
    const at = `asset_id=${asset}&latest=1`;
    const changedOf = async (username: string) =>
      (await listed(`${at}&username=${username}`)).map((row) => row.date_secret_changed);
    expect(await changedOf('twice')).toEqual([expect.stringMatching(/^\d{4}-/)]);
    expect(await changedOf('once')).toEqual([null]);
    expect(await names(`${at}&secret=missing`)).toEqual(['typed']);
    expect(await names(`${at}&secret=unchanged`)).toEqual(
      ['once', 'ops', person.username].toSorted(),
    );
    expect(await names(`${at}&secret=old`)).toEqual([]);

    // Each origin grows old: stored secrets, admin users and system users.
    await sql`update asset_user set date_created = now() - interval '91 days'
      where asset_id = ${asset} and username = 'once'`.execute(test.db);
    await sql`update system_account set date_created = now() - interval '91 days'
      where id = ${systemUser}`.execute(test.db);
    expect(await names(`${at}&secret=old`)).toEqual(['once']);
    await sql`update admin_user set date_created = now() - interval '91 days'
      where id = ${adminUser}`.execute(test.db);
    expect(await names(`${at}&secret=old`)).toEqual(['once', 'ops']);
    await admin.patch(`assets/admin-users/${adminUser}/`, { password: 'changed today' });
    expect(await names(`${at}&secret=old`)).toEqual(['once']);
    // A count agrees with its list.
    for (const state of ['old', 'unchanged', 'missing']) {
      const query = `latest=1&secret=${state}`;
      const { body } = await admin.get<Page>(`${LIST}?${query}&limit=1`);
      expect(body.count, state).toBe((await listed(query)).length);
    }
  });

  it('rejects an unknown state', async () => {
    for (const state of ['new', 'OLD', 'constructor'])
      expect((await admin.get(`${LIST}?secret=${state}`)).status, state).toBe(400);
  });

  it('says when an account was used last, and the result of its last rotation', async () => {
    const { asset, systemUser } = await fullAsset();
    const account = async (username: string) =>
      (await listed(`asset_id=${asset}&latest=1&username=${username}`))[0];
    expect(await account('ops')).toMatchObject({ date_last_used: null, rotation: null });
    const session = (start: string, account: string) =>
      sql`insert into session (org_id, "user", user_id, asset, asset_id, "system_user",
          system_user_id, protocol, login_from, date_start, is_finished)
        values (${cast.organization}, 'li', ${person.id}, 'a', ${asset}, 'ops', ${account}, 'ssh',
          'WT', ${start}::timestamptz, true)`.execute(test.db);
    await session('2026-03-01 08:00:00 +0800', systemUser);
    await session('2026-02-01 08:00:00 +0800', systemUser);
    await sql`with run as (insert into change_auth_execution
        (id, org_id, username, password_strategy, assets_amount, nodes_amount)
        values (gen_random_uuid(), ${cast.organization}, 'ops', 'random_one', 1, 0) returning id)
      insert into change_auth_subtask (org_id, plan_execution_id, asset_id, hostname, ip, username,
        step, is_success, date_finished)
      select ${cast.organization}, id, ${asset}, 'a', '127.0.0.1', 'ops', 'finished', false,
        '2026-03-02 08:00:00 +0800' from run`.execute(test.db);
    expect(await account('ops')).toMatchObject({
      date_last_used: '2026-03-01 08:00:00 +0800',
      rotation: { is_success: false, date: '2026-03-02 08:00:00 +0800' },
    });
    // Another account of the asset was not used.
    expect(await account(person.username)).toMatchObject({ date_last_used: null, rotation: null });
  });
});

describe('the list', () => {
  it('lists stored secrets, admin user and system users of an asset, and marks the effective one', async () => {
    const { asset, hostname, adminUser, systemUser, dynamic } = await fullAsset();
    const first = await created(LIST, {
      asset,
      username: 'ops',
      password: 'first',
      comment: 'by hand',
    });
    const second = await created(LIST, { asset, username: 'ops', password: 'second' });
    const rows = await listed(`asset_id=${asset}&draw=1`);
    expect(
      rows.map(({ id, username, backend, version, is_best }) => [
        id,
        username,
        backend,
        version,
        is_best,
      ]),
    ).toEqual(
      [
        [`${second}_${asset}`, 'ops', 'db', 2, true],
        [`${first}_${asset}`, 'ops', 'db', 1, false],
        [`${adminUser}_${asset}`, 'ops', 'admin_user', 0, false],
        [`${systemUser}_${asset}`, 'ops', 'system_user', 0, false],
        [`${dynamic}_${asset}_${person.id}`, person.username, 'system_user_dynamic', 0, true],
      ].toSorted(([, one], [, other]) =>
        String(one) < String(other) ? -1 : String(one) > String(other) ? 1 : 0,
      ),
    );
    // The ids are the same without `draw`, and name the account.
    expect(await listed(`asset_id=${asset}`)).toEqual(rows);
    for (const row of rows) expect((await admin.get(`${LIST}${row.id}/`)).body).toEqual(row);
    expect(rows.find(({ version }) => version === 1)).toMatchObject({
      hostname,
      ip: '127.0.0.1',
      comment: 'by hand',
      connectivity: { status: 2 },
      asset,
    });
    for (const word of ['first', 'second', 'secret of', 'v2$'])
      expect(JSON.stringify(rows)).not.toContain(word);

    const ids = async (query: string) =>
      (await listed(`asset_id=${asset}&${query}`)).map(({ id }) => id);
    expect(await ids('username=ops&latest=1')).toEqual([`${second}_${asset}`]);
    expect(await ids('latest=1')).toHaveLength(2);
    expect(await ids('backend=admin_user')).toEqual([`${adminUser}_${asset}`]);
    expect(await ids(`prefer=system_user&prefer_id=${systemUser}`)).toEqual([
      `${second}_${asset}`,
      `${first}_${asset}`,
      `${systemUser}_${asset}`,
    ]);
    expect(await ids(`prefer=admin_user&prefer_id=${adminUser}&latest=1`)).toEqual([
      `${second}_${asset}`,
    ]);
    expect(await ids(`ids=${first}_${asset},${adminUser}_${asset},nothing`)).toEqual([
      `${first}_${asset}`,
      `${adminUser}_${asset}`,
    ]);
    expect(await listed(`hostname=${hostname}&username=ops&latest=1`)).toHaveLength(1);
    expect(await listed(`search=${hostname.toUpperCase()},OPS&latest=1`)).toHaveLength(1);
    const root = await rootNode(test.db, cast.organization);
    expect((await listed(`node_id=${root}&hostname=${hostname}`)).length).toBe(rows.length);
    expect(await listed(`node_id=${crypto.randomUUID()}`)).toEqual([]);
  });

  it('pages and orders the accounts, with their total', async () => {
    const prefix = unique('paged');
    for (const number of ['1', '2', '3']) {
      const asset = await newAsset(`${prefix}-${number}`);
      for (const username of ['one', 'two'])
        await created(LIST, { asset, username, password: 'x' });
    }
    const page = async (offset: number, more = '') =>
      (await admin.get<Page>(`${LIST}?search=${prefix}&limit=4&offset=${offset}${more}`)).body;
    const names = ({ results }: { results: Json[] }) =>
      results.map(({ hostname, username }) => `${String(hostname).at(-1)} ${username}`);
    const [first, second] = [await page(0), await page(4)];
    expect([first.count, second.count]).toEqual([6, 6]);
    expect([...names(first), ...names(second)]).toEqual([
      '1 one',
      '1 two',
      '2 one',
      '2 two',
      '3 one',
      '3 two',
    ]);
    expect(names(await page(0, '&order=-hostname'))[0]).toBe('3 one');
  });

  it('searches accounts by words, phrases and patterns', async () => {
    const prefix = unique('found');
    for (const name of ['web-1', 'web-12', 'db one'])
      await created(LIST, {
        asset: await newAsset(`${prefix} ${name}`),
        username: 'seeker',
        password: 'x',
      });
    const names = async (search: string) =>
      (await listed(`search=${encodeURIComponent(`${prefix} ${search}`)}`)).map(({ hostname }) =>
        String(hostname).slice(prefix.length + 1),
      );
    expect(await names('web-1')).toEqual(['web-1', 'web-12']);
    expect(await names('=web-1')).toEqual(['web-1']);
    expect(await names('"db one"')).toEqual(['db one']);
    expect(await names('re:web-\\d{2}$')).toEqual(['web-12']);
    expect(await names('re:^seek')).toEqual(['db one', 'web-1', 'web-12']);
    const refused = await admin.get(`${LIST}?search=${encodeURIComponent('re:(')}`);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['search']]);
  });

  it('rejects invalid parameters with their field', async () => {
    for (const [query, field] of [
      ['order=password', 'order'],
      ['prefer=asset', 'prefer'],
      ['prefer=admin_user', 'prefer_id'],
      [`spm=${crypto.randomUUID()}`, 'spm'],
    ] as const) {
      const answer = await admin.get(`${LIST}?${query}`);
      expect([query, answer.status, Object.keys(answer.body)]).toEqual([query, 400, [field]]);
    }
  });
});

describe('a stored secret', () => {
  it('rejects invalid secrets with their field, and stores nothing', async () => {
    const asset = await newAsset();
    const foreign = await buildAsset(test.db, { organization: cast.otherOrganization });
    for (const [body, field] of [
      [{ asset, username: 'ops' }, 'password'],
      [{ asset, username: 'ops', private_key: 'no key' }, 'private_key'],
      [{ asset, username: 'a b; rm', password: 'x' }, 'username'],
      [{ asset, password: 'x' }, 'username'],
      [{ asset: foreign, username: 'ops', password: 'x' }, 'asset'],
      [{ asset, username: 'ops', password: 'x'.repeat(513) }, 'password'],
    ] as const) {
      const answer = await admin.post(LIST, body);
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
    }
    expect(await listed(`asset_id=${asset}`)).toEqual([]);
  });

  it('restores an earlier version, and deletes versions with the latest one last', async () => {
    const asset = await newAsset();
    const [first, second] = [
      await created(LIST, { asset, username: 'ops', password: 'one' }),
      await created(LIST, { asset, username: 'ops', password: 'two' }),
    ];
    const restored = await admin.post(`${LIST}${first}_${asset}/restore/`);
    expect(restored.status).toBe(201);
    await prove();
    const [latest] = await listed(`asset_id=${asset}&latest=1`, admin, SECRETS);
    expect(latest).toMatchObject({ id: restored.body.id, version: 3, password: 'one' });
    expect((await admin.delete(`${LIST}${latest?.id}/`)).status).toBe(400);
    for (const id of [first, second, String(latest?.origin_id)])
      expect((await admin.delete(`${LIST}${id}_${asset}/`)).status).toBe(204);
    expect(await listed(`asset_id=${asset}`)).toEqual([]);
    expect((await admin.delete(`${LIST}${first}_${asset}/`)).status).toBe(404);
    const log = await listed(
      `resource_type=asset_user&resource_id=${first}`,
      admin,
      'audits/operate-logs/',
    );
    expect(log.map(({ action }) => action).toSorted()).toEqual(['create', 'delete']);
  });

  it('rejects deleting accounts of admin users and permissions, and deleting by list', async () => {
    const { asset, adminUser, systemUser } = await fullAsset();
    for (const [id, words] of [
      [adminUser, 'admin user'],
      [systemUser, 'permission'],
    ] as const) {
      const answer = await admin.delete(`${LIST}${id}_${asset}/`);
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(words)]);
    }
    const answer = await admin.delete(`${LIST}?asset_id=${asset}`);
    expect([answer.status, answer.body.error]).toEqual([400, expect.any(String)]);
    expect(await listed(`asset_id=${asset}`)).toHaveLength(3);
  });

  it('imports secrets from a file, with a template that requires no second factor', async () => {
    await forget();
    const hostname = unique('filed');
    const asset = await newAsset(hostname);
    const file = `asset,username,password\n${hostname},ops,from a file\n`;
    const imported = await admin.send('POST', LIST, file, 'text/csv');
    expect(imported.status, imported.text).toBe(201);
    expect(imported.text).not.toContain('from a file');
    expect(await listed(`asset_id=${asset}`)).toMatchObject([{ username: 'ops', version: 1 }]);
    const template = await admin.get(`${SECRETS}?format=csv&template=import`);
    expect([template.status, template.text]).toEqual([200, expect.stringContaining('Username')]);
  });
});

describe('the secrets', () => {
  it('shows secrets after a recent second factor, and logs each view', async () => {
    const { asset, hostname, adminUser, systemUser, dynamic } = await fullAsset();
    const stored = await created(LIST, { asset, username: 'ops', password: 'stored secret' });
    const expected = new Map([
      [`${stored}_${asset}`, 'stored secret'],
      [`${adminUser}_${asset}`, 'secret of the admin user'],
      [`${systemUser}_${asset}`, 'secret of the system user'],
      [`${dynamic}_${asset}_${person.id}`, 'secret of the dynamic one'],
    ]);
    for (const stale of [forget, () => prove('61 minutes')]) {
      await stale();
      for (const path of [
        `${SECRETS}?asset_id=${asset}`,
        `${SECRETS}${stored}_${asset}/`,
        `${SECRETS}?asset_id=${asset}&format=csv`,
        `${SECRETS}?asset_id=${asset}&format=xlsx`,
      ]) {
        const answer = await admin.get(path);
        expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'mfa_verify_required']);
        expect(answer.text).not.toContain('secret of');
      }
    }
    expect(await views(`ops@${hostname}`)).toBe(0);
    await prove();
    for (const [id, password] of expected) {
      const { body, text } = await admin.get(`${SECRETS}${id}/`);
      expect([body.id, body.password], text).toEqual([id, password]);
    }
    expect(await views(`ops@${hostname}`)).toBe(3);
    expect(await views(`${person.username}@${hostname}`)).toBe(1);
    const all = (await admin.get<Page>(`${SECRETS}?asset_id=${asset}&limit=10`)).body;
    expect(all.results.map(({ id, password }) => [id, password]).toSorted()).toEqual(
      [...expected].toSorted(),
    );
    expect(await views(`ops@${hostname}`)).toBe(6);
    const file = await admin.get(`${SECRETS}?asset_id=${asset}&format=csv&username=ops`);
    expect(file.text).toContain('stored secret');
    expect(await views(`ops@${hostname}`)).toBe(9);
    const book = await sheetOf(admin, `${SECRETS}?asset_id=${asset}&format=xlsx&username=ops`);
    expect(book).toContain(textCell('stored secret'));
    expect(await views(`ops@${hostname}`)).toBe(12);
  });

  it('shows and logs secrets without a second factor when the setting allows it', async () => {
    const hostname = unique('open');
    const asset = await newAsset(hostname);
    const id = await created(LIST, { asset, username: 'ops', password: 'stored secret' });
    await forget();
    const set = async (value: boolean) => {
      const answer = await cast.clients.superAdmin
        .inOrganization('')
        .patch('settings/setting/', { security: { SECURITY_VIEW_AUTH_NEED_MFA: value } });
      expect(answer.status, answer.text).toBe(200);
    };
    await set(false);
    try {
      expect((await admin.get(`${SECRETS}${id}_${asset}/`)).body.password).toBe('stored secret');
      expect(await views(`ops@${hostname}`)).toBe(1);
    } finally {
      await set(true);
    }
  });

  it('reads, changes and deletes secrets of system users under the same rules', async () => {
    const { asset, hostname, systemUser, dynamic } = await fullAsset();
    const url = `assets/system-users/${systemUser}/auth-info/`;
    await forget();
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      expect((await admin.request(method, url, method === 'GET' ? undefined : {})).status).toBe(
        403,
      );
    expect(
      (await admin.get(`assets/system-users/${systemUser}/assets/${asset}/auth-info/`)).status,
    ).toBe(403);
    await prove();
    expect((await admin.get(url)).body).toMatchObject({
      id: systemUser,
      username: 'ops',
      password: 'secret of the system user',
      private_key: '',
    });
    expect((await admin.patch(url, { password: 'changed' })).body).toMatchObject({
      password: 'changed',
    });
    const on = async (system: string, more = '') =>
      (await admin.get(`assets/system-users/${system}/assets/${asset}/auth-info/${more}`)).body;
    expect(await on(systemUser)).toMatchObject({ username: 'ops', password: 'changed' });
    await created(LIST, { asset, username: 'ops', password: 'stored secret' });
    await created(LIST, { asset, username: 'lee', password: 'of lee' });
    expect(await on(systemUser)).toMatchObject({ username: 'ops', password: 'stored secret' });
    expect(await on(dynamic, '?username=lee')).toMatchObject({
      username: 'lee',
      password: 'of lee',
    });
    expect(await on(dynamic, '?username=kim')).toMatchObject({
      username: 'kim',
      password: 'secret of the dynamic one',
    });
    // Another username cannot be requested.
    expect(await on(systemUser, '?username=lee')).toMatchObject({ username: 'ops' });
    expect(await views(`ops@${hostname}`)).toBe(2);
    expect((await admin.delete(url)).status).toBe(204);
    expect((await admin.get(url)).body).toMatchObject({ password: '', private_key: '' });
    const log = await admin.get(`audits/operate-logs/?resource_id=${systemUser}`);
    for (const secret of ['secret of', 'changed"', 'stored secret'])
      expect(log.text).not.toContain(secret);
    expect(log.text).toContain('"view"');
  });

  it('changes the secret of an admin user without returning it', async () => {
    const { asset, adminUser } = await fullAsset();
    const answer = await admin.patch(`assets/admin-users/${adminUser}/auth/`, {
      password: 'brand-new',
    });
    expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining('brand-new')]);
    await prove();
    expect((await admin.get(`${SECRETS}${adminUser}_${asset}/`)).body.password).toBe('brand-new');
  });
});

describe('who may', () => {
  it('allows only administrators of the organization', async () => {
    const { asset, adminUser, systemUser } = await fullAsset();
    const stored = await created(LIST, { asset, username: 'ops', password: 'stored secret' });
    await prove();
    const requests = [
      ['GET', LIST],
      ['GET', `${LIST}${stored}_${asset}/`],
      ['POST', LIST, { asset, username: 'ops', password: 'x' }],
      ['DELETE', `${LIST}${stored}_${asset}/`],
      ['POST', `${LIST}${stored}_${asset}/restore/`],
      ['GET', SECRETS],
      ['GET', `${SECRETS}${stored}_${asset}/`],
      ['GET', `assets/system-users/${systemUser}/auth-info/`],
      ['GET', `assets/system-users/${systemUser}/assets/${asset}/auth-info/`],
      ['PATCH', `assets/admin-users/${adminUser}/auth/`, { password: 'x' }],
    ] as const;
    for (const [method, path, body] of requests) {
      for (const role of ['user', 'auditor', 'orgAuditor'] as const)
        expect([
          method,
          path,
          role,
          (await cast.clients[role].request(method, path, body)).status,
        ]).toEqual([method, path, role, 403]);
      const other = cast.clients.otherOrgAdmin.inOrganization(cast.otherOrganization);
      const answer = await other.request(method, path, body);
      const isList = path === LIST || path === SECRETS;
      expect([method, path, answer.status]).toEqual([
        method,
        path,
        isList ? (method === 'POST' ? 400 : 200) : 404,
      ]);
      expect(answer.text).not.toContain('stored secret');
      if (isList && method === 'GET') expect(answer.text).not.toContain(asset);
    }
    expect((await listed(`asset_id=${asset}&backend=db`)).map(({ version }) => version)).toEqual([
      1,
    ]);
  });
});
