import { type GroupMappingPreview, user as userResource } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemCaller } from '../../../platform/actor.ts';
import { sql } from '../../../platform/db/sql.ts';
import { engineOf } from '../../../resources/engines.ts';
import { buildOrganization, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../../../testing/services/openid-provider.ts';
import { bearer, cookiesOf } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { importPeople } from '../accounts/import-people.ts';
import { readGroups } from './read-groups.ts';
import { usersOfMappings } from './store.ts';

const URL_OF = 'users/group-mappings/';
let test: TestProgram;
let admin: Client;
let provider: OpenidProvider;
let username: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  provider = await startOpenidProvider(test.program.url);
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_OPENID: true,
    AUTH_OPENID_ISSUER: provider.issuer,
    AUTH_OPENID_CLIENT_ID: provider.clientId,
    AUTH_OPENID_CLIENT_SECRET: provider.secret,
    AUTH_OPENID_GROUPS_CLAIM: 'groups',
  });
  if (status !== 200) throw new Error(text);
});
afterAll(async () => {
  await test.stop();
  await provider.stop();
});
beforeEach(() => {
  username = unique('person');
});

type Jar = Record<string, string>;
const cookiesIn = (jar: Jar) =>
  Object.entries(jar)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');

/** Signs in at the provider with groups, as a browser does. Returns the id of the account. */
async function signIn(groups: unknown, more: Json = {}): Promise<string> {
  provider.who = {
    sub: username,
    preferred_username: username,
    name: 'Zhang San',
    groups,
    ...more,
  };
  const [ours, theirs]: [Jar, Jar] = [{}, {}];
  let at = new URL('/core/auth/openid/login/', test.program.url).href;
  for (let hops = 0; hops < 9 && !at.endsWith('/ui/'); hops++) {
    const jar = at.startsWith(provider.issuer) ? theirs : ours;
    const { headers } = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: cookiesIn(jar) },
    });
    Object.assign(jar, cookiesOf(headers));
    at = new URL(headers.get('location') ?? '/ui/', at).href;
  }
  const client = test.visitor.with({ cookie: cookiesIn(ours) });
  const { status, body } = await client.get<Json>('users/profile/');
  if (status !== 200) throw new Error(`the sign-in failed at ${at}`);
  return String(body.id);
}

async function buildGroup(client = admin): Promise<{ id: string; name: string }> {
  const name = unique('group');
  return { id: String((await client.post<Json>('users/groups/', { name })).body.id), name };
}
async function map(providerGroup: string, more: Json): Promise<string> {
  const body = { name: unique('map'), source: 'openid', provider_group: providerGroup, ...more };
  const { status, body: row, text } = await admin.post<Json>(URL_OF, body);
  if (status !== 201) throw new Error(text);
  return String(row.id);
}
const activate = async (id: string) =>
  expect((await admin.patch(`${URL_OF}${id}/`, { is_active: true })).status).toBe(200);
const groupsOf = async (userId: string) =>
  (
    await sql<{ name: string }>`
      select g.name from user_group_users u join user_group g on g.id = u.user_group_id
      where u.user_id = ${userId} order by g.name`.execute(test.db)
  ).rows.map(({ name }) => name);
const roleOf = async (userId: string) =>
  (await sql<{ role: string }>`select role from account where id = ${userId}`.execute(test.db))
    .rows[0]?.role;
const preview = async (userId: string) => {
  const { body } = await admin.get<GroupMappingPreview>(`${URL_OF}preview/`);
  return body.changes
    .filter((change) => change.user_id === userId)
    .map(({ kind, what, before }) => ({ kind, what, before }));
};

it('previews what an inactive mapping would give, and gives nothing', async () => {
  const ops = unique('ops');
  const group = await buildGroup();
  await map(ops, { user_groups: [group.id] });
  const user = await signIn([ops]);
  expect(await groupsOf(user)).toEqual([]);
  expect(await preview(user)).toEqual([{ kind: 'join', what: group.name, before: '' }]);
  const { body } = await admin.get<GroupMappingPreview>(`${URL_OF}preview/`);
  expect(body.seen).toContainEqual({ source: 'openid', name: ops, users: 1 });
});

