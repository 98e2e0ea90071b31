import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildUser, unique } from '../../../testing/builders.ts';
import type { Client } from '../../../testing/client.ts';
import { codeOf, enrolTotp } from '../../../testing/second-factors.ts';
import { ADMIN, bearer, browser } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const SETTINGS = 'settings/setting/';
const USERS = 'users/users/';
const person = (role: string) => ({
  name: 'New',
  username: unique('new'),
  email: `${unique('new')}@example.com`,
  role,
});
/** Moves the start of the first administrator's sign-ins into the past. */
const age = (interval: string) =>
  sql`
    update web_session set date_created = now() - ${interval}::interval
    where user_id = (select id from account where username = 'admin')`.execute(test.db);

it.each(['bearer', 'browser'] as const)(
  'rejects granting Admin and changing security settings in an old sign-in: %s',
  async (kind) => {
    const client = kind === 'bearer' ? admin : await browser(test);
    await age('2 hours');
    const user = await buildUser(test.db);
    const refused = { status: 403, body: { code: 'sign_in_again' } };
    expect(await client.post(USERS, person('Admin'))).toMatchObject(refused);
    expect(await client.patch(`${USERS}${user.id}/`, { role: 'Admin' })).toMatchObject(refused);
    for (const category of [
      { security: { SECURITY_LOGIN_LIMIT_COUNT: 9 } },
      { radius: { AUTH_RADIUS_NAS_IDENTIFIER: 'bastion' } },
    ])
      expect(await client.patch(SETTINGS, category)).toMatchObject(refused);
    expect((await client.get<{ role: string }>(`${USERS}${user.id}/`)).body.role).toBe('User');
    // Other changes, and those without an effect, need no fresh sign-in.
    expect((await client.post(USERS, person('User'))).status).toBe(201);
    expect(
      (
        await client.patch(SETTINGS, {
          terminal: { TERMINAL_HEARTBEAT_INTERVAL: kind === 'bearer' ? 25 : 26 },
        })
      ).status,
    ).toBe(200);
    const { security } = (await client.get<{ security: object }>(SETTINGS)).body;
    expect((await client.patch(SETTINGS, { security })).status).toBe(200);
    await age('1 minute');
    expect((await client.post(USERS, person('Admin'))).status).toBe(201);
    expect(
      (
        await client.patch(SETTINGS, {
          security: { SECURITY_LOGIN_LIMIT_COUNT: kind === 'bearer' ? 8 : 9 },
        })
      ).status,
    ).toBe(200);
  },
);

it('requires the second factor of a user who has one, even in a new sign-in', async () => {
  const { secret } = await enrolTotp(admin, ADMIN.password);
  await sql`update web_session set mfa_verified = null`.execute(test.db);
  const refused = { status: 403, body: { code: 'mfa_verify_required' } };
  expect(await admin.post(USERS, person('Admin'))).toMatchObject(refused);
  expect(
    await admin.patch(SETTINGS, { security: { SECURITY_LOGIN_LIMIT_COUNT: 6 } }),
  ).toMatchObject(refused);
  expect((await admin.post('authentication/otp/verify/', { code: codeOf(secret) })).status).toBe(
    200,
  );
  expect((await admin.post(USERS, person('Admin'))).status).toBe(201);
});
