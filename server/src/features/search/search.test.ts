import {
  Permission,
  QUICK_CONNECT_MOST,
  type QuickConnectAsset,
  type SearchAnswer,
  type SearchHit,
} from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAppPermission, buildDatabaseApp } from '../../testing/app-builders.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
} from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

type Query = Readonly<Record<string, string | number>>;
async function find(client: Client, q: string, query: Query = {}): Promise<readonly SearchHit[]> {
  const parameters = new URLSearchParams({
    q,
    ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  });
  const { status, body } = await client.get<SearchAnswer>(`search/?${parameters}`);
  expect([q, status]).toEqual([q, 200]);
  return body.results;
}
const titles = async (client: Client, q: string, query?: Query) =>
  (await find(client, q, query)).map(({ title }) => title);
const kinds = (hits: readonly SearchHit[]) => [...new Set(hits.map(({ kind }) => kind))].toSorted();

interface Happened {
  readonly organization: string;
  readonly userId: string;
  readonly user: string;
  readonly asset: string;
  readonly assetId?: string;
  readonly input?: string;
}
/** A finished session with a command. */
async function happened({
  organization,
  userId,
  user,
  asset,
  assetId = '',
  input,
}: Happened): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into session (org_id, user_id, "user", asset, asset_id, "system_user", is_finished,
      date_start, date_end)
    values (${organization}, ${userId}, ${user}, ${asset}, ${assetId}, 'root', true, now(), now())
      returning id`.execute(test.db);
  const id = rows[0]?.id ?? '';
  if (input !== undefined)
    await sql`insert into command (org_id, session, sequence, "user", asset, "system_user", input)
      values (${organization}, ${id}, 1, ${user}, ${asset}, 'root', ${input})`.execute(test.db);
  return id;
}

describe('what a role finds', () => {
  let cast: Cast;
  let session: string;
  beforeAll(async () => {
    cast = await buildCast(test);
    const { organization, otherOrganization } = cast;
    for (const [org, suffix] of [
      [organization, 'here'],
      [otherOrganization, 'there'],
      ['', 'default'],
    ] as const) {
      const asset = await buildAsset(test.db, { organization: org, hostname: `quokka-${suffix}` });
      await buildAsset(test.db, { organization: org, hostname: `quokka-hidden-${suffix}` });
      const systemUser = await buildSystemUser(test.db, { organization: org });
      await sql`update system_account
        set name = ${`quokka account ${suffix}`} where id = ${systemUser}`.execute(test.db);
      const group = await buildGroup(test.db, [], org);
      await sql`update user_group
        set name = ${`quokka group ${suffix}`} where id = ${group}`.execute(test.db);
      await sql`insert into domain (org_id, name)
        values (${org}, ${`quokka net ${suffix}`})`.execute(test.db);
      const rule = await buildPermission(test.db, {
        organization: org,
        assets: [asset],
        systemUsers: [systemUser],
      });
      await sql`update asset_permission
        set name = ${`quokka rule ${suffix}`} where id = ${rule}`.execute(test.db);
      const root = await rootNode(test.db, org);
      const node = crypto.randomUUID();
      await sql`
        insert into node (id, org_id, key, value, parent_id, ancestors)
        select ${node}::uuid, org_id, key || ':901', ${`quokka node ${suffix}`}, id,
          array[${node}::uuid, id] from node where id = ${root}`.execute(test.db);
      await happened({
        organization: org,
        userId: crypto.randomUUID(),
        user: 'Else(else)',
        asset: `quokka-${suffix}`,
        input: `echo quokka ${suffix}`,
      });
    }
    const { body: me } = await cast.clients.user.get<{ id: string }>('users/profile/');
    const { rows } = await sql<{
      id: string;
    }>`select id from asset where hostname = 'quokka-here'`.execute(test.db);
    const granted = rows[0]?.id ?? '';
    const systemUser = await buildSystemUser(test.db, { organization });
    await buildPermission(test.db, {
      organization,
      users: [me.id],
      assets: [granted],
      systemUsers: [systemUser],
    });
    session = await happened({
      organization,
      userId: me.id,
      user: 'Me(me)',
      asset: 'quokka-here',
      assetId: granted,
    });
    const member = await buildUser(test.db, {
      username: 'quokka.here',
      memberOf: [{ organization, role: 'User' }],
    });
    await buildUser(test.db, {
      username: 'quokka.there',
      memberOf: [{ organization: otherOrganization, role: 'User' }],
    });
    expect(member.id).not.toBe('');
  });

  it('finds objects of every kind for an administrator of an organization, none of other organizations', async () => {
    const hits = await find(cast.clients.orgAdmin, 'quokka', { limit: 50 });
    expect(kinds(hits)).toEqual([
      'asset',
      'asset_permission',
      'command',
      'domain',
      'node',
      'session',
      'system_user',
      'user',
      'user_group',
    ]);
    expect(hits.filter(({ title, note }) => /there|default/.test(title + note))).toEqual([]);
    expect(hits.every(({ page }) => page !== null)).toBe(true);
    // The account has no permissions, so no result connects.
    expect(hits.filter(({ connects }) => connects !== null)).toEqual([]);
    expect(hits.find(({ kind }) => kind === 'node')).toMatchObject({
      title: 'Root / quokka node here',
      page: expect.stringMatching(/^assets\/assets\?node=/),
    });
  });

  it('finds sessions and commands of the organization for an auditor, but no objects', async () => {
    for (const client of [cast.clients.orgAuditor, cast.clients.auditor]) {
      const hits = await find(client, 'quokka', { limit: 50 });
      expect(kinds(hits)).toEqual(['command', 'session']);
      expect(hits.filter(({ title, note }) => /there|default/.test(title + note))).toEqual([]);
    }
  });

  it('finds granted assets and own sessions for a user, without pages', async () => {
    const hits = await find(cast.clients.user, 'quokka', { limit: 50 });
    expect(hits.map(({ kind, title, page }) => [kind, title, page])).toEqual([
      ['asset', 'quokka-here', null],
      ['session', 'Me(me) → quokka-here', null],
    ]);
    expect(hits.every(({ connects }) => connects === hits[0]?.id)).toBe(true);
    expect(await titles(cast.clients.user, 'quokka-hidden')).toEqual([]);
    expect(await titles(cast.clients.user, 'quokka node')).toEqual([]);
    expect(await find(cast.clients.user, 'quokka', { kind: 'user' })).toEqual([]);
  });

  it('finds applications for administrators with their page, for users if granted, and by pinyin', async () => {
    const { organization, otherOrganization } = cast;
    const shop = await buildDatabaseApp(test.db, { organization, name: '订单 quagga' });
    await buildDatabaseApp(test.db, { organization, name: 'quagga hidden' });
    await buildDatabaseApp(test.db, { organization: otherOrganization, name: 'quagga there' });
    const { body: me } = await cast.clients.user.get<{ id: string }>('users/profile/');
    const systemUsers = [await buildSystemUser(test.db, { organization, protocol: 'mysql' })];
    await buildAppPermission(test.db, 'database_app', {
      organization,
      users: [me.id],
      apps: [shop],
      systemUsers,
    });
    expect(await titles(cast.clients.orgAdmin, 'quagga')).toEqual(
      expect.arrayContaining(['quagga hidden', '订单 quagga']),
    );
    expect(await titles(cast.clients.orgAdmin, 'quagga there')).toEqual([]);
    expect(await find(cast.clients.orgAdmin, 'dingdan')).toMatchObject([
      {
        kind: 'database_app',
        title: '订单 quagga',
        note: 'MySQL · db.example.com',
        page: `applications/database-apps/${shop}`,
      },
    ]);
    const own = await find(cast.clients.user, 'quagga');
    expect(own).toMatchObject([
      {
        kind: 'database_app',
        id: shop,
        page: `apps/database?name=${encodeURIComponent('订单 quagga')}`,
      },
    ]);
    expect(
      (await cast.clients.user.post('search/uses/', { kind: 'database_app', object: shop })).status,
    ).toBe(204);
    expect(await titles(cast.clients.user, '')).toContain('订单 quagga');
    await sql`update database_app_permission set is_active = false`.execute(test.db);
    expect([await find(cast.clients.user, 'quagga'), await titles(cast.clients.user, '')]).toEqual([
      [],
      expect.not.arrayContaining(['订单 quagga']),
    ]);
    expect(await find(cast.clients.auditor, 'quagga')).toEqual([]);
  });

  it('finds the objects of a user in the user view of an administrator, and a role adds no rights', async () => {
    expect(await titles(cast.clients.orgAdmin, 'quokka', { role: Permission.USE })).toEqual([]);
    const all = Permission.SUPER | Permission.ADMIN | Permission.AUDIT | Permission.USE;
    expect(kinds(await find(cast.clients.user, 'quokka', { role: all, limit: 50 }))).toEqual([
      'asset',
      'session',
    ]);
  });

  it('finds objects of the current organization only', async () => {
    const hits = await find(
      cast.clients.otherOrgAdmin.inOrganization(cast.otherOrganization),
      'quokka',
      { limit: 50 },
    );
    expect(hits.length).toBeGreaterThan(5);
    expect(
      hits.filter(({ title, note }) => /here/.test((title + note).replaceAll('there', ''))),
    ).toEqual([]);
  });

  it('rejects visitors, and disabled or expired accounts', async () => {
    for (const [role, status] of [
      ['nobody', 401],
      ['disabled', 401],
      ['expired', 403],
    ] as const) {
      const { status: answered } = await cast.clients[role].get('search/?q=quokka');
      expect([role, answered]).toEqual([role, answered === 401 ? 401 : status]);
      expect(
        (
          await cast.clients[role].post('search/uses/', {
            kind: 'asset',
            object: crypto.randomUUID(),
          })
        ).status,
      ).toBe(answered);
    }
  });

  it('finds a session by its id or a prefix of it, in its organization only', async () => {
    for (const q of [session, session.slice(0, 8), session.replaceAll('-', '').slice(0, 12)])
      expect((await find(cast.clients.orgAuditor, q)).map(({ id, page }) => [id, page])).toEqual([
        [session, `terminal/sessions/${session}`],
      ]);
    expect(
      await find(cast.clients.otherOrgAdmin.inOrganization(cast.otherOrganization), session),
    ).toEqual([]);
    expect(await find(cast.clients.user, session)).toMatchObject([{ id: session, page: null }]);
  });

  it('finds no asset that is disabled or whose permission ended', async () => {
    const person = await buildUser(test.db, {
      memberOf: [{ organization: cast.organization, role: 'User' }],
    });
    const client = (await bearer(test, person)).inOrganization(cast.organization);
    const asset = await buildAsset(test.db, {
      organization: cast.organization,
      hostname: 'numbat-1',
    });
    const systemUser = await buildSystemUser(test.db, { organization: cast.organization });
    const rule = await buildPermission(test.db, {
      organization: cast.organization,
      users: [person.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    expect(await titles(client, 'numbat')).toEqual(['numbat-1']);
    await sql`update asset set is_active = false where id = ${asset}`.execute(test.db);
    expect(await titles(client, 'numbat')).toEqual([]);
    await sql`update asset set is_active = true where id = ${asset}`.execute(test.db);
    await sql`update asset_permission set date_expired = now() - interval '1 second'
      where id = ${rule}`.execute(test.db);
    expect(await titles(client, 'numbat')).toEqual([]);
  });
});

describe('the order', () => {
  it('ranks equal titles, prefixes, word prefixes and parts in this order, and titles before other fields', async () => {
    for (const hostname of ['xwombat', 'eu-wombat', 'wombat-2', 'wombat', 'north-1'])
      await buildAsset(test.db, { hostname });
    await sql`update asset set comment = 'near wombat' where hostname = 'north-1'`.execute(test.db);
    expect(await titles(admin, 'wombat')).toEqual([
      'wombat',
      'wombat-2',
      'eu-wombat',
      'xwombat',
      'north-1',
    ]);
    expect(await titles(admin, 'WOMBAT eu')).toEqual(['eu-wombat']);
  });

  it('ranks a title prefix first, although many other objects contain the text', async () => {
    for (let index = 0; index < 90; index++)
      await buildAsset(test.db, { hostname: `a${String(index).padStart(3, '0')}-zorilla` });
    await buildAsset(test.db, { hostname: 'zorilla-last' });
    const hits = await titles(admin, 'zorilla');
    expect(hits).toHaveLength(6);
    expect(hits[0]).toBe('zorilla-last');
    // Forty objects that contain the text, of which the prefix may be one: the plan chooses them.
    const all = await titles(admin, 'zorilla', { kind: 'asset', limit: 50 });
    expect([40, 41]).toContain(all.length);
    expect(all[0]).toBe('zorilla-last');
  });

  it('prefers objects that the user opened and connected to, for this user only', async () => {
    const ids: string[] = [];
    for (const hostname of ['okapi-1', 'okapi-2', 'okapi-3'])
      ids.push(await buildAsset(test.db, { hostname }));
    expect(await titles(admin, 'okapi')).toEqual(['okapi-1', 'okapi-2', 'okapi-3']);
    expect((await admin.post('search/uses/', { kind: 'asset', object: ids[2] })).status).toBe(204);
    expect(await titles(admin, 'okapi')).toEqual(['okapi-3', 'okapi-1', 'okapi-2']);
    const { body: me } = await admin.get<{ id: string }>('users/profile/');
    for (let index = 0; index < 3; index++)
      await happened({
        organization: '',
        userId: me.id,
        user: 'A(admin)',
        asset: 'okapi-2',
        ...(ids[1] && { assetId: ids[1] }),
      });
    expect((await titles(admin, 'okapi', { kind: 'asset' })).slice(0, 2)).toEqual([
      'okapi-2',
      'okapi-3',
    ]);
    // An empty search lists recent use.
    const recent = await titles(admin, '');
    expect(recent).toEqual(expect.arrayContaining(['okapi-2', 'okapi-3']));
    expect(recent).not.toContain('okapi-1');
    const other = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    expect(await titles(other, 'okapi', { kind: 'asset' })).toEqual([
      'okapi-1',
      'okapi-2',
      'okapi-3',
    ]);
    expect(await titles(other, '')).toEqual([]);
  });

  it('limits the stored uses of each user', async () => {
    const person = await buildUser(test.db);
    const client = await bearer(test, person);
    await sql`
      insert into search_use (user_id, kind, object_id, date_last)
      select ${person.id}, 'asset', gen_random_uuid(), now() - make_interval(days => day)
        from generate_series(1, 300) day`.execute(test.db);
    expect(
      (await client.post('search/uses/', { kind: 'asset', object: crypto.randomUUID() })).status,
    ).toBe(204);
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from search_use where user_id = ${person.id}`.execute(test.db);
    expect(rows[0]?.count).toBe(200);
  });

  it('hides used objects that the user may no longer see', async () => {
    const elsewhere = await buildOrganization(test.db);
    const asset = await buildAsset(test.db, {
      organization: elsewhere,
      hostname: 'tapir-elsewhere',
    });
    expect((await admin.post('search/uses/', { kind: 'asset', object: asset })).status).toBe(204);
    expect(await titles(admin, '')).not.toContain('tapir-elsewhere');
    expect(await titles(admin.inOrganization(elsewhere), '')).toContain('tapir-elsewhere');
  });
});

