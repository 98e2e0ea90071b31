import { Client as Directory } from 'ldapts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping } from '../../testing/jobs.ts';
import {
  AD_ADMINISTRATOR,
  AD_PASSWORD,
  AD_SUFFIX,
  type SambaAd,
  startSambaAd,
} from '../../testing/services/samba-ad.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { LAPTOP_KEY, openByKey } from '../../testing/ssh/key-session.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

const USERS = `CN=Users,${AD_SUFFIX}`;
let samba: SambaAd;
let world: SshWorld;
let admin: Client;
beforeAll(async () => {
  [samba, world] = await Promise.all([startSambaAd(), startSshWorld()]);
  admin = await bearer(world.test);
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_LDAP_SERVER_URI: samba.url,
    AUTH_LDAP_BIND_DN: AD_ADMINISTRATOR,
    AUTH_LDAP_BIND_PASSWORD: AD_PASSWORD,
    AUTH_LDAP_SEARCH_OU: USERS,
    AUTH_LDAP_SEARCH_FILTER: '(&(objectClass=user)(sAMAccountName=%(user)s))',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'sAMAccountName', name: 'cn', email: 'mail' },
    AUTH_LDAP_GROUPS_ATTR: 'memberOf',
    AUTH_LDAP_READ_MINUTES: 1_440,
    AUTH_LDAP: true,
  });
  expect(status, text).toBe(200);
  await samba.tool('domain', 'passwordsettings', 'set', '--account-lockout-threshold=3');
  await samba.tool('ou', 'create', `OU=gone,${AD_SUFFIX}`);
});
afterAll(async () => {
  await world?.stop();
  await samba?.stop();
});

const read = () => runHousekeeping(world.test, 'ldap-watch');
const signIn = (username: string, password = AD_PASSWORD) =>
  tryToSignIn(world.test, { username, password });

/** A user of the domain with a token, an SSH key, and a permission for the target. */
async function createUser() {
  const uid = unique('li').replaceAll('-', '').slice(0, 18);
  await samba.tool('user', 'create', uid, AD_PASSWORD, `--mail-address=${uid}@example.com`);
  const own = await bearer(world.test, { username: uid, password: AD_PASSWORD });
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
    id,
    token: async () => (await own.get('users/profile/')).status,
    open: (name = uid) => openByKey(world, `${name}@${world.accountName}@${world.hostname}`),
    account: async () => (await admin.get<Json>(`users/users/${id}/`)).body,
  };
}

