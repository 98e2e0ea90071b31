import { readFileSync } from 'node:fs';
import { type DirectoryTest, ERRORS, type LdapImport, type LdapUser } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import {
  CONTRACTORS,
  manyPeople,
  PEOPLE,
  passwordOf,
  READER,
  type Slapd,
  startSlapd,
} from '../../testing/services/slapd.ts';
import { bearer, browser, tryToSignIn } from '../../testing/sign-in.ts';
import { whileRefused } from '../../testing/sign-in-rule.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const SETTINGS = 'settings/setting/';
const ODD = [
  { uid: 'li.wei', cn: '李伟', mail: 'li.wei@example.com', groups: ['Ops', '运维 (组)*'] },
  { uid: 'no.mail', cn: 'No Mail' },
  { uid: 'same.mail', mail: 'PERSON0001@example.com' },
  { uid: 'bad name!', mail: 'bad@example.com' },
  { uid: 'twice', mail: 'twice1@example.com' },
  { uid: 'twice', mail: 'twice2@example.com', base: CONTRACTORS },
  { uid: 'colleague', mail: 'colleague@elsewhere.example.com' },
  { uid: 'ADMIN', mail: 'admin@elsewhere.example.com' },
  { uid: 'by.mail@example.com', mail: 'by.mail.2@example.com' },
  { uid: 'wang.fang', cn: 'Wang Fang', mail: 'by.mail@example.com' },
];

let slapd: Slapd;
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  slapd = await startSlapd([...manyPeople(2_000), ...ODD]);
  test = await startTestProgram({ ldapCaFile: slapd.certificates.authority });
  admin = await bearer(test);
  await admin.put(SETTINGS, { ldap: form() });
});
afterAll(async () => {
  await test.stop();
  await slapd.stop();
});

const form = (more: Json = {}): Json => ({
  AUTH_LDAP_SERVER_URI: slapd.url,
  AUTH_LDAP_START_TLS: true,
  AUTH_LDAP_BIND_DN: READER.dn,
  AUTH_LDAP_BIND_PASSWORD: READER.password,
  AUTH_LDAP_SEARCH_OU: `${PEOPLE} | ${CONTRACTORS}`,
  AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
  AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
  AUTH_LDAP: true,
  ...more,
});
const accountOf = async (username: string) =>
  (await admin.get<Json[]>(`users/users/?username=${encodeURIComponent(username)}`)).body[0];
const signIn = (username: string, password = passwordOf(username)) =>
  tryToSignIn(test, { username, password });
const import_ = (names: string[]) =>
  admin.post<LdapImport>('settings/ldap/users/import/', { username_list: names });
const resultOf = async (name: string) => (await import_([name])).body.results[0];
const listed = async (query = '') => {
  await until(
    async () => (await admin.get('settings/ldap/users/?limit=1')).status === 200,
    'the directory was read',
  );
  return (await admin.get<Page<LdapUser>>(`settings/ldap/users/?limit=10&${query}`)).body;
};

