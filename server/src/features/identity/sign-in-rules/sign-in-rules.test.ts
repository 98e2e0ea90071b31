import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildGroup,
  buildOrganization,
  buildUser,
  unique,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { codeOf, enrolTotp } from '../../../testing/second-factors.ts';
import { bearer, browser, openBrowser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { suspendSignInRules } from './store.ts';

const RULES = 'users/sign-in-rules/';
const OFFICE = ['192.0.2.0/24'];
const NEVER = { hours: ['Mon-Sun 00:00-24:00'], hours_excluded: true, time_zone: 'Asia/Shanghai' };
const NOT_NOW = 'not now: except Mon–Sun 00:00–24:00 Asia/Shanghai';

let test: TestProgram;
let admin: Client;
let user: BuiltUser;
beforeAll(async () => {
  // A trusted proxy sends the client addresses.
  test = await startTestProgram({ trustedProxies: ['127.0.0.1'] });
  admin = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
});
afterEach(() => sql`delete from sign_in_rule`.execute(test.db));

async function rule(values: Json): Promise<string> {
  const author = from('192.0.2.1', admin);
  const { status, body, text } = await author.post(RULES, { name: unique('rule'), ...values });
  expect(status, text).toBe(201);
  return String(body.id);
}

const from = (address: string, client: Client = test.visitor) =>
  client.with({ 'x-forwarded-for': address });
const signIn = (address: string, { username, password }: BuiltUser = user) =>
  from(address).post<Json>('authentication/auth/', { username, password });
const lastReason = async () =>
  (
    await sql<{ reason: string }>`select reason from login_log
      where username = ${user.username} order by datetime desc limit 1`.execute(test.db)
  ).rows[0]?.reason;

describe('a sign-in', () => {
  it('refuses with the rule after the right password only, and logs it', async () => {
    await rule({ users: [user.id], ...NEVER });
    const refused = await tryToSignIn(test, user);
    expect([refused.status, refused.body.code]).toEqual([400, 'sign_in_condition']);
    expect(refused.text).toContain(NOT_NOW);
    expect(await lastReason()).toBe('sign_in_condition');
    const stranger = await tryToSignIn(test, { ...user, password: 'wrong' });
    expect(stranger.body.code).toBe('password_failed');
    expect(stranger.text).not.toContain('Shanghai');
    const page = await (await openBrowser(test)).post('/core/auth/login/', {
      username: user.username,
      password: user.password,
    });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(NOT_NOW)]);
    expect(page.headers.getSetCookie().join()).not.toContain('sessionid=');
  });

  it('explains the rule in Chinese', async () => {
    await rule({ users: [user.id], ...NEVER });
    const { text } = await test.visitor
      .with({ 'accept-language': 'zh-CN' })
      .post('authentication/auth/', { username: user.username, password: user.password });
    expect(text).toContain(
      '当前无法登录：当前时间不允许：除周一–周日 00:00–24:00（Asia/Shanghai）以外',
    );
  });

  it('judges the address of the client', async () => {
    await rule({ users: [user.id], networks: OFFICE });
    expect((await signIn('192.0.2.7')).status).toBe(201);
    const refused = await signIn('198.51.100.7');
    expect(refused.text).toContain('not from this network: only 192.0.2.0/24');
  });

  it('needs every rule that names the account, its groups or its roles', async () => {
    const organization = await buildOrganization(test.db);
    const members = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
    const group = await buildGroup(test.db, [members.id], organization);
    const refused = async (values: Json, who = members) => {
      const id = await rule({ networks: OFFICE, ...values });
      const { status } = await signIn('198.51.100.7', who);
      await admin.delete(`${RULES}${id}/`);
      return status;
    };
    expect(await refused({ user_groups: [group] })).toBe(400);
    expect(await refused({ user_groups: [group] }, user)).toBe(201);
    expect(await refused({ roles: ['org_admin'] })).toBe(400);
    expect(await refused({ roles: ['org_admin', 'org_auditor'] }, user)).toBe(201);
    expect(await refused({ roles: ['user'] }, user)).toBe(400);
    expect(await refused({ roles: ['admin', 'auditor'] }, user)).toBe(201);
    expect(await refused({ users: [members.id], is_active: false })).toBe(201);
    await rule({ users: [user.id], networks: OFFICE });
    await rule({ users: [user.id], ...NEVER });
    expect((await signIn('192.0.2.7')).text).toContain(NOT_NOW);
  });

  it('asks for a second factor where a rule demands one, and rejects scripts without', async () => {
    await rule({ users: [user.id], networks: OFFICE, otherwise: 'second_factor' });
    expect((await signIn('198.51.100.7')).body.code).toBe('mfa_unset');
    const office = await signIn('192.0.2.7');
    await enrolTotp(
      from('192.0.2.7').with({ authorization: `Bearer ${office.body.token}` }),
      user.password,
    );
    await sql`update account set mfa_level = 0 where id = ${user.id}`.execute(test.db);
    expect((await signIn('198.51.100.7')).body.error).toBe('mfa_required');
    // A sign-in without the factor stays inside.
    const { body } = await signIn('192.0.2.7');
    const inside = from('192.0.2.7').with({ authorization: `Bearer ${body.token}` });
    expect((await inside.get('users/profile/')).status).toBe(200);
    const outside = await from('198.51.100.7', inside).get<Json>('users/profile/');
    expect([outside.status, outside.body.code]).toEqual([401, 'sign_in_condition']);
  });

  it('refuses at the second factor when a rule changed since the password', async () => {
    const own = await bearer(test, user);
    const { secret } = await enrolTotp(own, user.password);
    await sql`update account set mfa_level = 1 where id = ${user.id}`.execute(test.db);
    const visitor = await openBrowser(test);
    const { username, password } = user;
    const first = await visitor.post<Json>('/core/auth/login/', { username, password });
    expect(first.text).toContain('mfa_required');
    await rule({ users: [user.id], ...NEVER });
    const cookies = first.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const second = await visitor
      .with({ cookie: `${visitor.headers.cookie}; ${cookies}` })
      .post('/core/auth/login/mfa/', { type: 'totp', code: codeOf(secret) });
    expect([second.status, second.text]).toEqual([400, expect.stringContaining(NOT_NOW)]);
  });
});