describe('quick connect', () => {
  const quickList = async (client: Client) => {
    const { status, body } = await client.get<QuickConnectAsset[]>('search/quick-connect/');
    expect(status).toBe(200);
    return body.map(({ hostname, favorite }) => `${favorite ? '*' : ''}${hostname}`);
  };

  it('lists favorites by name, then recently used assets, without those no longer granted', async () => {
    const person = await buildUser(test.db);
    const client = await bearer(test, person);
    expect(await quickList(client)).toEqual([]);
    const systemUser = await buildSystemUser(test.db);
    const asset = (name: string) => buildAsset(test.db, { hostname: `ibex-${name}` });
    const assets = {
      b: await asset('b'),
      a: await asset('a'),
      used: await asset('used'),
      opened: await asset('opened'),
      lost: await asset('lost'),
    };
    const { lost, ...kept } = assets;
    await buildPermission(test.db, {
      users: [person.id],
      assets: Object.values(kept),
      systemUsers: [systemUser],
    });
    const rule = await buildPermission(test.db, {
      users: [person.id],
      assets: [lost],
      systemUsers: [systemUser],
    });
    for (const id of [assets.b, assets.a, lost])
      expect((await client.post('assets/favorite-assets/', { asset: id })).status).toBe(201);
    await happened({
      organization: '',
      userId: person.id,
      user: person.username,
      asset: 'ibex-used',
      assetId: assets.used,
    });
    await client.post('search/uses/', { kind: 'asset', object: assets.opened });
    await happened({
      organization: '',
      userId: crypto.randomUUID(),
      user: 'else',
      asset: 'ibex-lost',
      assetId: lost,
    });
    expect(await quickList(client)).toEqual([
      '*ibex-a',
      '*ibex-b',
      '*ibex-lost',
      'ibex-opened',
      'ibex-used',
    ]);
    await admin.delete(`perms/asset-permissions/${rule}/`);
    expect(await quickList(client)).toEqual(['*ibex-a', '*ibex-b', 'ibex-opened', 'ibex-used']);
    expect(await quickList(admin)).not.toContain('*ibex-a');
  });

  it('leaves space for recently used assets, and lists no more than the digits', async () => {
    const person = await buildUser(test.db);
    const client = await bearer(test, person);
    const ids: string[] = [];
    for (let at = 0; at < 14; at++)
      ids.push(await buildAsset(test.db, { hostname: `gnu-${String(at).padStart(2, '0')}` }));
    await buildPermission(test.db, {
      users: [person.id],
      assets: ids,
      systemUsers: [await buildSystemUser(test.db)],
    });
    for (const id of ids.slice(0, 8)) await client.post('assets/favorite-assets/', { asset: id });
    for (const id of ids.slice(8)) await client.post('search/uses/', { kind: 'asset', object: id });
    const names = await quickList(client);
    expect(names).toHaveLength(QUICK_CONNECT_MOST);
    expect(names.filter((name) => name.startsWith('*'))).toHaveLength(5);
    expect(names.slice(5)).toEqual(['gnu-13', 'gnu-12', 'gnu-11', 'gnu-10']);
  });
});