it('counts the users of the group of a mapping, with none for a group that was never seen', async () => {
  const ops = unique('ops');
  const group = await buildGroup();
  const id = await map(ops, { user_groups: [group.id] });
  const amount = async (of = id) => (await admin.get<Json>(`${URL_OF}${of}/`)).body.users_amount;
  expect(await amount()).toBe(0);
  await signIn([ops, 'others']);
  expect(await amount()).toBe(1);
  username = unique('person');
  await signIn([ops, ops]);
  expect(await amount()).toBe(2);
  // Users of another source, and groups that differ in case, are others.
  const elsewhere = await map(ops, { source: 'saml', user_groups: [group.id] });
  const other = await map(ops.toUpperCase(), { user_groups: [group.id] });
  expect([await amount(elsewhere), await amount(other)]).toEqual([0, 0]);
  await signIn([]);
  expect(await amount()).toBe(1);
  const { body } = await admin.get<Page<Json>>(`${URL_OF}?limit=100&search=${ops}`);
  expect(body.results.find((row) => row.id === id)).toMatchObject({ users_amount: 1 });
});

it('finds the users of a mapping without reading the groups of all users', async () => {
  const { db } = test;
  const [ops, others] = [unique('ops'), unique('others')];
  const group = await buildGroup();
  const id = await map(ops, { user_groups: [group.id] });
  await signIn([ops]);
  await sql`
    with people as (
      insert into account (username, name, email, source)
      select ${others} || n, 'a', ${others} || n || '@example.com', 'openid'
      from generate_series(1, 3000) n returning id)
    insert into provider_groups (user_id, source, groups)
    select id, 'openid', array[${others} || id, ${others}] from people`.execute(db);
  const [users, scans] = await db.transaction(async (tx) => {
    // Statistics of a table that other tests change as well decide nothing here.
    await sql`set local enable_seqscan = off`.execute(tx);
    // PostgreSQL 18.4 counts the scans of earlier transactions, too, until it has reported them.
    const scansSoFar = async () => {
      const { rows } = await sql<{ scans: number }>`
        select seq_scan::integer as scans from pg_stat_xact_user_tables
        where relname = 'provider_groups'`.execute(tx);
      return rows[0]?.scans ?? 0;
    };
    const before = await scansSoFar();
    const amounts = await usersOfMappings([id], tx);
    return [amounts.get(id), (await scansSoFar()) - before];
  });
  expect([users, scans]).toEqual([1, 0]);
  await sql`delete from account where username like ${`${others}%`}`.execute(db);
});

it('takes the longest names of groups, which no index holds', async () => {
  const names = [1, 2].map((at) =>
    Array.from({ length: 1_024 }, (_, n) =>
      String.fromCharCode(0x4e00 + ((n * 7_919 + at * 104_729 + n * n * 31) % 20_000)),
    ).join(''),
  );
  const group = await buildGroup();
  const [mapped = '', other = ''] = names;
  await activate(await map(mapped, { user_groups: [group.id] }));
  expect(await groupsOf(await signIn([mapped, other]))).toEqual([group.name]);
  expect(await groupsOf(await signIn([other]))).toEqual([]);
});

it('joins and leaves user groups with the groups of the provider, and logs each', async () => {
  const ops = unique('ops');
  const group = await buildGroup();
  await activate(await map(ops, { user_groups: [group.id] }));
  const user = await signIn([ops, 'others']);
  expect(await groupsOf(user)).toEqual([group.name]);
  await signIn(['others']);
  expect(await groupsOf(user)).toEqual([]);
  const { body } = await admin.get<Page<Json>>(
    `audits/operate-logs/?resource_id=${group.id}&user=OpenID&limit=9`,
  );
  expect(body.results.map(({ changes }) => changes)).toEqual([
    { users: [[expect.anything()], []] },
    { users: [[], [expect.anything()]] },
  ]);
});

