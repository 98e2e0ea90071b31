import type { RadiusTest } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { type RadiusServer, startRadiusServer } from '../../testing/services/radius-server.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { whileRefused } from '../../testing/sign-in-rule.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const SETTINGS = 'settings/setting/';
const PASSWORD = 'pass "word" \\ 密码';

let server: RadiusServer;
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  server = await startRadiusServer({
    'li.wei': { password: PASSWORD },
    'long.one': { password: 'x'.repeat(128) },
    alias: { password: PASSWORD, reply: 'User-Name := "li.wei"' },
    admin: { password: PASSWORD },
    prepared: { password: PASSWORD },
    'late.one': { password: PASSWORD },
    'bad name!': { password: PASSWORD },
    'expired.one': {
      password: PASSWORD,
      isRejected: true,
      reply: 'Reply-Message := "Your account has expired.", Reply-Message += "Call 4711."',
    },
  });
  test = await startTestProgram();
  admin = await bearer(test);
  expect((await admin.put(SETTINGS, { radius: form() })).status).toBe(200);
});
afterAll(async () => {
  await test.stop();
  await server.stop();
});

const form = (more: Json = {}): Json => ({
  AUTH_RADIUS_SERVERS: server.address,
  AUTH_RADIUS_SECRET: server.secret,
  AUTH_RADIUS_NAS_IDENTIFIER: 'sallyport',
  AUTH_RADIUS_TIMEOUT: 60,
  AUTH_RADIUS_CREATE_USERS: true,
  AUTH_RADIUS: true,
  ...more,
});
const signIn = (username: string, password = PASSWORD) => tryToSignIn(test, { username, password });
const accountOf = async (username: string) =>
  (await admin.get<Json[]>(`users/users/?username=${encodeURIComponent(username)}`)).body[0];
const set = (change: Json) => admin.patch(SETTINGS, change);

describe('signing in with RADIUS', () => {
  it('creates the account in lower case at the first sign-in, and uses it afterwards', async () => {
    expect((await signIn('Li.Wei')).status).toBe(400);
    expect((await signIn('li.wei')).status).toBe(201);
    const account = await accountOf('li.wei');
    expect(account).toMatchObject({ source: 'radius', name: 'li.wei', email: 'li.wei@localhost' });
    expect((await signIn('li.wei')).status).toBe(201);
    expect((await accountOf('li.wei'))?.id).toBe(account?.id);
    const { body } = await admin.get<Json[]>(
      'audits/operate-logs/?limit=5&resource_type=User&action=create',
    );
    expect(JSON.stringify(body)).toContain('RADIUS');
  });

  it('logs why a server rejected a sign-in, and does not tell the user', async () => {
    const { status, body } = await signIn('expired.one');
    expect([status, body.code]).toEqual([400, 'password_failed']);
    const lines = test.log().split('\n');
    const line = lines.find((one) => one.includes('a RADIUS server rejected a sign-in'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      server: server.address,
      reason: 'Your account has expired.\nCall 4711.',
    });
    expect(test.log()).not.toContain(PASSWORD);
  });

  it('refuses a sign-in that a rule of the account refuses', async () => {
    expect((await signIn('li.wei')).status).toBe(201);
    const id = (await accountOf('li.wei'))?.id;
    const refused = await whileRefused(admin, id, () => signIn('li.wei'));
    expect([refused.status, refused.body.code]).toEqual([400, 'sign_in_condition']);
    expect((await signIn('li.wei')).status).toBe(201);
  });

  it('rejects wrong, blank and too long passwords, and accepts the longest possible one', async () => {
    for (const wrong of ['wrong hunter5', '', `${'x'.repeat(128)}y`])
      expect((await signIn('long.one', wrong)).status).toBe(400);
    expect((await signIn('long.one', 'x'.repeat(128))).status).toBe(201);
    expect(test.log()).not.toContain('hunter5');
    expect(test.log()).not.toContain(server.secret);
  });

  it('ignores accounts of other sources, and never signs in one user as another', async () => {
    // The server also knows the name of the first administrator, but is not asked for local
    // accounts.
    expect((await signIn('admin')).status).toBe(400);
    expect((await signIn('alias')).status).toBe(400);
    expect(await accountOf('alias')).toBeUndefined();
    const other = await buildUser(test.db, { username: 'prepared' });
    await sql`update account set source = 'ldap' where id = ${other.id}`.execute(test.db);
    expect((await signIn('prepared')).status).toBe(400);
    expect((await signIn('bad name!')).status).toBe(400);
    expect(await accountOf('bad name!')).toBeUndefined();
  });

  it('creates no account if the setting forbids it', async () => {
    await set({ AUTH_RADIUS_CREATE_USERS: false });
    expect((await signIn('late.one')).status).toBe(400);
    expect(await accountOf('late.one')).toBeUndefined();
    await set({ AUTH_RADIUS_CREATE_USERS: true });
    expect((await signIn('late.one')).status).toBe(201);
  });

  it('reports unavailability instead of a wrong password while no server answers, and tries the next server', async () => {
    await admin.put(SETTINGS, { radius: form({ AUTH_RADIUS_SERVERS: '127.0.0.1:1' }) });
    const away = await signIn('li.wei');
    expect([away.status, away.body]).toEqual([
      503,
      expect.objectContaining({ code: 'directory_unavailable' }),
    ]);
    await admin.put(SETTINGS, {
      radius: form({ AUTH_RADIUS_SERVERS: `127.0.0.1:1, ${server.address}` }),
    });
    expect((await signIn('li.wei')).status).toBe(201);
    await set({ AUTH_RADIUS: false });
    expect((await signIn('li.wei')).status).toBe(400);
    await admin.put(SETTINGS, { radius: form() });
  });

  // FreeRADIUS 3.2.1 of Debian 12 signs no answer without a line for it.
  it('rejects an answer without Message-Authenticator, and names it', async () => {
    const question = { message: 'Code?', answers: ['1'] };
    const unsigned = await startRadiusServer(
      { 'li.wei': { password: PASSWORD }, asked: { password: PASSWORD, question } },
      false,
    );
    try {
      await admin.put(SETTINGS, {
        radius: form({ AUTH_RADIUS_SERVERS: unsigned.address, AUTH_RADIUS_TIMEOUT: 1 }),
      });
      for (const [name, kind] of [
        ['li.wei', 'Access-Accept'],
        ['asked', 'Access-Challenge'],
        ['nobody.here', 'Access-Reject'],
      ]) {
        const { status, body } = await signIn(String(name));
        expect([status, body.code]).toEqual([503, 'radius_unsigned']);
        expect(test.log()).toContain(`${kind} without Message-Authenticator`);
      }
      await until(
        () => unsigned.log().includes('Sent Access-Accept'),
        'the server has written that it answered',
      );
    } finally {
      await unsigned.stop();
      await admin.put(SETTINGS, { radius: form() });
    }
  });
});

