import { controlledSettings, isIdentitySetting } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { sendScim } from '../../testing/scim.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, proposed, send } from './testing/scene.ts';

const URL = 'settings/setting/';
let test: TestProgram;
let first: Client;
let system: Client;
let otherSystem: Client;
let security: Client;
let audit: Client;
beforeAll(async () => {
  test = await startTestProgram();
  first = (await bearer(test)).inOrganization('');
  const holder = async (duty: 'system' | 'security' | 'audit') => {
    const account = await buildUser(test.db, { duty });
    return (await bearer(test, account)).inOrganization('');
  };
  system = await holder('system');
  otherSystem = await holder('system');
  security = await holder('security');
  audit = await holder('audit');
});
afterAll(() => test.stop());
const separate = (isOn: boolean) => first.patch(URL, { SECURITY_SEPARATE_DUTIES: isOn });
beforeEach(async () => {
  expect((await separate(true)).status).toBe(200);
});

const change = (body: Json) => ({ resource: 'setting', action: 'change', body }) as const;
const stored = async (name: string) =>
  (await sql<{ value: unknown }>`select value from setting where name = ${name}`.execute(test.db))
    .rows[0]?.value;
const SITE = { SITE_URL: 'https://bastion.example' };

it('names the same settings in the database as in the declaration', async () => {
  const names = Object.keys(controlledSettings.fields);
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) name where is_identity_setting(name)`.execute(
    test.db,
  );
  expect(rows.map(({ name }) => name)).toEqual(names.filter(isIdentitySetting));
  expect(names.filter(isIdentitySetting).length).toBeGreaterThan(50);
  expect(names.filter((name) => !isIdentitySetting(name)).length).toBeGreaterThan(50);
});

describe('while duties are separated and nothing controls changes', () => {
  it('refuses direct changes of these settings, also by the first administrator and statements', async () => {
    for (const [client, body] of [
      [first, SITE],
      [system, SITE],
      [system, { email: { EMAIL_HOST: 'mail.example' } }],
      [security, { ldap: { AUTH_LDAP_SERVER_URI: 'ldap://mine.example' } }],
      [security, { radius: { AUTH_RADIUS_SECRET: 'hidden' } }],
    ] as const) {
      const { status, body: refused } = await client.patch<Json>(URL, body);
      expect([status, refused.code]).toEqual([409, 'change_must_be_proposed']);
    }
    for (const statement of [
      sql`insert into setting (name, value) values ('AUTH_CAS_SERVER_URL', '"x"')`,
      sql`update setting set name = 'EMAIL_HOST' where name = 'SECURITY_SEPARATE_DUTIES'`,
    ])
      await expect(statement.execute(test.db)).rejects.toMatchObject({ code: 'SP001' });
    expect((await security.patch(URL, { SECURITY_MAX_IDLE_TIME: 31 })).status).toBe(200);
    expect((await system.patch(URL, { BACKUP_KEEP_LAST: 4 })).status).toBe(200);
  });

  it('applies the change set of one duty that another one approves', async () => {
    const set = await proposed(system, [change(SITE)]);
    expect((await answer(system, set, 'approve')).status).toBe(403);
    const same = await answer(otherSystem, set, 'approve');
    expect([same.status, same.body.code]).toEqual([403, 'change_set_other_duty']);
    expect((await answer(audit, set, 'approve')).status).toBe(403);
    expect(await stored('SITE_URL')).toBeUndefined();
    const approved = await answer(security, set, 'approve');
    expect([approved.status, approved.body.state], approved.text).toEqual([200, 'applied']);
    expect(await stored('SITE_URL')).toBe(SITE.SITE_URL);
    const secret = await proposed(security, [change({ AUTH_RADIUS_SECRET: 'hidden-1' })]);
    const { body: list } = await system.get<readonly Json[]>('change-sets/');
    expect(list.map(({ id }) => id)).toContain(secret.id);
    expect((await answer(system, secret, 'approve')).status).toBe(200);
    expect(await stored('AUTH_RADIUS_SECRET')).toBeDefined();
  });

  it('does not let two administrators of the same duty, or without one, change a secret alone', async () => {
    const other = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    const set = await proposed(first, [change({ AUTH_RADIUS_SECRET: 'hidden-2' })]);
    const alone = await answer(other.inOrganization(''), set, 'approve');
    expect([alone.status, alone.body.code]).toEqual([403, 'change_set_other_duty']);
    expect((await answer(security, set, 'reject')).status).toBe(200);
  });

  it('takes the other settings of a form with it only if they belong to the duty of the proposer', async () => {
    const form = { SITE_URL: 'https://other.example', USER_GUIDE_URL: 'https://guide.example' };
    const foreign = await send(security, [change(form)]);
    expect([foreign.status, Object.keys(foreign.body)]).toEqual([400, ['USER_GUIDE_URL']]);
    const set = await proposed(system, [change(form)]);
    expect((await answer(security, set, 'approve')).status).toBe(200);
    expect((await send(system, [change({ ...SITE, SECURITY_MFA_AUTH: false })])).status).toBe(404);
  });

  it('proposes nothing else without change control, and no emergency', async () => {
    const { id } = await buildUser(test.db);
    for (const changes of [
      [change({ SECURITY_MAX_IDLE_TIME: 33 })],
      [{ resource: 'user', action: 'change', object: id, body: { role: 'Admin' } } as const],
      [change(SITE), { resource: 'user', action: 'change', object: id, body: {} } as const],
    ]) {
      const refused = await send(security, changes);
      expect([refused.status, refused.body.code]).toEqual([409, 'change_set_not_controlled']);
    }
    const set = await proposed(security, [change({ AUTH_CAS_NAME: 'Mine' })]);
    expect(set.can_break_glass).toBe(false);
    const alone = await answer(security, set, 'break-glass', 'Urgent.');
    expect([alone.status, alone.body.code]).toEqual([409, 'change_set_no_break_glass']);
    expect((await answer(security, set, 'withdraw')).status).toBe(200);
  });

  it('lets no SCIM token work before an administrator with another duty approves it', async () => {
    expect((await separate(false)).status).toBe(200);
    expect((await first.patch(URL, { AUTH_SCIM: true })).status).toBe(200);
    expect((await separate(true)).status).toBe(200);
    const tokens = 'settings/scim/tokens/';
    const answered = await security.post<{ id: string; token: string; is_approved: boolean }>(
      tokens,
      {
        name: 'Mine',
      },
    );
    expect([answered.status, answered.body.is_approved], answered.text).toEqual([201, false]);
    const use = async () =>
      (
        await sendScim(test, {
          method: 'GET',
          path: 'Users?count=1',
          headers: { authorization: `Bearer ${answered.body.token}` },
        })
      ).status;
    expect(await use()).toBe(401);
    const approve = (client: Client) =>
      client.post<Json>(`${tokens}${answered.body.id}/approve/`, {});
    expect((await approve(security)).body.code).toBe('change_set_own');
    const otherSecurity = await bearer(test, await buildUser(test.db, { duty: 'security' }));
    expect((await approve(otherSecurity.inOrganization(''))).body.code).toBe(
      'change_set_other_duty',
    );
    expect((await approve(audit)).status).toBe(403);
    expect(await use()).toBe(401);
    expect((await approve(system)).status).toBe(204);
    expect(await use()).toBe(200);
    expect((await system.post(`${tokens}${crypto.randomUUID()}/approve/`, {})).status).toBe(404);
    expect((await security.delete(`${tokens}${answered.body.id}/`)).status).toBe(204);
  });

  it('hides other change sets from the system administrator, also under change control', async () => {
    const second = await buildUser(test.db, { role: 'Admin' });
    const on = await first.put<Json>('change-control/', { is_on: true, allows_break_glass: true });
    expect(on.status, on.text).toBe(200);
    const set = await proposed(security, [
      { resource: 'user', action: 'change', object: second.id, body: { comment: 'x' } },
    ]);
    const { body } = await system.get<readonly Json[]>('change-sets/');
    expect(body.map(({ id }) => id)).not.toContain(set.id);
    for (const what of ['approve', 'reject', 'withdraw'] as const)
      expect([what, (await answer(system, set, what)).status]).toEqual([what, 404]);
    expect((await system.get(`change-sets/${set.id}/`)).status).toBe(404);
    expect((await send(system, [], { turns_off: true })).status).toBe(404);
    expect((await system.put('change-control/', { is_on: true })).status).toBe(403);
    const site = await proposed(system, [change({ SITE_URL: 'https://third.example' })]);
    const alone = await answer(system, site, 'break-glass', 'Urgent.');
    expect([alone.status, alone.body.code]).toEqual([409, 'change_set_no_break_glass']);
    const off = await send(first, [], { turns_off: true });
    expect((await answer(security, off.body, 'approve')).status).toBe(200);
  });
});

it('leaves the settings to their duties again once the first administrator ends the separation', async () => {
  expect((await separate(false)).status).toBe(200);
  expect((await system.patch(URL, { SITE_URL: 'https://last.example' })).status).toBe(200);
  expect((await security.patch(URL, { SITE_URL: 'https://x.example' })).status).toBe(400);
  await until(async () => (await stored('SITE_URL')) === 'https://last.example', 'the setting');
  const log = await audit.get<Page<Json>>('audits/operate-logs/?limit=1');
  expect(log.text).toContain('https://last.example');
});
