import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { everyRow } from '../../../testing/every-row.ts';
import { bearer, browser } from '../../../testing/sign-in.ts';
import { whileRefused } from '../../../testing/sign-in-rule.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const BASE = 'authentication/device/';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

let test: TestProgram;
let user: BuiltUser;
let own: Client;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await browser(test, user);
});

const device = () =>
  test.visitor.with({ 'user-agent': 'sallyctl/2.1.0 (laptop of li; linux)', 'x-tz': 'UTC' });

async function begin(username = '') {
  const { status, body } = await device().post<Json>(`${BASE}code/`, {
    device: 'laptop of li',
    username,
  });
  expect(status).toBe(200);
  return { secret: String(body.device_code), code: String(body.user_code), body };
}

/** Asks for the token, as if the time between two polls had passed. */
async function poll(secret: string) {
  await sql`update device_sign_in set date_polled = null`.execute(test.db);
  return device().post<Json>(`${BASE}token/`, { grant_type: GRANT, device_code: secret });
}
const confirm = (code: string, by = own, more: Json = {}) =>
  by.post<Json>(`${BASE}confirm/`, { user_code: code, password: user.password, ...more });
const expire = () =>
  sql`update device_sign_in set date_expired = now() - interval '1 second'`.execute(test.db);

async function signIn(): Promise<Client> {
  const { secret, code } = await begin();
  expect((await confirm(code)).status).toBe(204);
  const { body } = await poll(secret);
  return device().with({ authorization: `Bearer ${body.access_token}` });
}
const isIn = async (client: Client) => (await client.get('users/profile/')).status === 200;

describe('the sign-in of a device', () => {
  it('hands out a token once, after its user confirmed the code', async () => {
    const { secret, code, body } = await begin();
    expect(body).toMatchObject({ expires_in: 600, interval: 2 });
    expect(body.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(body.verification_uri_complete).toBe(
      `${new URL('/core/console/users/device', test.program.url)}?code=${code}`,
    );
    expect((await poll(secret)).body).toMatchObject({ error: 'authorization_pending' });
    const waiting = await own.post<Json>(`${BASE}find/`, { user_code: code.toLowerCase() });
    expect(waiting.body).toMatchObject({ device: 'laptop of li', remote_addr: '127.0.0.1' });
    expect((await confirm(code, own, { days: 3 })).status).toBe(204);
    const answer = await poll(secret);
    expect(answer).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 3 * 86_400, username: user.username },
    });
    const signedIn = device().with({ authorization: `Bearer ${answer.body.access_token}` });
    expect((await signedIn.get('users/profile/')).body).toMatchObject({ username: user.username });
    expect((await poll(secret)).body).toMatchObject({ error: 'expired_token' });
    // The database has neither secret.
    const rows = await everyRow(test.db);
    for (const text of [secret, String(answer.body.access_token)]) {
      expect(rows).not.toContain(text);
      expect(test.log()).not.toContain(text);
    }
  });

  it('lists the device among the own ones, logs it, and ends it there', async () => {
    const signedIn = await signIn();
    const { body } = await own.get<Json[]>('users/profile/sign-ins/');
    const row = body.find(({ kind }) => kind === 'bearer');
    expect(row).toMatchObject({ device: 'sallyctl · laptop of li', current: false });
    const { rows } = await sql<{ changes: Json }>`
      select changes from operate_log where resource_id = ${user.id}
      order by sequence desc limit 1`.execute(test.db);
    expect(rows[0]?.changes).toEqual({ device: [null, 'laptop of li (127.0.0.1)'] });
    expect((await own.delete(`users/profile/sign-ins/${row?.id}/`)).status).toBe(204);
    expect(await isIn(signedIn)).toBe(false);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'a disabled account',
      async () => (await bearer(test)).patch(`users/users/${user.id}/`, { is_active: false }),
    ],
    [
      'a new password',
      () =>
        own.put('users/profile/password/', {
          old_password: user.password,
          new_password: 'a new one 1',
          new_password_again: 'a new one 1',
        }),
    ],
  ])('ends with %s', async (_what, end) => {
    const signedIn = await signIn();
    expect(await isIn(signedIn)).toBe(true);
    await end();
    expect(await isIn(signedIn)).toBe(false);
  });

  it('gives no token to an account that was disabled after the confirmation', async () => {
    const { secret, code } = await begin();
    await confirm(code);
    await sql`update account set is_active = false where id = ${user.id}`.execute(test.db);
    expect((await poll(secret)).body).toMatchObject({ error: 'user_inactive' });
    expect((await poll(secret)).body).toMatchObject({ error: 'expired_token' });
  });

  it('gives no token while a rule of the account refuses it', async () => {
    const { secret, code } = await begin();
    expect((await confirm(code)).status).toBe(204);
    const refused = await whileRefused(await bearer(test), user.id, () => poll(secret));
    expect([refused.status, refused.body.code]).toEqual([400, 'sign_in_condition']);
    expect(refused.body.access_token).toBeUndefined();
    const { rows } = await sql`
      select reason from login_log where username = ${user.username}
      order by datetime desc limit 1`.execute(test.db);
    expect(rows).toEqual([{ reason: 'sign_in_condition' }]);
    // The confirmation was for one sign-in.
    expect((await poll(secret)).body.code).toBe('device_expired');
  });

  it('gives no token when the sign-in that confirmed it has ended', async () => {
    const { secret, code } = await begin();
    await confirm(code);
    await own.post('/core/auth/logout/');
    expect((await poll(secret)).body).toMatchObject({ error: 'expired_token' });
  });
});

