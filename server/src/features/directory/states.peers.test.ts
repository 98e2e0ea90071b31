import type { LdapReading } from '@sallyport/contract';
import { Attribute, Change, type Client as Directory } from 'ldapts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import {
  CONTRACTORS,
  manyPeople,
  PEOPLE,
  passwordOf,
  READER,
  type Slapd,
  SUFFIX,
  startSlapd,
} from '../../testing/services/slapd.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { LAPTOP_KEY, openByKey } from '../../testing/ssh/key-session.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

const OTHERS = 40;
let slapd: Slapd;
let world: SshWorld;
let admin: Client;
beforeAll(async () => {
  slapd = await startSlapd(manyPeople(OTHERS), { policy: true });
  world = await startSshWorld();
  admin = await bearer(world.test);
  await configure({});
  await signInAll(manyPeople(OTHERS).map(({ uid }) => uid));
});
afterAll(async () => {
  await world.stop();
  await slapd.stop();
});

async function configure(more: Json): Promise<void> {
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_LDAP_SERVER_URI: slapd.url,
    AUTH_LDAP_BIND_DN: READER.dn,
    AUTH_LDAP_BIND_PASSWORD: READER.password,
    AUTH_LDAP_SEARCH_OU: `${PEOPLE}|${CONTRACTORS}`,
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    AUTH_LDAP_GROUPS_ATTR: 'memberOf',
    AUTH_LDAP_READ_MINUTES: 1_440,
    AUTH_LDAP: true,
    ...more,
  });
  expect(status, text).toBe(200);
}

/** Makes accounts of people without the cost of their sign-ins. */
const signInAll = async (names: readonly string[]) => {
  await until(
    async () => (await admin.get('settings/ldap/users/?cache_police=0')).status === 200,
    'the directory is read',
  );
  const { status, text } = await admin.post('settings/ldap/users/import/', {
    username_list: names,
  });
  expect(status, text).toBe(200);
};
/** A regular read, as the schedule starts it. */
const read = () => runHousekeeping(world.test, 'ldap-watch');
const reading = async () => (await admin.get<LdapReading>('settings/ldap/reading/')).body;
const accountOf = async (username: string) =>
  (await admin.get<Json[]>(`users/users/?username=${username}`)).body[0];
const dnOf = (uid: string) => `uid=${uid},${PEOPLE}`;
const replace = (attribute: string, ...values: string[]) =>
  new Change({
    operation: values.length > 0 ? 'replace' : 'delete',
    modification: new Attribute({ type: attribute, values }),
  });
const change = (uid: string, ...changes: Change[]) =>
  slapd.change((directory) => directory.modify(dnOf(uid), changes));

/** A person of the directory who may use the target, with a token and an SSH key. */
async function createPerson(more: Json = {}) {
  const uid = unique('li').replaceAll('-', '.');
  await slapd.change((directory) => addTo(directory, uid, more));
  expect((await signIn(uid)).status).toBe(201);
  const own = await bearer(world.test, { username: uid, password: passwordOf(uid) });
  await sql`update account set public_key = ${LAPTOP_KEY.line} where username = ${uid}`.execute(
    world.test.db,
  );
  const { rows } = await sql<{ id: string }>`
    insert into organization_member (organization_id, user_id, role)
    select ${world.organization}, id, 'User' from account where username = ${uid}
    returning user_id as id`.execute(world.test.db);
  const id = rows[0]?.id ?? '';
  const rule = {
    name: unique('rule'),
    users: [id],
    assets: [world.asset],
    system_users: [world.systemUser],
  };
  expect((await world.administrator.post('perms/asset-permissions/', rule)).status).toBe(201);
  const login = `${uid}@${world.accountName}@${world.hostname}`;
  return {
    uid,
    id,
    own,
    token: async () => (await own.get('users/profile/')).status,
    open: () => openByKey(world, login),
    account: () => accountOf(uid),
  };
}

const addTo = (directory: Directory, uid: string, more: Json) =>
  directory.add(dnOf(uid), {
    objectClass: ['inetOrgPerson'],
    uid,
    cn: `Name of ${uid}`,
    sn: uid,
    mail: `${uid}@example.com`,
    userPassword: passwordOf(uid),
    ...more,
  });
const signIn = (username: string, password = passwordOf(username)) =>
  tryToSignIn(world.test, { username, password });