describe('pinyin', () => {
  it('finds Chinese names by syllables and by initials, from any syllable on', async () => {
    await buildAsset(test.db, { hostname: '生产环境-db01' });
    for (const q of [
      'shengchan',
      'schj',
      'huanjing',
      'hj',
      'shengchanhuanjing-db',
      'schj-db01',
      '生产',
      '环境',
      'db01 shengchan',
    ])
      expect([q, await titles(admin, q, { kind: 'asset' })]).toEqual([q, ['生产环境-db01']]);
    // Not from the middle of a syllable.
    expect(await titles(admin, 'engchan')).toEqual([]);
  });

  it('finds all readings of a character, and follows a change of the name', async () => {
    const { body } = await admin.post<{ id: string }>('users/groups/', { name: '重庆银行' });
    for (const q of ['chongqing', 'zhongqing', 'yinhang', 'cqyh'])
      expect([q, await titles(admin, q)]).toEqual([q, ['重庆银行']]);
    await admin.patch(`users/groups/${body.id}/`, { name: '上海' });
    expect(await titles(admin, 'chongqing')).toEqual([]);
    expect(await titles(admin, 'shanghai')).toEqual(['上海']);
    await admin.patch(`users/groups/${body.id}/`, { name: 'plain' });
    expect(await titles(admin, 'shanghai')).toEqual([]);
  });

  it('finds nodes by the pinyin of their path, users by name, and granted assets', async () => {
    const root = await rootNode(test.db);
    const { body: east } = await admin.post<{ id: string }>(`assets/nodes/${root}/children/`, {
      value: '华东',
    });
    await admin.post(`assets/nodes/${east.id}/children/`, { value: '支付网关' });
    expect(
      (await titles(admin, 'huadong zhifu')).map((title) => title.split(' / ').slice(1)),
    ).toEqual([['华东', '支付网关']]);
    const person = await buildUser(test.db, { username: 'sunlili' });
    await sql`update account set name = '孙丽丽' where id = ${person.id}`.execute(test.db);
    expect(await titles(admin, 'sll')).toEqual(['孙丽丽']);
    const asset = await buildAsset(test.db, { hostname: '测试机-1' });
    await buildPermission(test.db, {
      users: [person.id],
      assets: [asset],
      systemUsers: [await buildSystemUser(test.db)],
    });
    expect(await titles(await bearer(test, person), 'ceshi')).toEqual(['测试机-1']);
  });
});

