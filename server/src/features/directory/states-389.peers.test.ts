import { Attribute, Change } from 'ldapts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping } from '../../testing/jobs.ts';
import {
  type Directory389,
  dn389,
  MANAGER_389,
  PEOPLE_389,
  password389,
  startDirectory389,
} from '../../testing/services/directory-389.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { LAPTOP_KEY, openByKey } from '../../testing/ssh/key-session.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

const ELSEWHERE = `ou=gone,${PEOPLE_389.replace(/^ou=people,/, '')}`;
/** Roles of inactivation, as the tools of earlier versions make them. */
const INACTIVE = `cn=inactive,${PEOPLE_389}`;

let directory: Directory389;
let world: SshWorld;
let admin: Client;
beforeAll(async () => {
  [directory, world] = await Promise.all([startDirectory389(), startSshWorld()]);
  admin = await bearer(world.test);
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_LDAP_SERVER_URI: directory.url,
    AUTH_LDAP_BIND_DN: MANAGER_389.dn,
    AUTH_LDAP_BIND_PASSWORD: MANAGER_389.password,
    AUTH_LDAP_SEARCH_OU: PEOPLE_389,
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    AUTH_LDAP_READ_MINUTES: 1_440,
    AUTH_LDAP: true,
  });
  expect(status, text).toBe(200);
  await directory.change(async (client) => {
    await client.add(ELSEWHERE, { objectClass: 'organizationalUnit', ou: 'gone' });
    await client.add(INACTIVE, {
      objectClass: ['nsRoleDefinition', 'nsSimpleRoleDefinition', 'nsManagedRoleDefinition'],
      cn: 'inactive',
    });
    const container = `cn=inactivation,${PEOPLE_389}`;
    await client.add(container, { objectClass: 'nsContainer', cn: 'inactivation' });
    await client.add(`cn="${INACTIVE}",${container}`, {
      objectClass: ['extensibleObject', 'costemplate'],
      cn: INACTIVE,
      cosPriority: '1',
      nsAccountLock: 'true',
    });
    await client.add(`cn=inactivation_cos,${PEOPLE_389}`, {
      objectClass: ['cosSuperDefinition', 'cosClassicDefinition'],
      cn: 'inactivation_cos',
      cosTemplateDn: container,
      cosSpecifier: 'nsRole',
      cosAttribute: 'nsAccountLock operational',
    });
  });
});
afterAll(async () => {
  await world?.stop();
  await directory?.stop();
});

const read = () => runHousekeeping(world.test, 'ldap-watch');

/** A person of the directory with a token, an SSH key, and a permission for the target. */
async function createPerson() {
  const uid = unique('li').replaceAll('-', '.');
  await directory.add(uid);
  const own = await bearer(world.test, { username: uid, password: password389(uid) });
  const { rows } = await sql<{ id: string }>`
    update account set public_key = ${LAPTOP_KEY.line} where username = ${uid}
    returning id`.execute(world.test.db);
  const id = rows[0]?.id ?? '';
  await sql`
    insert into organization_member (organization_id, user_id, role)
    values (${world.organization}, ${id}, 'User')`.execute(world.test.db);
  const rule = {
    name: unique('rule'),
    users: [id],
    assets: [world.asset],
    system_users: [world.systemUser],
  };
  expect((await world.administrator.post('perms/asset-permissions/', rule)).status).toBe(201);
  return {
    uid,
    token: async () => (await own.get('users/profile/')).status,
    open: () => openByKey(world, `${uid}@${world.accountName}@${world.hostname}`),
    account: async () => (await admin.get<Json>(`users/users/${id}/`)).body,
  };
}

const set = (uid: string, values: Readonly<Record<string, string>>) =>
  directory.replace(dn389(uid), values);
const move = (uid: string, from: string, to: string) =>
  directory.change((client) => client.modifyDN(`uid=${uid},${from}`, `uid=${uid},${to}`));

const added = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(
    ([type, value]) =>
      new Change({
        operation: 'add',
        modification: new Attribute({ type, values: [value] }),
      }),
  );

// Measured with 389 Directory Server 2.3.1.
const LEAVING: readonly {
  readonly how: string;
  readonly state: string;
  readonly leave: (uid: string) => Promise<unknown>;
  readonly comeBack?: (uid: string) => Promise<unknown>;
}[] = [
  {
    how: 'locked by its administrator',
    state: 'disabled',
    leave: (uid) => set(uid, { nsAccountLock: 'TRUE' }),
    comeBack: (uid) => set(uid, { nsAccountLock: 'false' }),
  },
  {
    how: 'given the role of inactive users',
    state: 'disabled',
    leave: (uid) => set(uid, { nsRoleDN: INACTIVE }),
  },
  {
    how: 'expired in the attributes of RFC 2307',
    state: 'expired',
    leave: (uid) =>
      directory.change((client) =>
        client.modify(dn389(uid), added({ objectClass: 'shadowAccount', shadowExpire: '1' })),
      ),
  },
  {
    how: 'deleted',
    state: 'gone',
    leave: (uid) => directory.change((client) => client.del(dn389(uid))),
  },
  {
    how: 'moved out of the search base',
    state: 'gone',
    leave: (uid) => move(uid, PEOPLE_389, ELSEWHERE),
    comeBack: (uid) => move(uid, ELSEWHERE, PEOPLE_389),
  },
];

it.each(LEAVING)(
  'loses session, token and key with the next read when $how',
  async ({ state, leave, comeBack }) => {
    const person = await createPerson();
    const session = await person.open();
    expect([session !== undefined, await person.token()]).toEqual([true, 200]);
    await leave(person.uid);
    await read();
    await session?.closed;
    expect([await person.token(), await person.open()]).toEqual([401, undefined]);
    expect(await person.account()).toMatchObject({ is_active: false, source_state: state });
    if (!comeBack) return;
    await comeBack(person.uid);
    await read();
    expect(await person.account()).toMatchObject({ is_active: true, source_state: 'listed' });
    const again = await person.open();
    expect(again).toBeDefined();
    again?.close();
  },
);

it('keeps the sessions of a user with a locked entry and of one who must change the password', async () => {
  const [locked, late] = [await createPerson(), await createPerson()];
  const sessions = [await locked.open(), await late.open()];
  await directory.replace('cn=config', { passwordLockout: 'on', passwordMaxFailure: '3' });
  for (let round = 0; round < 3; round++)
    await tryToSignIn(world.test, { username: locked.uid, password: 'wrong' });
  await set(late.uid, { passwordExpirationTime: '20200101000000Z' });
  await read();
  for (const [person, state] of [
    [locked, 'locked'],
    [late, 'must_change'],
  ] as const) {
    expect(await person.account()).toMatchObject({ is_active: true, source_state: state });
    expect([await person.token(), await person.open()]).toEqual([200, undefined]);
  }
  for (const session of sessions) session?.close();
});

it('keeps the account of a user with a new name', async () => {
  const person = await createPerson();
  const renamed = `${person.uid}.new`;
  await directory.change((client) =>
    client.modifyDN(dn389(person.uid), `uid=${renamed},${PEOPLE_389}`),
  );
  await read();
  expect(await person.account()).toMatchObject({ is_active: true, source_state: 'listed' });
  const signedIn = await tryToSignIn(world.test, {
    username: renamed,
    password: password389(person.uid),
  });
  expect(signedIn.status, signedIn.text).toBe(201);
  expect(await person.account()).toMatchObject({ username: renamed });
});