// Measured with Samba 4.17.12 as a domain controller.
describe('a user of Active Directory', () => {
  const ways: [string, string, string, (uid: string) => string[], (uid: string) => string[]][] = [
    [
      'disabled',
      'disabled',
      'source_disabled',
      (uid) => ['user', 'disable', uid],
      (uid) => ['user', 'enable', uid],
    ],
    [
      'expired',
      'expired',
      'source_expired',
      (uid) => ['user', 'setexpiry', uid, '--days=0'],
      (uid) => ['user', 'setexpiry', uid, '--noexpiry'],
    ],
    ['deleted', 'gone', 'password_failed', (uid) => ['user', 'delete', uid], () => []],
    [
      'moved out of the search base',
      'gone',
      'password_failed',
      (uid) => ['user', 'move', uid, `OU=gone,${AD_SUFFIX}`],
      (uid) => ['user', 'move', uid, USERS],
    ],
  ];

  it.each(ways)(
    'loses session, token and key with the next read when %s',
    async (_, state, error, leave, comeBack) => {
      const user = await createUser();
      const session = await user.open();
      expect([session !== undefined, await user.token()]).toEqual([true, 200]);
      await samba.tool(...leave(user.uid));
      expect((await signIn(user.uid)).body).toMatchObject({ error });
      await read();
      await session?.closed;
      expect([await user.token(), await user.open()]).toEqual([401, undefined]);
      expect(await user.account()).toMatchObject({ is_active: false, source_state: state });
      const back = comeBack(user.uid);
      if (back.length === 0) return;
      await samba.tool(...back);
      await read();
      expect(await user.account()).toMatchObject({ is_active: true, source_state: 'listed' });
      const again = await user.open();
      expect(again).toBeDefined();
      again?.close();
    },
  );

  it('keeps the session when locked, and signs in with no key and no password', async () => {
    const user = await createUser();
    const session = await user.open();
    const directory = new Directory({ url: samba.url });
    for (let round = 0; round < 3; round++)
      await directory.bind(`${user.uid}@ad.example.com`, 'wrong').catch(() => undefined);
    await directory.unbind();
    expect((await signIn(user.uid)).body).toMatchObject({ error: 'source_locked' });
    await read();
    expect(await user.account()).toMatchObject({ is_active: true, source_state: 'locked' });
    expect([await user.token(), await user.open()]).toEqual([200, undefined]);
    session?.close();
  });

  it('refuses a user who must change the password, and keeps the account under a new name', async () => {
    const user = await createUser();
    const must = ['user', 'setpassword', user.uid, `--newpassword=${AD_PASSWORD}y`];
    await samba.tool(...must, '--must-change-at-next-login');
    const refused = await signIn(user.uid, `${AD_PASSWORD}y`);
    expect(refused.body).toMatchObject({ error: 'source_must_change' });
    await samba.tool(...must.slice(0, 3), `--newpassword=${AD_PASSWORD}z`);
    const renamed = `${user.uid}n`;
    await samba.tool('user', 'rename', user.uid, `--samaccountname=${renamed}`);
    await read();
    expect(await user.account()).toMatchObject({ is_active: true, source_state: 'listed' });
    expect((await signIn(renamed, `${AD_PASSWORD}z`)).status).toBe(201);
    expect(await user.account()).toMatchObject({ username: renamed });
    const session = await user.open(renamed);
    expect(session).toBeDefined();
    session?.close();
  });

  it('loses a membership with the last group', async () => {
    const user = await createUser();
    const name = unique('ops').replaceAll('-', '');
    await samba.tool('group', 'add', name);
    await samba.tool('group', 'addmembers', name, user.uid);
    const group = (await admin.post<Json>('users/groups/', { name })).body.id;
    const mapping = await admin.post('users/group-mappings/', {
      name,
      source: 'ldap',
      provider_group: `cn=${name},${USERS}`,
      is_active: true,
      user_groups: [group],
    });
    expect([mapping.status, mapping.text]).toEqual([201, expect.any(String)]);
    const members = async () =>
      (await admin.get<Json>(`users/groups/${String(group)}/`)).body.users_amount;
    await read();
    expect(await members()).toBe(1);
    await samba.tool('group', 'removemembers', name, user.uid);
    expect((await signIn(user.uid)).status).toBe(201);
    expect(await members()).toBe(0);
  });

  it('gets the groups of its groups and the primary group when the setting says so', async () => {
    const user = await createUser();
    const [inner, middle, outer] = ['inner', 'middle', 'outer'].map((name) =>
      unique(name).replaceAll('-', ''),
    ) as [string, string, string];
    for (const name of [inner, middle, outer]) await samba.tool('group', 'add', name);
    await samba.tool('group', 'addmembers', inner, user.uid);
    await samba.tool('group', 'addmembers', middle, inner);
    await samba.tool('group', 'addmembers', outer, middle);
    // Active Directory allows groups that contain each other.
    await samba.tool('group', 'addmembers', inner, outer);
    const mapTo = async (providerGroup: string) => {
      const name = unique('nested');
      const group = String((await admin.post<Json>('users/groups/', { name })).body.id);
      const body = { name, source: 'ldap', provider_group: providerGroup, user_groups: [group] };
      const saved = await admin.post('users/group-mappings/', { ...body, is_active: true });
      expect(saved.status, saved.text).toBe(201);
      return async () =>
        (await admin.get<{ users: string[] }>(`users/groups/${group}/`)).body.users.includes(
          user.id,
        );
    };
    const inOuter = await mapTo(`cn=${outer},${USERS}`);
    const inPrimary = await mapTo(`CN=Domain Users,${USERS}`);
    // Users is a group of the domain that contains Domain Users.
    const inUsers = await mapTo(`CN=Users,CN=Builtin,${AD_SUFFIX}`);
    const membership = () => Promise.all([inOuter(), inPrimary(), inUsers()]);
    const useNested = (isOn: boolean) =>
      admin.patch('settings/setting/', { AUTH_LDAP_NESTED_GROUPS: isOn });

    await signIn(user.uid);
    expect(await membership()).toEqual([false, false, false]);
    await useNested(true);
    await signIn(user.uid);
    expect(await membership()).toEqual([true, true, true]);
    await samba.tool('group', 'removemembers', outer, middle);
    await read();
    expect(await membership()).toEqual([false, true, true]);
    await samba.tool('group', 'addmembers', outer, middle);
    await read();
    expect(await membership()).toEqual([true, true, true]);
    await useNested(false);
    await read();
    expect(await membership()).toEqual([false, false, false]);
  });
});