describe('the test of the settings', () => {
  it('reads the directory with the values of the form and reports every step', async () => {
    const { status, body } = await admin.post<DirectoryTest>(
      'settings/ldap/testing/config/?detail=1',
      form(),
    );
    expect([status, body.msg]).toEqual([200, '2,010 users were found.']);
    expect(body.steps.map(({ label, ok }) => [label, ok])).toEqual(
      ['Connection', 'Encryption', 'Bind', 'Search', 'Match'].map((label) => [label, true]),
    );
    const chinese = await admin
      .with({ 'accept-language': 'zh' })
      .post<DirectoryTest>('settings/ldap/testing/config/?detail=1', form({ AUTH_LDAP: false }));
    expect(chinese.body.msg).toContain('匹配到 2,010 个用户。 未启用');
    const text = JSON.stringify(form().AUTH_LDAP_USER_ATTR_MAP);
    expect(
      (
        await admin.post(
          'settings/ldap/testing/config/?detail=1',
          form({ AUTH_LDAP_USER_ATTR_MAP: text }),
        )
      ).status,
    ).toBe(200);
  });

  it('reports the failed step without the password', async () => {
    const { status, body, text } = await admin.post<DirectoryTest & { code: string }>(
      'settings/ldap/testing/config/?detail=1',
      form({ AUTH_LDAP_BIND_PASSWORD: 'not it hunter3' }),
    );
    expect([status, body.code, body.msg]).toEqual([
      400,
      'directory_failed',
      expect.stringMatching(/^Bind failed: .*credentials/i),
    ]);
    expect(body.steps.at(-1)).toMatchObject({ step: 'bind', ok: false });
    expect(text + test.log()).not.toContain('hunter');
    for (const wrong of ['{', '[]', { username: 'uid', role: 'title' }, { username: 1 }])
      expect(
        Object.keys(
          (
            await admin.post(
              'settings/ldap/testing/config/?detail=1',
              form({ AUTH_LDAP_USER_ATTR_MAP: wrong }),
            )
          ).body,
        ),
      ).toEqual(['AUTH_LDAP_USER_ATTR_MAP']);
  });

  it('answers existing clients with one sentence, on success and failure', async () => {
    const good = await admin.post<unknown>('settings/ldap/testing/config/', form());
    expect([good.status, good.body]).toEqual([200, '2,010 users were found.']);
    const bad = await admin.post<unknown>(
      'settings/ldap/testing/config/',
      form({ AUTH_LDAP_BIND_PASSWORD: 'not it' }),
    );
    expect([bad.status, bad.body, bad.headers.get('x-error-code')]).toEqual([
      400,
      expect.stringMatching(/^Bind failed/),
      'directory_failed',
    ]);
    const login = await admin.post<unknown>('settings/ldap/testing/login/', {
      username: 'li.wei',
      password: 'wrong',
    });
    expect([login.status, typeof login.body]).toEqual([400, 'string']);
  });

  it('sends the stored password only to its directory, with the same protection', async () => {
    const { AUTH_LDAP_BIND_PASSWORD: _, ...blank } = form();
    expect((await admin.post('settings/ldap/testing/config/?detail=1', blank)).status).toBe(200);
    for (const change of [
      { AUTH_LDAP_SERVER_URI: 'ldap://127.0.0.1:1' },
      { AUTH_LDAP_BIND_DN: 'cn=other' },
      { AUTH_LDAP_START_TLS: false },
    ]) {
      const { status, body } = await admin.post('settings/ldap/testing/config/?detail=1', {
        ...blank,
        ...change,
      });
      expect([status, Object.keys(body)]).toEqual([400, ['AUTH_LDAP_BIND_PASSWORD']]);
    }
  });

  it('tests a sign-in with the flow of a sign-in', async () => {
    const login = (username: string, password: string) =>
      admin.post<DirectoryTest>('settings/ldap/testing/login/?detail=1', { username, password });
    const good = await login('li.wei', passwordOf('li.wei'));
    expect([good.status, good.body.steps.at(-1)?.step]).toEqual([200, 'user_bind']);
    expect(await accountOf('li.wei')).toBeUndefined();
    const wrong = await login('li.wei', 'wrong hunter4');
    expect([wrong.status, wrong.body.steps.at(-1)?.step]).toEqual([400, 'user_bind']);
    expect(wrong.text + test.log()).not.toContain('hunter4');
    await admin.patch(SETTINGS, { AUTH_LDAP: false });
    expect((await login('li.wei', passwordOf('li.wei'))).body).toMatchObject({
      code: 'directory_disabled',
    });
    expect((await signIn('li.wei')).status).toBe(400);
    await admin.patch(SETTINGS, { AUTH_LDAP: true });
  });

  it('allows super administrators only', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    for (const path of ['testing/config/', 'testing/login/', 'users/import/'])
      expect((await auditor.post(`settings/ldap/${path}`, {})).status).toBe(403);
    for (const path of ['users/', 'cache/refresh/'])
      expect((await auditor.get(`settings/ldap/${path}`)).status).toBe(403);
  });
});