describe('the test of the settings', () => {
  const config = (change: Json = {}) =>
    admin.post<RadiusTest & Json>('settings/radius/testing/config/', { ...form(), ...change });

  it('confirms server and secret, or reports that no signed answer arrived', async () => {
    const good = await config();
    expect([good.status, good.body.msg]).toEqual([
      200,
      `${server.address} answers, and the shared secret is correct.`,
    ]);
    const chinese = await admin
      .with({ 'accept-language': 'zh' })
      .post<RadiusTest>('settings/radius/testing/config/', form({ AUTH_RADIUS: false }));
    expect(chinese.body.msg).toContain('共享密钥正确。 尚未启用');
    const wrong = await config({ AUTH_RADIUS_SECRET: 'another hunter6', AUTH_RADIUS_TIMEOUT: 1 });
    expect([wrong.status, wrong.body.code, wrong.body.steps.at(-1)?.ok]).toEqual([
      400,
      'radius_failed',
      false,
    ]);
    expect(wrong.text + test.log()).not.toContain('hunter6');
  });

  it('reports an invalid field', async () => {
    for (const servers of ['', 'a b', '127.0.0.1:99999', '[::1', 'a,b,c,d,e,f'])
      expect(Object.keys((await config({ AUTH_RADIUS_SERVERS: servers })).body)).toEqual([
        'AUTH_RADIUS_SERVERS',
      ]);
    const saved = await admin.put<Json>(SETTINGS, { radius: form({ AUTH_RADIUS_SERVERS: 'a b' }) });
    expect([saved.status, JSON.stringify(saved.body)]).toEqual([
      400,
      expect.stringContaining('AUTH_RADIUS_SERVERS'),
    ]);
  });

  it('uses the stored secret only for its servers', async () => {
    const { AUTH_RADIUS_SECRET: _, ...blank } = form();
    expect((await admin.post('settings/radius/testing/config/', blank)).status).toBe(200);
    const other = await admin.post<Json>('settings/radius/testing/config/', {
      ...blank,
      AUTH_RADIUS_SERVERS: '127.0.0.1:1',
    });
    expect([other.status, Object.keys(other.body)]).toEqual([400, ['AUTH_RADIUS_SECRET']]);
  });

  it('tests a sign-in without signing in or creating an account', async () => {
    const login = (username: string, password: string) =>
      admin.post<RadiusTest & Json>('settings/radius/testing/login/', { username, password });
    expect((await login('bad name!', PASSWORD)).body.msg).toBe('bad name! can sign in.');
    expect(await accountOf('bad name!')).toBeUndefined();
    const wrong = await login('li.wei', 'wrong hunter7');
    expect([wrong.status, wrong.body.steps.at(-1)]).toEqual([
      400,
      expect.objectContaining({ step: 'password', ok: false }),
    ]);
    expect(wrong.text + test.log()).not.toContain('hunter7');
  });

  it('allows super administrators only', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    for (const path of ['config', 'login'])
      expect((await auditor.post(`settings/radius/testing/${path}/`, {})).status).toBe(403);
  });
});