describe('a person who is gone', () => {
  const ways: [string, string, (uid: string) => Promise<void>, (uid: string) => Promise<void>][] = [
    [
      'disabled for good',
      'disabled',
      (uid) => change(uid, replace('pwdAccountLockedTime', '000001010000Z')),
      (uid) => change(uid, replace('pwdAccountLockedTime')),
    ],
    [
      'deleted',
      'gone',
      (uid) => slapd.change((directory) => directory.del(dnOf(uid))),
      () => Promise.resolve(),
    ],
    [
      'moved out of the search bases',
      'gone',
      (uid) => slapd.change((directory) => directory.modifyDN(dnOf(uid), `uid=${uid},${SUFFIX}`)),
      (uid) =>
        slapd.change((directory) =>
          directory.modifyDN(`uid=${uid},${SUFFIX}`, `uid=${uid},${PEOPLE}`),
        ),
    ],
  ];

  it.each(ways)('loses session, token and key when %s', async (_, state, leave, comeBack) => {
    const person = await createPerson();
    const session = await person.open();
    expect(session).toBeDefined();
    expect(await person.token()).toBe(200);
    await leave(person.uid);
    await read();
    await session?.closed;
    expect(await person.token()).toBe(401);
    expect(await person.open()).toBeUndefined();
    expect((await signIn(person.uid)).status).toBe(400);
    expect(await person.account()).toMatchObject({ is_active: false, source_state: state });
    const needs = await admin.get<Json[]>('common/attention/');
    expect(needs.body.find(({ kind }) => kind === 'users_shut')).toMatchObject({
      examples: expect.arrayContaining([
        expect.objectContaining({ name: `Name of ${person.uid}(${person.uid})` }),
      ]),
    });
    // An administrator cannot open the account against the directory.
    const opened = await admin.patch(`users/users/${person.id}/`, { is_active: true });
    expect([opened.status, Object.keys(opened.body as Json)]).toEqual([400, ['is_active']]);
    await comeBack(person.uid);
    if (state === 'gone' && leave === ways[1]?.[2]) return;
    await read();
    expect(await person.account()).toMatchObject({ is_active: true, source_state: 'listed' });
    const again = await person.open();
    expect(again).toBeDefined();
    again?.close();
  });

  it('keeps the work of a person after wrong passwords locked the entry, and refuses new sign-ins', async () => {
    const person = await createPerson();
    const session = await person.open();
    for (let round = 0; round < 4; round++)
      await slapd
        .change((directory) => directory.bind(dnOf(person.uid), 'wrong'))
        .catch(() => undefined);
    await read();
    expect(await person.account()).toMatchObject({ is_active: true, source_state: 'locked' });
    expect([await person.token(), await person.open()]).toEqual([200, undefined]);
    await change(person.uid, replace('pwdAccountLockedTime'));
    await read();
    const again = await person.open();
    expect(again).toBeDefined();
    again?.close();
    session?.close();
  });

  it('stays disabled when an administrator disabled the account here', async () => {
    const person = await createPerson();
    expect((await admin.patch(`users/users/${person.id}/`, { is_active: false })).status).toBe(200);
    await change(person.uid, replace('pwdAccountLockedTime', '000001010000Z'));
    await read();
    await change(person.uid, replace('pwdAccountLockedTime'));
    await read();
    expect(await person.account()).toMatchObject({ is_active: false, source_state: 'listed' });
  });

  it('follows a person with a new name and a new place, and refuses a new one with the old name', async () => {
    const person = await createPerson();
    const renamed = `${person.uid}.new`;
    await slapd.change((directory) =>
      directory.modifyDN(dnOf(person.uid), `uid=${renamed},${CONTRACTORS}`),
    );
    await slapd.change((directory) => addTo(directory, person.uid, { mail: 'x@example.com' }));
    await read();
    expect(await person.account()).toMatchObject({ is_active: true, source_state: 'listed' });
    expect((await signIn(person.uid)).body).toMatchObject({ error: 'directory_other_person' });
    expect((await signIn(renamed, passwordOf(person.uid))).status).toBe(201);
    expect(await accountOf(renamed)).toMatchObject({ id: person.id, is_active: true });
  });

  it('becomes an inactive account when imported', async () => {
    const uid = unique('li').replaceAll('-', '.');
    await slapd.change((directory) => addTo(directory, uid, {}));
    await change(uid, replace('pwdAccountLockedTime', '000001010000Z'));
    await signInAll([uid]);
    expect(await accountOf(uid)).toMatchObject({ is_active: false, source_state: 'disabled' });
    await change(uid, replace('pwdAccountLockedTime'));
    expect((await signIn(uid)).status).toBe(201);
    expect(await accountOf(uid)).toMatchObject({ is_active: true, source_state: 'listed' });
  });
});

describe('the last group', () => {
  it('loses its membership here at a sign-in, and by a read', async () => {
    const groupDn = `cn=${unique('ops')},${SUFFIX}`;
    const [first, second] = [await createPerson(), await createPerson()];
    await slapd.change((directory) =>
      directory.add(groupDn, {
        objectClass: ['groupOfNames'],
        member: [dnOf(first.uid), dnOf(second.uid), `cn=policy,${SUFFIX}`],
      }),
    );
    const group = await admin.post<Json>('users/groups/', { name: unique('group') });
    const mapping = await admin.post('users/group-mappings/', {
      name: unique('mapping'),
      source: 'ldap',
      provider_group: groupDn,
      is_active: true,
      user_groups: [group.body.id],
    });
    expect([mapping.status, mapping.text]).toEqual([201, expect.any(String)]);
    const members = async () =>
      (
        await sql<{ username: string }>`
          select a.username from user_group_users u join account a on a.id = u.user_id
          where u.user_group_id = ${String(group.body.id)}::uuid order by 1`.execute(world.test.db)
      ).rows.map(({ username }) => username);
    await read();
    expect(await members()).toEqual([first.uid, second.uid].toSorted());
    const leave = (uid: string) =>
      slapd.change((directory) =>
        directory.modify(groupDn, [
          new Change({
            operation: 'delete',
            modification: new Attribute({ type: 'member', values: [dnOf(uid)] }),
          }),
        ]),
      );
    await leave(first.uid);
    expect((await signIn(first.uid)).status).toBe(201);
    expect(await members()).toEqual([second.uid]);
    // The directory then sends no group for any user.
    await leave(second.uid);
    await read();
    expect(await members()).toEqual([]);
  });
});