describe('the list of people', () => {
  it('reads the people once, then searches, sorts and pages them', async () => {
    const first = await admin.get<Json>('settings/ldap/users/?limit=5');
    expect([first.status, first.body.code]).toEqual([409, 'directory_reading']);
    expect(await listed()).toMatchObject({ count: 2_010 });
    const search = await listed('search=Person%2019&order=-username');
    expect(search).toMatchObject({ count: 111 });
    expect(search.results[0]).toEqual({
      id: 'person1999',
      username: 'person1999',
      name: 'Person 1999',
      email: 'person1999@example.com',
      existing: false,
    });
    expect(search.next).toContain('offset=10');
    expect(await listed('search=李伟')).toMatchObject({ count: 1 });
    // By default, `existing` sorts first: the name of the administrator is taken.
    expect((await listed('order=-existing')).results[0]).toMatchObject({
      username: 'ADMIN',
      existing: true,
    });
    expect((await admin.get('settings/ldap/users/?order=dn')).status).toBe(400);
    expect((await admin.get('settings/ldap/users/?search=%00')).status).toBe(400);
  });

  it('empties the cache on request and when the settings change', async () => {
    expect((await admin.get('settings/ldap/cache/refresh/')).status).toBe(200);
    expect((await listed()).count).toBe(2_010);
    await admin.patch(SETTINGS, { AUTH_LDAP_SEARCH_OU: CONTRACTORS });
    expect((await import_([])).body).toMatchObject({ code: 'directory_not_read' });
    expect((await listed()).count).toBe(501);
    await admin.patch(SETTINGS, { AUTH_LDAP_SEARCH_OU: `${PEOPLE} | ${CONTRACTORS}` });
    expect((await admin.get<LdapUser[]>('settings/ldap/users/?cache_police=0')).body).toHaveLength(
      2_010,
    );
  });

  it('returns the job that reads, which an administrator can watch', async () => {
    const { body } = await admin.get<Json>('settings/ldap/cache/refresh/');
    const job = await admin.get<Json>(`common/jobs/${body.job}/`);
    expect([job.status, job.body.name, job.body.subject]).toEqual([200, 'ldap-read', slapd.url]);
    expect((await listed()).count).toBe(2_010);
    // The list exists shortly before its job ends.
    const state = async () => (await admin.get<Json>(`common/jobs/${body.job}/`)).body;
    await until(
      async () => !['queued', 'running'].includes(String((await state()).state)),
      'the job is over',
    );
    expect(await state()).toMatchObject({ state: 'succeeded', done: 2_010 });
  });

  it('reads again on request although a server was lost during the last read', async () => {
    // A run of a lost server: it blocks the only place until its lease ends.
    const { rows } = await sql<{ id: string }>`
      update jobs.job set state = 'active', completed_on = null, started_on = now(),
        heartbeat_on = now()
      where id = (select id from jobs.job where name = 'ldap-read' order by created_on desc limit 1)
        returning id`.execute(test.db);
    expect((await admin.get<Json>('settings/ldap/users/')).body).toMatchObject({
      code: 'directory_reading',
      job: rows[0]?.id,
    });
    await admin.get('settings/ldap/cache/refresh/');
    expect((await listed()).count).toBe(2_010);
  });

  it('reports why reading failed', async () => {
    await admin.patch(SETTINGS, {
      AUTH_LDAP_BIND_DN: 'cn=nobody,dc=example,dc=com',
      AUTH_LDAP_BIND_PASSWORD: READER.password,
    });
    const answer = async () => admin.get<Json>('settings/ldap/users/');
    await until(async () => (await answer()).status === 400, 'reading has failed');
    expect((await answer()).body).toMatchObject({
      code: 'directory_failed',
      msg: expect.stringMatching(/credentials/i),
    });
    await admin.patch(SETTINGS, {
      AUTH_LDAP_BIND_DN: READER.dn,
      AUTH_LDAP_BIND_PASSWORD: READER.password,
    });
    expect((await listed()).count).toBe(2_010);
  });
});