it('keeps what a user has when the provider sends nonsense, and takes it when it sends none', async () => {
  const ops = unique('ops');
  const group = await buildGroup();
  await activate(await map(ops, { user_groups: [group.id] }));
  const user = await signIn([ops]);
  for (const value of [{ ops: true }, 7, [ops, 7]]) {
    await signIn(value);
    expect(await groupsOf(user)).toEqual([group.name]);
  }
  for (const none of [[], undefined, null, '']) {
    await signIn(none);
    expect([none, await groupsOf(user)]).toEqual([none, []]);
    await signIn([ops]);
    expect(await groupsOf(user)).toEqual([group.name]);
  }
});

it('takes the role of the last group away, and keeps what a user has when its groups are elsewhere', async () => {
  const ops = unique('ops');
  const group = await buildGroup();
  await activate(await map(ops, { user_groups: [group.id], role: 'Admin' }));
  const user = await signIn([ops]);
  // Providers refer to very many groups: OpenID Connect Core 1.0, section 5.6.2.
  const elsewhere = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } };
  await signIn(undefined, elsewhere);
  expect([await groupsOf(user), await roleOf(user)]).toEqual([[group.name], 'Admin']);
  await signIn(undefined, { _claim_names: { address: 'src1' } });
  expect([await groupsOf(user), await roleOf(user)]).toEqual([[], 'User']);
  // Without the setting, groups are not read.
  await signIn([ops]);
  await admin.patch('settings/setting/', { AUTH_OPENID_GROUPS_CLAIM: '' });
  await signIn(undefined);
  expect(await groupsOf(user)).toEqual([group.name]);
  await admin.patch('settings/setting/', { AUTH_OPENID_GROUPS_CLAIM: 'groups' });
});

it('keeps a membership and a role that were given by hand', async () => {
  const ops = unique('ops');
  const [hand, mapped] = [await buildGroup(), await buildGroup()];
  const user = await signIn([]);
  await admin.patch(`users/groups/${hand.id}/`, { users: [user] });
  await admin.patch(`users/users/${user}/`, { role: 'Admin' });
  await activate(await map(ops, { user_groups: [hand.id, mapped.id], role: 'Admin' }));
  await signIn([ops]);
  expect(await groupsOf(user)).toEqual([hand.name, mapped.name].toSorted());
  await signIn([]);
  expect([await groupsOf(user), await roleOf(user)]).toEqual([[hand.name], 'Admin']);
});

it('gives and withdraws the role of administrator only when a mapping says so', async () => {
  const [ops, chiefs] = [unique('ops'), unique('chiefs')];
  const group = await buildGroup();
  await activate(await map(ops, { user_groups: [group.id] }));
  const user = await signIn([ops, 'Admin', 'admin', 'administrators']);
  expect(await roleOf(user)).toBe('User');
  const id = await map(chiefs, { role: 'Admin' });
  await signIn([ops, chiefs]);
  expect(await roleOf(user)).toBe('User');
  expect(await preview(user)).toEqual([{ kind: 'role', what: 'Admin', before: 'User' }]);
  await activate(id);
  await signIn([ops, chiefs]);
  expect(await roleOf(user)).toBe('Admin');
  await signIn([ops]);
  expect([await roleOf(user), await groupsOf(user)]).toEqual(['User', [group.name]]);
});

it('joins members of an organization only', async () => {
  const organization = await buildOrganization(test.db);
  const group = await buildGroup(admin.inOrganization(organization));
  const ops = unique('ops');
  await activate(await map(ops, { user_groups: [group.id] }));
  const user = await signIn([ops]);
  expect(await groupsOf(user)).toEqual([]);
  await sql`insert into organization_member (organization_id, user_id, role)
    values (${organization}, ${user}, 'User')`.execute(test.db);
  await signIn([ops]);
  expect(await groupsOf(user)).toEqual([group.name]);
});

it.each([
  `O'Reilly "ops"; drop table account --`,
  'cn=a\\,b,ou=组 \u{1f600},dc=x',
  '{"a":1}',
  '%_*?',
])('matches a group named %s exactly', async (name) => {
  const group = await buildGroup();
  await activate(await map(name, { user_groups: [group.id] }));
  expect(await groupsOf(await signIn([name]))).toEqual([group.name]);
  username = unique('person');
  expect(await groupsOf(await signIn([`${name} `.toUpperCase().replace(/ $/, 'x')]))).toEqual([]);
});