describe('an open sign-in', () => {
  it('refuses an open sign-in while a rule does not hold, except for signing out', async () => {
    const [script, page] = [await bearer(test, user), await browser(test, user)];
    const other = await bearer(test, await buildUser(test.db));
    const id = await rule({ users: [user.id], ...NEVER });
    for (const client of [script, page]) {
      const refused = await client.get<Json>('users/profile/');
      expect([refused.status, refused.body.code]).toEqual([401, 'sign_in_condition']);
      expect(refused.text).toContain(NOT_NOW);
    }
    expect((await other.get('users/profile/')).status).toBe(200);
    await admin.patch(`${RULES}${id}/`, { is_active: false });
    expect((await script.get('users/profile/')).status).toBe(200);
    await admin.patch(`${RULES}${id}/`, { is_active: true });
    expect((await page.post('/core/auth/logout/')).status).toBe(200);
    await admin.delete(`${RULES}${id}/`);
    expect((await page.get('users/profile/')).status).toBe(401);
    expect((await script.get('users/profile/')).status).toBe(200);
  });

  it('explains its rules to the user and to administrators of its organization', async () => {
    const [organization, elsewhere] = [
      await buildOrganization(test.db),
      await buildOrganization(test.db),
    ];
    const member = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    const bossOf = async (place: string) => {
      const boss = await buildUser(test.db, { memberOf: [{ organization: place, role: 'Admin' }] });
      return (await bearer(test, boss)).inOrganization(place);
    };
    await rule({ name: 'Office', users: [member.id], networks: ['0.0.0.0/0'] });
    const summary = { name: 'Office', sentence: '0.0.0.0/0', otherwise: 'refuse', not_now: '' };
    const own = (await bearer(test, member)).inOrganization(organization);
    expect((await own.get('users/profile/sign-in-rules/')).body).toEqual([summary]);
    const path = `users/users/${member.id}/sign-in-rules/`;
    expect((await (await bossOf(organization)).get(path)).body).toEqual([summary]);
    expect((await (await bossOf(elsewhere)).get(path)).status).toBe(404);
    expect((await own.get(path)).status).toBe(403);
  });
});

describe('the rules', () => {
  it('lets only super administrators write rules', async () => {
    const organization = await buildOrganization(test.db);
    const boss = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
    const client = (await bearer(test, boss)).inOrganization(organization);
    const values = { name: 'x', users: [user.id], networks: OFFICE };
    expect((await client.post(RULES, values)).status).toBe(403);
    expect((await client.get(RULES)).status).toBe(403);
    expect((await admin.inOrganization(organization).post(RULES, values)).status).toBe(201);
    const { body } = await admin.get<Json[]>('audits/operate-logs/?limit=1');
    expect(JSON.stringify(body)).toContain('Sign-in rule');
  });

  it('rejects a rule that would refuse its author from here and now', async () => {
    const refused = async (values: Json, client = admin) =>
      (await client.post(RULES, { name: unique('rule'), ...values })).body;
    expect(await refused({ everyone: true, networks: OFFICE })).toEqual({
      networks: [expect.stringContaining('not from this network: only 192.0.2.0/24')],
    });
    expect(await refused({ roles: ['admin'], ...NEVER })).toEqual({
      hours: [expect.stringContaining(NOT_NOW)],
    });
    expect(await refused({ everyone: true, clients: ['ssh'] })).toHaveProperty('clients');
    const here = from('192.0.2.7', admin);
    const { id } = await refused({ everyone: true, networks: OFFICE, name: 'mine' }, here);
    const widened = await here.patch(`${RULES}${id}/`, { networks: ['198.51.100.0/24'] });
    expect(widened.body).toHaveProperty('networks');
    expect((await here.get<Json>(`${RULES}${id}/`)).body.networks).toEqual(OFFICE);
  });

  it('requires accounts, valid ranges and hours, and an ordered period', async () => {
    const problems = async (values: Json) =>
      Object.keys((await admin.post(RULES, { name: unique('rule'), ...values })).body);
    expect(await problems({ networks: OFFICE })).toEqual(['everyone']);
    expect(await problems({ users: [user.id], networks: ['10.0.0.0/99'] })).toEqual(['networks']);
    expect(await problems({ users: [user.id], hours: ['Mon 8-9'] })).toEqual(['hours']);
    expect(
      await problems({
        users: [user.id],
        valid_from: '2036-01-31 08:30:00 +0800',
        valid_until: '2035-01-31 08:30:00 +0800',
      }),
    ).toEqual(['valid_until']);
  });

  it('exports rules, and deactivates them from the command line with a log entry', async () => {
    await rule({ name: 'nights', users: [user.id], ...NEVER });
    const file = await admin.get(`${RULES}?format=csv`);
    expect(file.text).toContain('nights');
    expect(await suspendSignInRules(test.db)).toEqual(['nights']);
    expect((await tryToSignIn(test, user)).status).toBe(201);
    const { text } = await admin.get('audits/operate-logs/?limit=1');
    expect(text).toContain('Command line');
    expect(await suspendSignInRules(test.db)).toEqual([]);
  });
});