describe('taking people over', () => {
  it('returns a result for each person, including unknown and invalid ones', async () => {
    await buildUser(test.db, { username: 'colleague' });
    await listed();
    const { status, body } = await import_([
      ...new Set(ODD.map(({ uid }) => uid)),
      'person0001',
      'nobody',
    ]);
    expect(status).toBe(200);
    const results = Object.fromEntries(
      body.results.map(({ username, result, reason }) => [username, reason || result]),
    );
    expect(results).toEqual({
      'li.wei': 'created',
      'no.mail': 'created',
      person0001: 'created',
      'same.mail': 'The email address belongs to another account.',
      'bad name!': ERRORS.directory_username.en,
      twice: 'The directory lists several users with this name.',
      colleague: 'An account with this name exists but does not come from the directory.',
      ADMIN: 'An account with this name exists but does not come from the directory.',
      'by.mail@example.com': 'created',
      'wang.fang': 'created',
      nobody: 'The directory has no entry with this name.',
    });
    expect(body.msg).toMatch(/^5 created, 0 updated, 7 rejected/);
    expect(await accountOf('li.wei')).toMatchObject({
      name: '李伟',
      email: 'li.wei@example.com',
      source: 'ldap',
      role: 'User',
      created_by: 'LDAP',
    });
    expect(await accountOf('no.mail')).toMatchObject({ email: 'no.mail@localhost' });
    expect(await accountOf('colleague')).toMatchObject({ source: 'local' });
    const log = await admin.get<Page>('audits/operate-logs/?limit=10&search=wang.fang');
    expect(log.body.results[0]).toMatchObject({
      action: 'create',
      resource: 'Wang Fang(wang.fang)',
      user: 'Administrator(admin)',
    });
  });

  it('updates existing accounts', async () => {
    expect(await resultOf('li.wei')).toEqual({
      username: 'li.wei',
      result: 'unchanged',
      reason: '',
    });
    await sql`update account set name = 'Old', email = 'old@example.com', is_active = false,
      role = 'Auditor' where username = 'li.wei'`.execute(test.db);
    expect(await resultOf('li.wei')).toMatchObject({ result: 'updated' });
    // Decisions of an administrator are kept.
    expect(await accountOf('li.wei')).toMatchObject({
      name: '李伟',
      email: 'li.wei@example.com',
      is_active: false,
      role: 'Auditor',
    });
    await sql`update account set is_active = true, role = 'User' where username = 'li.wei'`.execute(
      test.db,
    );
  });

  it('imports all people if the list of usernames is empty', async () => {
    const { status, body } = await import_([]);
    expect([status, body.results.length]).toEqual([200, 2_010]);
    expect(body.results.filter(({ result }) => result === 'created')).toHaveLength(1_999);
    expect((await listed('order=-existing')).results[0]).toMatchObject({ existing: true });
  });
});