it('gets the groups of its groups of an OpenLDAP directory when the setting says so', async () => {
  const { uid } = await createPerson();
  const [inner, outer] = ['inner', 'outer'].map((name) => `cn=${unique(name)},${SUFFIX}`);
  await slapd.change(async (directory) => {
    for (const [dn, member] of [
      [inner, dnOf(uid)],
      [outer, inner],
    ])
      await directory.add(String(dn), { objectClass: ['groupOfNames'], member: String(member) });
  });
  const seen = async () => {
    const { rows } = await sql<{ groups: string[] }>`
      select p.groups from provider_groups p join account a on a.id = p.user_id
      where a.username = ${uid}`.execute(world.test.db);
    return rows[0]?.groups;
  };
  await read();
  expect(await seen()).toEqual([inner]);
  await configure({ AUTH_LDAP_NESTED_GROUPS: true });
  await read();
  expect(await seen()).toEqual([inner, outer]);
  // A group that the bind DN cannot find contains nothing.
  await slapd.change((directory) => directory.del(String(outer)));
  expect((await signIn(uid)).status).toBe(201);
  expect(await seen()).toEqual([inner]);
  await configure({ AUTH_LDAP_NESTED_GROUPS: false });
});

describe('a read that would shut many people', () => {
  const gone = manyPeople(OTHERS)
    .slice(0, 8)
    .map(({ uid }) => uid);
  const active = async () =>
    (
      await sql<{ count: number }>`select count(*)::int from account
        where username = any (${gone}::text[]) and is_active`.execute(world.test.db)
    ).rows[0]?.count;

  it('changes nothing until an administrator confirms it', async () => {
    for (const uid of gone) await change(uid, replace('pwdAccountLockedTime', '000001010000Z'));
    await read();
    expect(await active()).toBe(gone.length);
    const { held } = await reading();
    expect(held).toMatchObject({ count: 8 });
    expect(held?.people.map(({ username }) => username)).toEqual(expect.arrayContaining(gone));
    const needs = await admin.get<Json[]>('common/attention/');
    expect(needs.body.find(({ kind }) => kind === 'directory_held')).toMatchObject({ count: 8 });
    const confirm = (id: unknown) => admin.post('settings/ldap/reading/confirm/', { reading: id });
    expect((await confirm('6f1c1e0a-2b3d-4c5e-8f90-123456789abc')).status).toBe(409);
    expect(await active()).toBe(gone.length);
    // The same people keep the id, so that a read between look and decision does not matter.
    await read();
    expect((await confirm(held?.id)).body).toEqual({ ended: 8 });
    expect([await active(), (await reading()).held]).toEqual([0, null]);
    for (const uid of gone) await change(uid, replace('pwdAccountLockedTime'));
    await read();
    expect(await active()).toBe(gone.length);
  });

  it('changes nothing for one person when base or filter changed', async () => {
    await read();
    await configure({ AUTH_LDAP_SEARCH_FILTER: '(&(uid=%(user)s)(!(uid=person0001)))' });
    await read();
    expect((await accountOf('person0001'))?.is_active).toBe(true);
    expect((await reading()).held).toMatchObject({ count: 1 });
    await configure({});
    await read();
    expect((await reading()).held).toBeNull();
  });

  it('fails, and needs attention from the second failure on, when it cannot be complete', async () => {
    const failing: Json[] = [
      { AUTH_LDAP_BIND_PASSWORD: 'not it' },
      { AUTH_LDAP_SEARCH_FILTER: '(employeeNumber=%(user)s)' },
      { AUTH_LDAP_SEARCH_OU: `${PEOPLE}|ou=nowhere,${SUFFIX}` },
      { AUTH_LDAP_SERVER_URI: 'ldap://127.0.0.1:1', AUTH_LDAP_BIND_PASSWORD: READER.password },
    ];
    const unread = async () =>
      (await admin.get<Json[]>('common/attention/')).body.some(
        ({ kind }) => kind === 'directory_unread',
      );
    for (const [index, change] of failing.entries()) {
      await configure(change);
      await expect(read()).rejects.toThrow('directory_failed');
      expect([await unread(), await active()]).toEqual([index > 0, gone.length]);
    }
    expect((await reading()).failing_since).not.toBeNull();
    await configure({});
    await read();
    expect([await unread(), (await reading()).failing_since]).toEqual([false, null]);
  });
});
