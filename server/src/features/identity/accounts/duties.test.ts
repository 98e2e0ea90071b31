import { DUTIES, type Duty } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { runOperatorCommand } from '../../../testing/operator-command.ts';
import { buildFactor } from '../../../testing/second-factors.ts';
import { ADMIN, bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

type Problems = Record<string, string[]>;

let test: TestProgram;
let first: Client;
const holders = {} as Record<Duty, { readonly id: string; readonly client: Client }>;

beforeAll(async () => {
  test = await startTestProgram();
  first = (await bearer(test, ADMIN)).inOrganization('');
  for (const duty of DUTIES) {
    const account = await buildUser(test.db, { duty });
    holders[duty] = { id: account.id, client: (await bearer(test, account)).inOrganization('') };
  }
});
beforeEach(async () => {
  await first.patch('settings/setting/', { SECURITY_SEPARATE_DUTIES: false });
});
afterAll(() => test.stop());

const url = (id: string) => `users/users/${id}/`;
const separate = () => first.patch('settings/setting/', { SECURITY_SEPARATE_DUTIES: true });
const account = (changes: Json = {}): Json => {
  const username = unique('new');
  return {
    name: username,
    username,
    email: `${username}@example.com`,
    password_strategy: 1,
    password: 'a password of the tests 1',
    ...changes,
  };
};
const stored = async (id: string) =>
  (
    await sql<{ role: string; duty: string }>`
      select role, duty from account where id = ${id}`.execute(test.db)
  ).rows[0];

it('names the duty that refuses a route, in both languages', async () => {
  const refused = await holders.audit.client.get<Json>('audits/event-receivers/');
  expect(refused.status).toBe(403);
  const { client } = holders.system;
  const log = await client.get<{ detail: string }>('audits/operate-logs/');
  expect([log.status, log.body.detail]).toEqual([
    403,
    'Your account has the duty System administrator, which does not include this.',
  ]);
  const inChinese = await client.with({ 'accept-language': 'zh' }).get('audits/operate-logs/');
  expect(inChinese.text).toContain('系统管理员');
});

it('refuses security and audit administrators the restoration of an account, without a field', async () => {
  const { id } = await buildUser(test.db);
  expect((await first.delete(url(id))).status).toBe(204);
  const path = `common/deleted-objects/${id}/restore/`;
  const { status, body } = await holders.security.client.post<Json>(path, {});
  expect([status, body.code]).toEqual([403, 'duty_no_accounts']);
  expect((await holders.audit.client.post(path, {})).status).toBe(403);
  expect((await holders.system.client.post(path, {})).status).toBe(200);
});

describe('the system administrator', () => {
  it('creates ordinary accounts and assets, and no role, duty or group', async () => {
    const { client } = holders.system;
    const created = await client.post<{ id: string }>('users/users/', account());
    expect(created.status).toBe(201);
    for (const [field, value] of [
      ['role', 'Admin'],
      ['duty', 'audit'],
      ['groups', [crypto.randomUUID()]],
    ] as const) {
      const { status, body } = await client.post<Problems>(
        'users/users/',
        account({ [field]: value }),
      );
      expect([field, status, Object.keys(body)]).toEqual([
        field,
        400,
        expect.arrayContaining([field]),
      ]);
    }
    const { id } = created.body;
    for (const changes of [{ role: 'Admin' }, { duty: 'audit' }, { duty: 'system' }])
      expect([changes, (await client.patch(url(id), changes)).status]).toEqual([changes, 400]);
    expect(await stored(id)).toEqual({ role: 'User', duty: '' });
    expect((await client.patch(url(id), { name: 'Renamed' })).status).toBe(200);
    expect((await client.post('assets/labels/', { name: unique('a'), value: 'b' })).status).toBe(
      201,
    );
  });

  it('takes over no account that administers or audits', async () => {
    const { client } = holders.system;
    const organization = await buildOrganization(test.db);
    const colleagues = [
      holders.security.id,
      holders.audit.id,
      (await buildUser(test.db, { role: 'Admin' })).id,
      (await buildUser(test.db, { memberOf: [{ organization, role: 'Auditor' }] })).id,
    ];
    for (const id of colleagues)
      for (const [method, path, body] of [
        ['PATCH', '', { password: 'taken over 1' }],
        ['PATCH', '', { email: 'mine@example.com' }],
        ['PATCH', '', { is_active: false }],
        ['PUT', 'password/', { password: 'taken over 1' }],
        ['PUT', 'pubkey/reset/', {}],
        ['GET', 'otp/reset/', undefined],
        ['DELETE', '', undefined],
      ] as const)
        expect([method, path, (await client.request(method, url(id) + path, body)).status]).toEqual(
          [method, path, 403],
        );
  });

  it('grants nothing, writes no rule, and reads no log', async () => {
    const { client } = holders.system;
    for (const path of [
      'perms/asset-permissions/',
      'assets/cmd-filters/',
      'users/sign-in-rules/',
      'audits/login-logs/',
      'terminal/sessions/',
      'terminal/commands/',
      'settings/presets/',
    ])
      expect([path, (await client.get(path)).status]).toEqual([path, 403]);
    const { status, body } = await client.patch<Record<string, Json>>('settings/setting/', {
      SECURITY_MFA_AUTH: false,
      SECURITY_PASSWORD_MIN_LENGTH: 20,
    });
    expect([status, Object.keys(body)]).toEqual([400, ['security']]);
    expect(
      (await client.patch('settings/setting/', { EMAIL_HOST: 'mail.example.com' })).status,
    ).toBe(200);
  });
});

describe('the security administrator', () => {
  it('gives and takes duties of others, and creates no account', async () => {
    const { client } = holders.security;
    const { id } = await buildUser(test.db);
    await buildFactor(test.db, id);
    expect((await client.patch(url(id), { duty: 'audit' })).status).toBe(200);
    expect(await stored(id)).toEqual({ role: 'Auditor', duty: 'audit' });
    expect((await client.patch(url(id), { duty: '', role: 'User' })).status).toBe(200);
    const { status, body } = await client.post<Problems>('users/users/', account());
    expect([status, Object.keys(body)]).toEqual([400, ['username']]);
    for (const changes of [
      { password: 'taken over 1' },
      { email: 'mine@example.com' },
      { name: 'X' },
      { role: 'Admin' },
      { role: 'Auditor' },
    ])
      expect([changes, (await client.patch(url(id), changes)).status]).toEqual([changes, 400]);
    expect((await client.delete(url(id))).status).toBe(403);
    const set = await client.put(`${url(id)}password/`, { password: 'taken over 1' });
    expect(set.status).toBeGreaterThanOrEqual(400);
    expect(await stored(id)).toEqual({ role: 'User', duty: '' });
  });

  it('reads assets without changing them, and no secret and no log', async () => {
    const { client } = holders.security;
    const asset = await buildAsset(test.db);
    expect((await client.get(`assets/assets/${asset}/`)).status).toBe(200);
    expect((await client.patch(`assets/assets/${asset}/`, { comment: 'x' })).status).toBe(403);
    const systemUser = await buildSystemUser(test.db);
    for (const path of [
      'assets/asset-users/',
      'assets/asset-user-auth-infos/',
      `assets/system-users/${systemUser}/auth-info/`,
      'audits/operate-logs/',
      'settings/setting/../../audits/login-logs/',
    ])
      expect([path, (await client.get(path)).status]).toEqual([path, 403]);
    expect((await client.patch('settings/setting/', { SECURITY_MAX_IDLE_TIME: 20 })).status).toBe(
      200,
    );
    expect((await client.patch('settings/setting/', { EMAIL_HOST: 'x' })).status).toBe(400);
    await first.patch('settings/setting/', { SECURITY_MAX_IDLE_TIME: 30 });
  });

  it('lets no group of a provider give a role', async () => {
    const { status, body } = await holders.security.client.post<Problems>('users/group-mappings/', {
      name: unique('mapping'),
      source: 'ldap',
      provider_group: 'admins',
      role: 'Admin',
    });
    expect([status, Object.keys(body)]).toEqual([400, ['role']]);
  });
});

describe('the audit administrator', () => {
  it('reads logs, verifies them and marks alerts as seen, and changes nothing else but the own account', async () => {
    const { client } = holders.audit;
    for (const path of [
      'audits/operate-logs/',
      'audits/alerts/',
      'terminal/sessions/',
      'settings/presets/',
    ])
      expect([path, (await client.get(path)).status]).toEqual([path, 200]);
    expect((await client.post('audits/verify/', {})).status).toBeLessThan(300);
    const changing = test.program.app.routes.filter(
      ({ method, reads, area, access }) =>
        !['GET', 'HEAD', 'OPTIONS'].includes(method) &&
        !reads &&
        area !== 'own' &&
        area !== 'alerts' &&
        access !== 'public',
    );
    expect(changing.length).toBeGreaterThan(300);
    for (const { method, url: path } of changing) {
      const { status } = await client.request(
        method,
        path.replace(/:\w+/g, crypto.randomUUID()),
        {},
      );
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });
});

describe('one account', () => {
  it.each(DUTIES)('refuses another duty, or none, to the account itself: %s', async (duty) => {
    const { id, client } = holders[duty];
    for (const changes of [{ duty: '' }, { duty: 'system' }, { duty: 'audit' }, { role: 'User' }]) {
      if (Object.values(changes)[0] === duty) continue;
      expect((await client.patch(url(id), changes)).status).toBeGreaterThanOrEqual(400);
    }
    expect(await stored(id)).toMatchObject({ duty });
  });

  it('holds one duty: neither several values, nor an office in an organization besides', async () => {
    const { id } = await buildUser(test.db);
    for (const duty of [['system', 'audit'], 'system,audit', 'all']) {
      const { status, body } = await first.patch<Problems>(url(id), { duty });
      expect([status, Object.keys(body)]).toEqual([400, ['duty']]);
    }
    const wrong = await first.patch<Problems>(url(id), { duty: 'audit', role: 'Admin' });
    expect([wrong.status, wrong.body.duty?.[0]]).toEqual([400, expect.stringContaining('Auditor')]);
    const organization = await buildOrganization(test.db);
    const members = `orgs/orgs/${organization}/membership/admins/`;
    expect((await first.post(members, { user: id })).status).toBe(201);
    const both = await first.patch<Problems>(url(id), { duty: 'system' });
    expect([both.status, Object.keys(both.body)]).toEqual([400, ['duty']]);
    const holder = await first.post<Problems>(members, { user: holders.system.id });
    expect([holder.status, holder.text]).toEqual([400, expect.stringContaining('one duty only')]);
    const { text } = await first.patch(`orgs/orgs/${organization}/`, {
      auditors: [holders.security.id],
    });
    expect(text).toContain('one duty only');
  });

  it('loses its sign-ins and access keys when its duty changes', async () => {
    const person = await buildUser(test.db, { duty: 'system' });
    const client = await bearer(test, person);
    expect((await holders.security.client.patch(url(person.id), { duty: 'security' })).status).toBe(
      200,
    );
    expect((await client.get('users/profile/')).status).toBe(401);
  });
});

describe('while duties are separated', () => {
  it('lets only the first administrator and the command line give all rights', async () => {
    const other = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    await separate();
    const { id } = await buildUser(test.db);
    for (const changes of [{ role: 'Admin' }, { role: 'Auditor' }]) {
      const { status, body } = await other.patch<Problems>(url(id), changes);
      expect([status, Object.keys(body)]).toEqual([400, ['duty']]);
      const { status: created } = await other.post('users/users/', account(changes));
      expect(created).toBe(400);
    }
    const file = `name,username,email,role\nX,${unique('x')},${unique('x')}@example.com,Admin\n`;
    expect((await other.send('POST', 'users/users/', file, 'text/csv')).status).toBe(400);
    expect((await first.patch(url(id), { role: 'Admin' })).status).toBe(200);
  });

  it('lets only the first administrator end the separation, by the setting and by undo', async () => {
    const other = (await bearer(test, await buildUser(test.db, { role: 'Admin' }))).inOrganization(
      '',
    );
    await other.post('settings/presets/', { preset: 'mlps3' });
    for (const client of [other, holders.security.client, holders.system.client]) {
      const off = await client.patch<Record<string, Json>>('settings/setting/', {
        SECURITY_SEPARATE_DUTIES: false,
      });
      expect([off.status, Object.keys(off.body)]).toEqual([400, ['security']]);
    }
    for (const client of [other, holders.security.client])
      expect((await client.post('settings/presets/undo/', {})).status).toBe(400);
    expect((await first.post('settings/presets/undo/', {})).status).toBe(200);
  });

  it('proves in the report who holds which duty, and lists accounts that hold several', async () => {
    const clause = async () => {
      const { body } = await holders.audit.client.get<{
        presets: { name: string; clauses: { reference: string; proofs: Json[] }[] }[];
      }>('settings/presets/');
      return body.presets
        .find(({ name }) => name === 'mlps3')
        ?.clauses.find(({ reference }) => reference === '8.1.4.2 d')?.proofs;
    };
    const person = await buildUser(test.db, { username: unique('0-both'), role: 'Admin' });
    const proofs = await clause();
    const of = (label: string) => proofs?.find((proof) => proof.label === label);
    expect(of('System administrators')).toMatchObject({ met: true });
    expect(of('Audit administrators')?.value).toMatch(/user-/);
    const several = 'Accounts that hold several duties, besides the first administrator';
    expect(of(several)).toMatchObject({
      met: false,
      value: expect.stringContaining(person.username),
    });
    expect(of(several)?.value).not.toContain('(admin)');
    expect(of('Separation of duties')).toMatchObject({ met: false, wanted: 'On' });
  });
});

it('seals the first administrator by the security administrator, once all duties have a second factor', async () => {
  await sql`update account set is_active = false where role <> 'User' and duty = ''
    and username <> 'admin'`.execute(test.db);
  const { id } = (await first.get<{ id: string }>('users/profile/')).body;
  const seal = () => holders.security.client.patch(url(id), { is_active: false });
  expect((await holders.system.client.patch(url(id), { is_active: false })).status).toBe(403);
  await sql`delete from totp`.execute(test.db);
  const answers: number[] = [];
  for (const duty of DUTIES) {
    answers.push((await seal()).status);
    await buildFactor(test.db, holders[duty].id);
  }
  answers.push((await seal()).status);
  expect(answers).toEqual([400, 400, 400, 200]);
  const { code } = await runOperatorCommand(test, ['user', 'reset-password', 'admin']);
  expect(code).toBe(0);
  const log = await holders.audit.client.get<Page<Json>>('audits/operate-logs/?limit=5');
  expect(log.text).toContain(id);
});