describe('signing in', () => {
  it('gives the user groups that mappings name for the values of an attribute', async () => {
    // The values are no names of entries, so no group contains them.
    const groups = { AUTH_LDAP_GROUPS_ATTR: 'departmentNumber', AUTH_LDAP_NESTED_GROUPS: true };
    await admin.put(SETTINGS, { ldap: form(groups) });
    const name = unique('group');
    const group = String((await admin.post<Json>('users/groups/', { name })).body.id);
    const mapping = { name, source: 'ldap', provider_group: '运维 (组)*', user_groups: [group] };
    expect(
      (await admin.post('users/group-mappings/', { ...mapping, is_active: true })).status,
    ).toBe(201);
    expect((await signIn('li.wei')).status).toBe(201);
    const { body } = await admin.get<Json>(`users/groups/${group}/`);
    expect(body.users_amount).toBe(1);
    await admin.put(SETTINGS, { ldap: form({ AUTH_LDAP_NESTED_GROUPS: false }) });
  });

  it('signs in imported users in a browser and as a script', async () => {
    expect((await signIn('person1500')).status).toBe(201);
    const person = await browser(test, {
      username: 'person1501',
      password: passwordOf('person1501'),
    });
    expect((await person.get<Json>('users/profile/')).body).toMatchObject({
      username: 'person1501',
      source: 'ldap',
    });
    expect((await signIn('person1500', 'wrong')).status).toBe(400);
    expect((await signIn('person1500', '')).status).toBe(400);
  });

  it('refuses a sign-in that a rule of the account refuses', async () => {
    expect((await signIn('person1502')).status).toBe(201);
    const id = (await accountOf('person1502'))?.id;
    const refused = await whileRefused(admin, id, () => signIn('person1502'));
    expect([refused.status, refused.body.code]).toEqual([400, 'sign_in_condition']);
    expect((await signIn('person1502')).status).toBe(201);
  });

  it('creates the account at the first sign-in and updates it at each', async () => {
    await sql`delete from account where source = 'ldap'`.execute(test.db);
    expect((await signIn('li.wei', 'wrong')).status).toBe(400);
    expect(await accountOf('li.wei')).toBeUndefined();
    expect((await signIn('li.wei')).status).toBe(201);
    expect(await accountOf('li.wei')).toMatchObject({ name: '李伟', source: 'ldap' });
    await sql`update account set name = 'Old' where username = 'li.wei'`.execute(test.db);
    expect((await signIn('li.wei')).status).toBe(201);
    expect(await accountOf('li.wei')).toMatchObject({ name: '李伟' });
    // The log attributes both changes to the directory. Sign-ins without changes are not in it.
    const log = await admin.get<Page>(
      'audits/operate-logs/?limit=10&order=-datetime&user=LDAP&search=li.wei',
    );
    expect(log.body.results).toEqual([
      expect.objectContaining({
        action: 'update',
        resource: '李伟(li.wei)',
        changes: { name: ['Old', '李伟'] },
        remote_addr: '127.0.0.1',
      }),
      expect.objectContaining({
        action: 'create',
        changes: expect.objectContaining({ source: [null, 'ldap'], username: [null, 'li.wei'] }),
      }),
    ]);
    // The name in another case is the same person, without a second account.
    expect((await signIn('LI.WEI', passwordOf('li.wei'))).status).toBe(201);
    expect((await admin.get<Json[]>('users/users/?search=li.wei')).body).toHaveLength(1);
  });

  it('creates one account for two simultaneous sign-ins', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => signIn('person0007')));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });

  it('ignores accounts of other sources', async () => {
    expect((await signIn('colleague')).status).toBe(400);
    // The local account, in another letter case.
    const other = await signIn('ADMIN');
    expect([other.status, other.body.code]).toEqual([400, 'password_failed']);
    expect(await accountOf('colleague')).toMatchObject({ source: 'local' });
  });

  it('rejects a user that the filter finds by another attribute than the username', async () => {
    await signIn('by.mail@example.com');
    await admin.patch(SETTINGS, {
      AUTH_LDAP_SEARCH_FILTER: '(&(mail=%(user)s)(objectClass=person))',
    });
    // The name is an account; its e-mail address is that of wang.fang.
    expect((await signIn('by.mail@example.com', passwordOf('wang.fang'))).status).toBe(400);
    // Without an account of that name, the person signs in under the own username.
    const { status } = await signIn('li.wei@example.com', passwordOf('li.wei'));
    expect(status).toBe(201);
    await admin.patch(SETTINGS, { AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)' });
  });

  it('escapes the name in the filter', async () => {
    for (const name of ['*', 'li*', 'li.wei)(uid=*', 'person0001\u0000'])
      expect([name, (await signIn(name, passwordOf('li.wei'))).status]).toEqual([name, 400]);
  });

  it('continues with the second factor and other demands of the account', async () => {
    await sql`update account set mfa_level = 2 where username = 'li.wei'`.execute(test.db);
    expect((await signIn('li.wei')).body).toMatchObject({ error: 'mfa_unset' });
    await sql`update account set mfa_level = 0, is_active = false
      where username = 'li.wei'`.execute(test.db);
    expect((await signIn('li.wei')).body).toMatchObject({ error: 'user_inactive' });
    await sql`update account set is_active = true where username = 'li.wei'`.execute(test.db);
  });

  it('reports unavailability of the directory instead of a wrong password, and counts it equally for every name', async () => {
    const local = await buildUser(test.db);
    await admin.patch(SETTINGS, {
      AUTH_LDAP_SERVER_URI: 'ldap://127.0.0.1:1',
      AUTH_LDAP_BIND_PASSWORD: READER.password,
    });
    // The answer does not reveal whether an account is local, in the directory, or unknown.
    for (const username of ['li.wei', local.username, unique('nobody')]) {
      for (let times = 0; times < 7; times++) {
        const { status, body } = await tryToSignIn(test, { username, password: 'wrong' });
        expect([username, status, body.code]).toEqual([username, 503, 'directory_unavailable']);
      }
      expect((await tryToSignIn(test, { username, password: 'wrong' })).body.code).toBe(
        'block_login',
      );
    }
    const log = async (username: string) =>
      (
        await admin.get<Page>(`audits/login-logs/?limit=2&order=-datetime&username=${username}`)
      ).body.results.at(-1);
    expect(await log('li.wei')).toMatchObject({ status: false, reason: 'directory_unavailable' });
    expect(await log(local.username)).toMatchObject({ status: false, reason: 'password_failed' });
    await sql`delete from login_attempt`.execute(test.db);
    // Local users with the right password can still sign in.
    await bearer(test, local);
    await admin.patch(SETTINGS, {
      AUTH_LDAP_SERVER_URI: slapd.url,
      AUTH_LDAP_BIND_PASSWORD: READER.password,
    });
    expect((await signIn('li.wei')).status).toBe(201);
  });

  it('fails equally for local names, names of the directory and unknown names', async () => {
    const local = await buildUser(test.db);
    const answers = await Promise.all(
      [local.username, 'person0200', unique('nobody')].map(async (username) => {
        const begun = performance.now();
        const { status, body } = await tryToSignIn(test, { username, password: 'wrong' });
        return { status, body, tookTheTime: performance.now() - begun >= 250 };
      }),
    );
    expect(answers.map(({ status, tookTheTime }) => [status, tookTheTime])).toEqual([
      [400, true],
      [400, true],
      [400, true],
    ]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('limits attempts like any other sign-in', async () => {
    for (let times = 0; times < 7; times++) await signIn('person0100', `wrong ${times}`);
    expect((await signIn('person0100')).body).toMatchObject({ error: 'block_login' });
  });
});

it('requires a certificate file with certificates', async () => {
  const { readAuthorities } = await import('../../platform/directory/saved-config.ts');
  expect(readAuthorities(undefined)).toBeUndefined();
  expect(readAuthorities(slapd.certificates.authority)).toEqual([
    readFileSync(slapd.certificates.authority, 'utf8').trim(),
  ]);
  expect(() => readAuthorities(slapd.certificates.key)).toThrow('SALLYPORT_LDAP_CA_FILE');
  expect(() => readAuthorities('/nowhere.pem')).toThrow('ENOENT');
});