it('finds nodes and permissions of the organization by one or two characters anywhere in the name', async () => {
  const organization = await buildOrganization(test.db);
  const here = admin.inOrganization(organization);
  const add = (parent: string, value: string) =>
    here.post<{ id: string }>(`assets/nodes/${parent}/children/`, { value });
  const { body: north } = await add(await rootNode(test.db, organization), '中国华北-7jw');
  await add(north.id, 'prod-4kv');
  const rule = await buildPermission(test.db, { organization });
  await sql`update asset_permission set name = '运维华北-7jw 4kv' where id = ${rule}`.execute(
    test.db,
  );
  const findTitles = async (q: string, client = here) =>
    (await find(client, q)).map(({ kind, title }) => `${kind} ${title.split(' / ').at(-1)}`).sort();
  const [permission, region] = ['asset_permission 运维华北-7jw 4kv', 'node 中国华北-7jw'];
  for (const q of ['华北', '北-', '7j', 'JW', 'w', '7'])
    expect([q, await findTitles(q)]).toEqual([q, [permission, region]]);
  expect(await findTitles('4k')).toEqual([permission, 'node prod-4kv']);
  expect(await findTitles('7j kv')).toEqual([permission, 'node prod-4kv']);
  expect(await findTitles('国北')).toEqual([]);
  expect(await findTitles('k4')).toEqual([]);
  for (const q of ['7j', '华北']) expect(await findTitles(q, admin)).toEqual([]);
});

it('requires three characters for commands and sessions, and treats the text literally', async () => {
  await happened({
    organization: '',
    userId: crypto.randomUUID(),
    user: 'Zed(zed)',
    asset: 'qx',
    input: 'qx --all',
  });
  expect(kinds(await find(admin, 'qx'))).toEqual([]);
  expect(kinds(await find(admin, 'qx --all'))).toEqual(['command']);
  for (const q of [
    '%%%',
    '___',
    "'; drop table asset; --",
    '\\\\\\',
    '( ) [ ] { }',
    ' ',
    ',,,',
    'x'.repeat(5_000),
    '🦘🦘🦘',
    '中',
  ])
    expect([q, (await admin.get(`search/?${new URLSearchParams({ q })}`)).status]).toEqual([
      q,
      200,
    ]);
  for (const query of ['q=%00', 'kind=password', 'kind=access_key', 'role=x'])
    expect([query, (await admin.get(`search/?${query}`)).status]).toEqual([query, 400]);
  expect(
    (await admin.post('search/uses/', { kind: 'access_key', object: crypto.randomUUID() })).status,
  ).toBe(400);
  expect((await admin.post('search/uses/', { kind: 'asset', object: 'x' })).status).toBe(400);
});