describe('the confirmation', () => {
  it('needs the password of the caller, or a second factor', async () => {
    const { secret, code } = await begin();
    expect((await confirm(code, own, { password: undefined })).body).toHaveProperty('password');
    expect((await confirm(code, own, { password: 'wrong' })).body).toHaveProperty('password');
    expect((await confirm(code, test.visitor)).status).toBe(401);
    expect((await poll(secret)).body).toMatchObject({ error: 'authorization_pending' });
  });

  it('rejects an unknown code, an expired one and a used one', async () => {
    const { code, secret } = await begin();
    expect((await confirm('BCDF-GHJK')).body).toMatchObject({ code: 'device_code_unknown' });
    expect((await confirm('no code')).body).toMatchObject({ code: 'device_code_unknown' });
    expect((await confirm(code)).status).toBe(204);
    expect((await confirm(code)).body).toMatchObject({ code: 'device_code_unknown' });
    await poll(secret);
    const late = await begin();
    await expire();
    expect((await confirm(late.code)).status).toBe(400);
    expect((await poll(late.secret)).body).toMatchObject({ error: 'expired_token' });
  });

  it('rejects another account than the one that the device expects', async () => {
    const { code } = await begin('somebody.else');
    for (const verb of ['find', 'confirm', 'deny'])
      expect((await own.post<Json>(`${BASE}${verb}/`, { user_code: code })).body).toMatchObject({
        code: 'device_other_user',
      });
    const mine = await begin(user.username);
    expect((await confirm(mine.code)).status).toBe(204);
  });

  it('limits the days by the setting', async () => {
    const { code } = await begin();
    expect((await confirm(code, own, { days: 8 })).body).toMatchObject({
      days: [expect.stringContaining('at most 7 days')],
    });
    expect((await confirm(code, own, { days: 7 })).status).toBe(204);
  });

  it('denies a device', async () => {
    const { secret, code } = await begin();
    expect((await own.post(`${BASE}deny/`, { user_code: code })).status).toBe(204);
    expect((await confirm(code)).status).toBe(400);
    expect((await poll(secret)).body).toMatchObject({ error: 'access_denied' });
    expect((await poll(secret)).body).toMatchObject({ error: 'expired_token' });
  });

  it('limits guessed codes', async () => {
    const { code } = await begin();
    const tried = [];
    for (let guess = 0; guess < 12; guess++)
      tried.push((await own.post(`${BASE}find/`, { user_code: 'BBBB-BBBB' })).status);
    expect(tried.slice(0, 10)).toEqual(Array(10).fill(400));
    expect(tried.at(-1)).toBe(429);
    expect((await confirm(code)).status).toBe(429);
  });
});

describe('the polls of a device', () => {
  it('slows down hasty polls', async () => {
    const { secret } = await begin();
    const body = { grant_type: GRANT, device_code: secret };
    await poll(secret);
    expect((await device().post<Json>(`${BASE}token/`, body)).body.error).toBe('slow_down');
  });

  it('rejects another grant and an unknown secret', async () => {
    expect(
      (await device().post(`${BASE}token/`, { grant_type: 'password', device_code: 'x' })).body,
    ).toHaveProperty('grant_type');
    expect((await poll('x'.repeat(43))).body).toMatchObject({ error: 'expired_token' });
  });

  it('keeps a bounded number of waiting sign-ins per address', async () => {
    const first = await begin();
    for (let count = 0; count < 50; count++) await begin();
    expect((await poll(first.secret)).body).toMatchObject({ error: 'expired_token' });
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from device_sign_in`.execute(test.db);
    expect(rows[0]?.count).toBe(50);
  });
});