it('joins no group under change control, says so in the preview, and takes back what it gave', async () => {
  const organization = await buildOrganization(test.db);
  const inside = admin.inOrganization(organization);
  await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  const [before, after] = [await buildGroup(inside), await buildGroup(inside)];
  const id = await signIn([]);
  await sql`insert into organization_member (organization_id, user_id, role)
    values (${organization}, ${id}, 'User')`.execute(test.db);
  const [first, second] = [unique('first'), unique('second')];
  await activate(await map(first, { user_groups: [before.id] }));
  await activate(await map(second, { user_groups: [after.id] }));
  const members = async ({ id: group }: { id: string }) =>
    (await inside.get<Json>(`users/groups/${group}/`)).body.users;
  await signIn([first]);
  expect(await members(before)).toEqual([id]);
  const on = await inside.put<Json>('change-control/', { is_on: true });
  expect(on.status, on.text).toBe(200);
  await signIn([first, second]);
  expect([await members(before), await members(after)]).toEqual([[id], []]);
  const { changes } = (await admin.get<GroupMappingPreview>(`${URL_OF}preview/`)).body;
  expect(changes.filter(({ user_id }) => user_id === id)).toMatchObject([
    { kind: 'join', what: after.name, is_controlled: true },
  ]);
  await signIn([second]);
  expect([await members(before), await members(after)]).toEqual([[], []]);
});

it('handles 10,000 groups of one user, and treats more as unreadable', async () => {
  const ops = unique('ops');
  const group = await buildGroup();
  await activate(await map(ops, { user_groups: [group.id] }));
  const many = Array.from({ length: 9_999 }, (_, number) => `group ${number}`);
  const user = await signIn([...many, ops]);
  expect(await groupsOf(user)).toEqual([group.name]);
  await signIn([...many, 'one', 'more']);
  expect(await groupsOf(user)).toEqual([group.name]);
  expect(readGroups(['a', 'a', ' ', 'b\u0000', '\ud800', 'x'.repeat(1_025)])).toEqual(['a']);
});

it('applies a list of a directory, compares names without case, and takes the last group away', async () => {
  const [one, other] = [unique('ldap'), unique('ldap')];
  const group = await buildGroup();
  await activate(await map('CN=Ops,DC=example', { source: 'ldap', user_groups: [group.id] }));
  const read = async (people: Parameters<typeof importPeople>[0]) =>
    importPeople(people, {
      source: 'ldap',
      db: test.db,
      writer: engineOf(test.program.engines, userResource).writer,
      caller: systemCaller('LDAP'),
    });
  const groups = ['cn=ops,dc=example'];
  const [imported] = await read([{ username: one, groups }, { username: other }]);
  const id = imported && 'id' in imported ? imported.id : '';
  expect(await groupsOf(id)).toEqual([group.name]);
  // Groups that were not read, and a list without any group, say nothing.
  await read([{ username: one }]);
  await read([
    { username: one, groups: [] },
    { username: other, groups: [] },
  ]);
  expect(await groupsOf(id)).toEqual([group.name]);
  await read([
    { username: one, groups: [] },
    { username: other, groups },
  ]);
  expect(await groupsOf(id)).toEqual([]);
  await read([{ username: one, groups }]);
  expect(await groupsOf(id)).toEqual([group.name]);
  await read([{ username: one, groups: [] }]);
  expect(await groupsOf(id)).toEqual([]);
});

