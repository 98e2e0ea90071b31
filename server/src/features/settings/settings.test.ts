import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram({
    secretKey: KEY,
    keepAtLeast: { ftp_log: 45, session_digest: 60 },
  });
  admin = await bearer(test);
});
afterAll(() => test.stop());

const KEY = 'a1'.repeat(32);

type Categories = Record<string, Json>;
const URL = 'settings/setting/';

const databaseUrl = () =>
  String((test.program.database.pool.options as { connectionString?: string }).connectionString);

describe('the settings', () => {
  it('returns every category with its defaults, and no secret', async () => {
    const { status, body } = await admin.get<Categories>(URL);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual([
      'basic',
      'email',
      'email_content',
      'notices',
      'ldap',
      'radius',
      'openid',
      'saml',
      'cas',
      'scim',
      'terminal',
      'security',
      'alerts',
      'backup',
    ]);
    expect(body.security).toMatchObject({
      SECURITY_LOGIN_LIMIT_COUNT: 7,
      SECURITY_PASSWORD_MIN_LENGTH: 6,
      SECURITY_MFA_AUTH: false,
    });
    expect(body.email).not.toHaveProperty('EMAIL_HOST_PASSWORD');
  });

  it('lets super administrators change, super auditors read, and no other user open them', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    const user = await bearer(test, await buildUser(test.db));
    const [own, read] = [await admin.get<Categories>(URL), await auditor.get<Categories>(URL)];
    expect([read.status, read.body]).toEqual([200, own.body]);
    expect((await auditor.request('OPTIONS', URL)).status).toBe(200);
    for (const method of ['PUT', 'PATCH'])
      expect([method, (await auditor.request(method, URL)).status]).toEqual([method, 403]);
    for (const method of ['GET', 'PUT', 'PATCH', 'OPTIONS'])
      expect([method, (await user.request(method, URL)).status]).toEqual([method, 403]);
  });

  it('applies a single change at once, and logs the values before and after', async () => {
    const { status, body } = await admin.patch<Categories>(URL, {
      security: { SECURITY_PASSWORD_MIN_LENGTH: 9 },
    });
    expect(status).toBe(200);
    expect(body.security?.SECURITY_PASSWORD_MIN_LENGTH).toBe(9);
    const settings = await test.visitor.get<{ data: { PASSWORD_RULE: Json } }>('settings/public/');
    expect(settings.body.data.PASSWORD_RULE.SECURITY_PASSWORD_MIN_LENGTH).toBe(9);
    const log = await admin.get<Page<{ resource: string; changes: Json }>>(
      'audits/operate-logs/?limit=1',
    );
    expect(log.body.results[0]).toMatchObject({
      resource: 'SECURITY_PASSWORD_MIN_LENGTH',
      changes: { SECURITY_PASSWORD_MIN_LENGTH: [6, 9] },
    });
  });

  it('rejects a retention below the minimum of the configuration', async () => {
    for (const [category, key, days] of [
      ['security', 'LOGIN_LOG_KEEP_DAYS', 44],
      ['terminal', 'TERMINAL_SESSION_KEEP_DURATION', 59],
    ] as const) {
      const tooShort = await admin.patch<Categories>(URL, { [category]: { [key]: days } });
      expect([tooShort.status, Object.keys(tooShort.body[category] ?? {})]).toEqual([400, [key]]);
      expect((await admin.patch(URL, { [category]: { [key]: days + 1 } })).status).toBe(200);
    }
  });

  it('accepts a replaced category only with its required settings', async () => {
    const { status, body } = await admin.put<Record<string, Record<string, string[]>>>(URL, {
      security: { SECURITY_MFA_AUTH: false },
    });
    expect(status).toBe(400);
    expect(Object.keys(body.security ?? {})).toContain('SECURITY_LOGIN_LIMIT_COUNT');
  });

  it.each(['PUT', 'PATCH'])('rejects %s of a category named __proto__', async (method) => {
    const { status, text } = await admin.send(
      method,
      'settings/setting/',
      '{"__proto__": {"SITE_URL": "https://x.example.com"}}',
      'application/json',
    );
    expect([status, text]).toEqual([400, expect.stringContaining('Unknown field.')]);
  });

  it('rejects values out of range on their key, and changes nothing', async () => {
    const before = await admin.get<Categories>(URL);
    for (const [category, key, value] of [
      ['security', 'SECURITY_LOGIN_LIMIT_COUNT', 2],
      ['security', 'SECURITY_LOGIN_LIMIT_TIME', 4],
      ['security', 'SECURITY_PASSWORD_MIN_LENGTH', 5],
      ['terminal', 'TERMINAL_ASSET_LIST_SORT_BY', 'color'],
      ['basic', 'SITE_URL', null],
      ['basic', 'NO_SUCH_KEY', 'x'],
      ['ldap', 'AUTH_LDAP_USER_ATTR_MAP', ['list']],
    ] as const) {
      const { status, body } = await admin.patch<Record<string, Record<string, string[]>>>(URL, {
        [category]: {
          [key]: value,
          ...(category === 'security' && { SECURITY_MAX_IDLE_TIME: 77 }),
        },
      });
      expect(status, key).toBe(400);
      expect(Object.keys(body[category] ?? {}), key).toEqual([key]);
    }
    expect((await admin.get<Categories>(URL)).body).toEqual(before.body);
  });

  it('validates keys together, over stored and new values', async () => {
    const before = await admin.get<Categories>(URL);
    for (const [category, values, key, sentence] of [
      ['email', { EMAIL_USE_SSL: true, EMAIL_USE_TLS: true }, 'EMAIL_USE_TLS', 'not both'],
      [
        'ldap',
        { AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn' } },
        'AUTH_LDAP_USER_ATTR_MAP',
        'username, name and email',
      ],
      [
        'ldap',
        { AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail', color: 'x' } },
        'AUTH_LDAP_USER_ATTR_MAP',
        'username, name and email',
      ],
      ['cas', { AUTH_CAS: true }, 'AUTH_CAS_SERVER_URL', 'required'],
      [
        'cas',
        { AUTH_CAS_SERVER_URL: 'http://cas.example.com/cas' },
        'AUTH_CAS_SERVER_URL',
        'https',
      ],
      [
        'cas',
        { AUTH_CAS_USER_ATTR_MAP: { username: 'user' } },
        'AUTH_CAS_USER_ATTR_MAP',
        'username, name and email',
      ],
      ['saml', { AUTH_SAML: true }, 'AUTH_SAML_METADATA_URL', 'required'],
      [
        'saml',
        { AUTH_SAML_USER_ATTR_MAP: { username: 'NameID' } },
        'AUTH_SAML_USER_ATTR_MAP',
        'username, name and email',
      ],
      [
        'openid',
        { AUTH_OPENID: true, AUTH_OPENID_CLIENT_ID: 'sallyport' },
        'AUTH_OPENID_ISSUER',
        'required',
      ],
      ['terminal', { TERMINAL_TELNET_REGEX: '(' }, 'TERMINAL_TELNET_REGEX', 'cannot be used'],
    ] as const) {
      const { status, body } = await admin.patch<Record<string, Record<string, string[]>>>(URL, {
        [category]: values,
      });
      expect([status, Object.keys(body), Object.keys(body[category] ?? {})], key).toEqual([
        400,
        [category],
        [key],
      ]);
      expect(body[category]?.[key]?.join()).toContain(sentence);
    }
    expect((await admin.get<Categories>(URL)).body).toEqual(before.body);
    // Also when the conflicting values arrive in separate requests.
    expect((await admin.patch(URL, { EMAIL_USE_SSL: true })).status).toBe(200);
    expect((await admin.patch(URL, { EMAIL_USE_TLS: true })).status).toBe(400);
    expect((await admin.patch(URL, { EMAIL_USE_SSL: false })).status).toBe(200);
  });

  it('logs concurrent changes with their true previous values', async () => {
    const count = 6;
    const values = Array.from({ length: count }, (_, index) => 50 + index);
    const first = (await admin.get<Categories>(URL)).body.security?.SECURITY_MAX_IDLE_TIME;
    const answers = await Promise.all(
      values.map((SECURITY_MAX_IDLE_TIME) => admin.patch(URL, { SECURITY_MAX_IDLE_TIME })),
    );
    expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200));
    const { body } = await admin.get<{ changes: { SECURITY_MAX_IDLE_TIME: [number, number] } }[]>(
      'audits/operate-logs/?resource=SECURITY_MAX_IDLE_TIME',
    );
    const steps = new Map(
      body.slice(0, count).map(({ changes }) => changes.SECURITY_MAX_IDLE_TIME),
    );
    // Each change starts at the value of another one. They form a chain from the first to the last
    // value.
    const chain = [first];
    while (chain.length <= count) chain.push(steps.get(Number(chain.at(-1))));
    expect(chain.slice(1).toSorted()).toEqual(values);
  });

  it('allows or denies SSH keys of users by the setting', async () => {
    const KEY_LINE =
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4Yy0YlPrZ5fVQqYl5o0y0mXo5Jm3JkV1y6X9XQe8mD li@example';
    const person = await buildUser(test.db);
    expect((await admin.patch(`users/users/${person.id}/`, { public_key: KEY_LINE })).status).toBe(
      200,
    );
    await admin.patch(URL, { TERMINAL_PUBLIC_KEY_AUTH: false });
    expect(
      await admin.patch<Json>(`users/users/${person.id}/`, { public_key: KEY_LINE }),
    ).toMatchObject({
      status: 400,
      body: { public_key: [expect.stringContaining('switched off')] },
    });
    expect((await admin.put('users/profile/public-key/', { public_key: KEY_LINE })).status).toBe(
      400,
    );
    expect(await admin.post<Json>('users/profile/public-key/generate/')).toMatchObject({
      status: 403,
      body: { code: 'public_key_off' },
    });
    const answer = await test.visitor.get<{ data: Json }>('settings/public/');
    expect(answer.body.data.TERMINAL_PUBLIC_KEY_AUTH).toBe(false);
    // Other fields of the account can still be changed.
    expect(
      (await admin.patch(`users/users/${person.id}/`, { comment: 'without a key' })).status,
    ).toBe(200);
    await admin.patch(URL, { TERMINAL_PUBLIC_KEY_AUTH: true });
  });

  it('accepts an object of categories only', async () => {
    const before = await admin.get<Categories>(URL);
    for (const [method, body, problem] of [
      ['PUT', '[]', 'non_field_errors'],
      ['PATCH', 'null', 'non_field_errors'],
      ['PATCH', '"text"', 'non_field_errors'],
      ['PATCH', '{"security": []}', 'security'],
      ['PATCH', '{"security": null}', 'security'],
      ['PATCH', '{"constructor": {"SITE_URL": "http://a.example"}}', 'constructor'],
      ['PATCH', '{"NO_SUCH_KEY": 1}', 'NO_SUCH_KEY'],
      // PUT accepts no single keys.
      ['PUT', '{"SECURITY_MAX_IDLE_TIME": 40}', 'SECURITY_MAX_IDLE_TIME'],
    ] as const) {
      const answer = await admin.send<Json>(method, URL, body, 'application/json');
      expect([answer.status, Object.keys(answer.body)], body).toEqual([400, [problem]]);
    }
    expect((await admin.get<Categories>(URL)).body).toEqual(before.body);
  });

  it('seals secrets, keeps them if blank ones are sent, and never returns them', async () => {
    await admin.patch(URL, { email: { EMAIL_HOST_PASSWORD: 'smtp-hunter2' } });
    await admin.patch(URL, { email: { EMAIL_HOST_PASSWORD: '' } });
    const { rows } = await sql<{
      value: string;
    }>`select value from setting where name = 'EMAIL_HOST_PASSWORD'`.execute(test.db);
    expect(rows[0]?.value).toMatch(/^v2\$/);
    for (const path of [URL, 'audits/operate-logs/', 'settings/public/'])
      expect((await admin.get(path)).text).not.toContain('hunter2');
    expect(test.log()).not.toContain('hunter2');
  });

  it('applies changes on another server with the same database', async () => {
    const other = await startTestProgram({ databaseUrl: databaseUrl(), secretKey: KEY });
    await admin.patch(URL, { security: { SECURITY_MAX_IDLE_TIME: 41 } });
    await expect
      .poll(
        async () =>
          (await other.visitor.get<{ data: Json }>('settings/public/')).body.data
            .SECURITY_MAX_IDLE_TIME,
      )
      .toBe(41);
    await other.stop();
  });

  it('refuses to start with another key than the one that sealed the secrets', async () => {
    await expect(
      startTestProgram({ databaseUrl: databaseUrl(), secretKey: 'b2'.repeat(32) }),
    ).rejects.toThrow('sealed with another key');
  });

  it('describes the settings in the language of the request', async () => {
    const { body } = await admin.with({ 'accept-language': 'zh' }).options<{
      actions: { PUT: Record<string, { label: string; children: Record<string, Json> }> };
    }>(URL);
    expect(body.actions.PUT.security?.label).toBe('安全设置');
    // GET has the same categories, without the secrets.
    const current = (await admin.get<Record<string, Json>>(URL)).body;
    const read = (body.actions as typeof body.actions & { GET: typeof body.actions.PUT }).GET;
    for (const [category, { children }] of Object.entries(read))
      expect([category, Object.keys(children)]).toEqual([
        category,
        Object.keys(current[category] ?? {}),
      ]);
    expect(Object.keys(read)).toEqual(Object.keys(body.actions.PUT));
    expect(body.actions.PUT.security?.children.SECURITY_LOGIN_LIMIT_COUNT).toMatchObject({
      type: 'integer',
      min_value: 3,
      required: true,
    });
  });

  it.each([
    ['en', 'Units: minutes', 'Units: seconds', 'Units: days'],
    ['zh', '单位：分', '单位：秒', '单位：天'],
  ] as const)('states the units of numbers (%s)', async (language, minutes, seconds, days) => {
    const { body } = await admin.with({ 'accept-language': language }).options<{
      actions: { PUT: Record<string, { children: Record<string, { help_text?: string }> }> };
    }>(URL);
    const hint = (category: string, key: string) =>
      body.actions.PUT[category]?.children[key]?.help_text;
    expect(hint('security', 'SECURITY_MAX_IDLE_TIME')).toContain(minutes);
    expect(hint('security', 'SECURITY_LOGIN_LIMIT_TIME')).toContain(minutes);
    expect(hint('terminal', 'TERMINAL_HEARTBEAT_INTERVAL')).toContain(seconds);
    expect(hint('terminal', 'TERMINAL_SESSION_KEEP_DURATION')).toContain(days);
    expect(hint('security', 'SECURITY_PASSWORD_EXPIRATION_TIME')).toContain(days);
    // No setting is marked as not yet effective.
    expect(JSON.stringify(body.actions.PUT)).not.toMatch(/this version|当前版本/);
  });
});