it('compares names of a directory as distinguished names, and keeps different groups apart', async () => {
  const folded = async (dn: string) =>
    (await sql<{ dn: string }>`select folded_dn(${dn}) as dn`.execute(test.db)).rows[0]?.dn;
  // OpenLDAP 2.5.13 and 389 Directory Server 2.3.1 return the hexadecimal form.
  const same = [
    ['CN=Ops, OU=Teams , DC=example', 'cn=ops,ou=teams,dc=example'],
    ['cn=a\\,b,dc=example', 'cn=a\\2cb,dc=example'],
    ['cn=a\\+b\\\\c,dc=example', 'cn=a\\2Bb\\5Cc,dc=example'],
    ['cn=李伟,dc=example', 'cn=\\e6\\9d\\8e\\E4\\BC\\9F,dc=example'],
    ['cn = Two  Words,dc=example', 'CN=two words,DC=example'],
    ['cn=a\\=b\\;c,dc=example', 'cn=a\\3db\\3Bc,dc=example'],
    ['cn=a;b,dc=example', 'cn=a\\;b,dc=example'],
  ];
  for (const [one = '', other = ''] of same)
    expect([one, await folded(one)]).toEqual([one, await folded(other)]);
  const different = [
    ['cn=a\\,cn=b,dc=example', 'cn=a,cn=b,dc=example'],
    ['cn=a\\2ccn\\3db,dc=example', 'cn=a,cn=b,dc=example'],
    ['cn=a\\+b=c,dc=example', 'cn=a+b=c,dc=example'],
    ['cn=a = b,dc=example', 'cn=a=b,dc=example'],
    ['cn=ops,dc=example', 'cn=ops,dc=example,dc=com'],
    ['cn=a\\\\,dc=example', 'cn=a\\,dc=example'],
  ];
  for (const [one = '', other = ''] of different)
    expect([one, await folded(one)]).not.toEqual([one, await folded(other)]);
  for (const odd of ['', '\\', 'cn=\\ff\\fe', 'cn=\\00', 'just a name'])
    expect(await folded(odd)).toBeTypeOf('string');

  const group = await buildGroup();
  const wish = { source: 'ldap', user_groups: [group.id] };
  await activate(await map('CN=Ops\\, Asia, OU=Teams', wish));
  const [imported] = await importPeople(
    [{ username: unique('ldap'), groups: ['cn=ops\\2c Asia,ou=teams'] }],
    {
      source: 'ldap',
      db: test.db,
      writer: engineOf(test.program.engines, userResource).writer,
      caller: systemCaller('LDAP'),
    },
  );
  expect(await groupsOf(imported && 'id' in imported ? imported.id : '')).toEqual([group.name]);
});

it('rejects a mapping that gives nothing, and one that puts auditors into groups', async () => {
  const base = { name: unique('map'), source: 'openid', provider_group: 'x' };
  const group = await buildGroup();
  for (const more of [{}, { role: 'Auditor', user_groups: [group.id] }]) {
    const { status, body } = await admin.post<Json>(URL_OF, { ...base, ...more });
    expect([status, Object.keys(body)]).toEqual([400, ['user_groups']]);
  }
  expect((await admin.post<Json>(URL_OF, { ...base, source: 'scim' })).status).toBe(400);
});

it('serves administrators of the installation', async () => {
  const organization = await buildOrganization(test.db);
  for (const options of [
    { role: 'Auditor' as const },
    { memberOf: [{ organization, role: 'Admin' as const }] },
  ]) {
    const client = await bearer(test, await buildUser(test.db, options));
    for (const url of [URL_OF, `${URL_OF}preview/`])
      expect((await client.get(url)).status).toBe(403);
  }
});

// The last test: the control stays on.
it('gives no role under change control of the default organization, and takes back what it gave', async () => {
  await buildUser(test.db, { role: 'Admin' });
  const [given, wanted] = [unique('given'), unique('wanted')];
  await activate(await map(given, { role: 'Auditor' }));
  await activate(await map(wanted, { role: 'Admin' }));
  const auditor = await signIn([given]);
  const roleOf = async (id: string) => (await admin.get<Json>(`users/users/${id}/`)).body.role;
  expect(await roleOf(auditor)).toBe('Auditor');
  const on = await admin.put<Json>('change-control/', { is_on: true });
  expect(on.status, on.text).toBe(200);
  await signIn([given, wanted]);
  expect(await roleOf(auditor)).toBe('Auditor');
  const { changes } = (await admin.get<GroupMappingPreview>(`${URL_OF}preview/`)).body;
  expect(changes.filter(({ user_id }) => user_id === auditor)).toMatchObject([
    { kind: 'role', what: 'Admin', is_controlled: true },
  ]);
  await signIn([]);
  expect(await roleOf(auditor)).toBe('User');
});
