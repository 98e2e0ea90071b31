import { type MfaState, parseDatetime } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { signInMember } from '../../../testing/roles.ts';
import { codeOf, enrolTotp, wrongCode } from '../../../testing/second-factors.ts';
import { bearer, browser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let user: BuiltUser;
let own: Client;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await bearer(test, user);
});

const MFA = 'authentication/mfa/';
const forgetProof = () =>
  sql`update web_session set mfa_verified = null where user_id = ${user.id}`.execute(test.db);
const level = async () =>
  (
    await sql<{ mfa_level: number }>`select mfa_level from account where id = ${user.id}`.execute(
      test.db,
    )
  ).rows[0]?.mfa_level;

describe('an authenticator', () => {
  it('enrolls an authenticator with its first code and then requires it', async () => {
    expect((await own.get(MFA)).body).toEqual({
      level: 0,
      forced: false,
      totp: false,
      passkeys: 0,
      recovery_codes_left: 0,
      verified: false,
      date_verified: null,
    });
    const { recoveryCodes } = await enrolTotp(own, user.password);
    expect(recoveryCodes.every((code) => /^([a-z2-9]{4}-){3}[a-z2-9]{4}$/.test(code))).toBe(true);
    expect((await own.get(MFA)).body).toEqual({
      level: 1,
      forced: false,
      totp: true,
      passkeys: 0,
      recovery_codes_left: 10,
      verified: true,
      date_verified: expect.any(String),
    });
    expect((await tryToSignIn(test, user)).body).toMatchObject({ error: 'mfa_required' });
  });

  it('changes nothing before the first code of an authenticator', async () => {
    await own.post(`${MFA}totp/begin/`, { password: user.password });
    expect((await own.post(`${MFA}totp/confirm/`, { code: '000000' })).body.error).toBe(
      'mfa_failed',
    );
    expect([await level(), (await tryToSignIn(test, user)).status]).toEqual([0, 201]);
  });

  it('shows the secret only with the right password', async () => {
    for (const body of [undefined, {}, { password: '' }, { password: 'wrong' }, { password: 7 }])
      expect(Object.keys((await own.post(`${MFA}totp/begin/`, body)).body)).toEqual(['password']);
  });

  it('limits wrong passwords when an authenticator is set up', async () => {
    for (let failures = 0; failures < 7; failures++)
      await own.post(`${MFA}totp/begin/`, { password: 'wrong' });
    expect((await own.post(`${MFA}totp/begin/`, { password: user.password })).body.error).toBe(
      'block_login',
    );
  });

  it('confirms an authenticator only in the same sign-in, within ten minutes', async () => {
    const { body } = await own.post<{ secret: string }>(`${MFA}totp/begin/`, {
      password: user.password,
    });
    const elsewhere = await bearer(test, user);
    expect(
      (await elsewhere.post(`${MFA}totp/confirm/`, { code: codeOf(body.secret) })).body.error,
    ).toBe('mfa_failed');
    await sql`update totp_offer set date_expired = now() where user_id = ${user.id}`.execute(
      test.db,
    );
    expect((await own.post(`${MFA}totp/confirm/`, { code: codeOf(body.secret) })).body.error).toBe(
      'mfa_failed',
    );
  });

  it('requires the current authenticator before it is replaced, recreated or removed', async () => {
    const { secret } = await enrolTotp(own, user.password);
    await forgetProof();
    for (const path of [`${MFA}totp/begin/`, `${MFA}totp/disable/`, `${MFA}recovery-codes/`]) {
      const { status, body } = await own.post(path, { password: user.password });
      expect([path, status, body.code]).toEqual([path, 403, 'mfa_verify_required']);
    }
    expect((await own.post('authentication/otp/verify/', { code: codeOf(secret) })).body).toEqual({
      ok: '1',
    });
    expect((await own.post(`${MFA}totp/disable/`)).status).toBe(200);
    expect([await level(), (await tryToSignIn(test, user)).status]).toEqual([0, 201]);
    expect((await own.get(MFA)).body).toMatchObject({ totp: false, recovery_codes_left: 0 });
  });

  it('keeps the authenticator when a second factor is mandatory', async () => {
    await enrolTotp(own, user.password);
    await sql`update account set mfa_level = 2 where id = ${user.id}`.execute(test.db);
    const { status, body } = await own.post(`${MFA}totp/disable/`);
    expect([status, body.code]).toEqual([400, 'mfa_forced']);
    expect((await own.get(MFA)).body).toMatchObject({
      forced: true,
      totp: true,
      recovery_codes_left: 10,
    });
  });

  it('invalidates old recovery codes when new ones are created', async () => {
    const { recoveryCodes } = await enrolTotp(own, user.password);
    const { body } = await own.post<{ recovery_codes: string[] }>(`${MFA}recovery-codes/`);
    await forgetProof();
    expect(
      (await own.post('authentication/otp/verify/', { code: recoveryCodes[0] })).body.error,
    ).toBe('mfa_failed');
    expect(
      (await own.post('authentication/otp/verify/', { code: body.recovery_codes[0] })).body,
    ).toEqual({ ok: '1' });
    expect((await own.get(MFA)).body.recovery_codes_left).toBe(9);
  });
});

describe('proving again while signed in', () => {
  it('keeps a proof valid for the configured time, in this sign-in only', async () => {
    const { secret } = await enrolTotp(own, user.password);
    const elsewhere = await bearerWithCode(secret);
    await sql`
      update web_session set mfa_verified = now() - interval '61 minutes'
      where user_id = ${user.id}`.execute(test.db);
    const { body } = await own.with({ 'x-tz': 'UTC' }).get<MfaState>(MFA);
    expect(body.verified).toBe(false);
    expect(
      (Date.now() - (parseDatetime(body.date_verified ?? '')?.getTime() ?? 0)) / 60_000,
    ).toBeCloseTo(61, 0);
    await sql`update totp set last_step = 0 where user_id = ${user.id}`.execute(test.db);
    await own.post('authentication/otp/verify/', { code: codeOf(secret) });
    expect([(await own.get(MFA)).body.verified, (await elsewhere.get(MFA)).body.verified]).toEqual([
      true,
      false,
    ]);
  });

  it('accepts each code once and limits wrong codes', async () => {
    const { secret } = await enrolTotp(own, user.password);
    const code = codeOf(secret);
    const verify = (typed: string) => own.post('authentication/otp/verify/', { code: typed });
    expect((await verify(code)).status).toBe(200);
    expect((await verify(code)).body.error).toBe('mfa_failed');
    for (let failures = 1; failures < 7; failures++) await verify(wrongCode(secret));
    expect((await verify(codeOf(secret, 1))).body.error).toBe('block_login');
  });

  it('rejects a proof without a second factor', async () => {
    expect((await own.post('authentication/otp/verify/', { code: '123456' })).body.error).toBe(
      'mfa_unset',
    );
  });

  async function bearerWithCode(secret: string): Promise<Client> {
    const first = await test.visitor.post('authentication/auth/', {
      username: user.username,
      password: user.password,
    });
    const script = test.visitor.with({
      cookie: (first.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '',
    });
    await script.post('authentication/mfa/challenge/', { code: codeOf(secret) });
    const { body } = await script.post<{ token: string }>('authentication/auth/', {});
    return test.visitor.with({ authorization: `Bearer ${body.token}` });
  }
});

describe('the level of the caller’s own account', () => {
  it('switches the own level on and off while no factor exists, never to mandatory', async () => {
    expect((await own.patch('users/profile/', { mfa_level: 1 })).body).toMatchObject({
      mfa_level: 1,
      mfa_enabled: true,
    });
    expect((await own.patch('users/profile/', { mfa_level: 0 })).status).toBe(200);
    expect(Object.keys((await own.patch('users/profile/', { mfa_level: 2 })).body)).toEqual([
      'mfa_level',
    ]);
  });

  it('rejects switching the level off while factors exist or when it is mandatory', async () => {
    await enrolTotp(own, user.password);
    expect(Object.keys((await own.patch('users/profile/', { mfa_level: 0 })).body)).toEqual([
      'mfa_level',
    ]);
    await sql`update account set mfa_level = 2 where id = ${user.id}`.execute(test.db);
    for (const mfa_level of [0, 1])
      expect(Object.keys((await own.patch('users/profile/', { mfa_level })).body)).toEqual([
        'mfa_level',
      ]);
    expect((await own.patch('users/profile/', { mfa_level: 2, comment: 'x' })).status).toBe(200);
  });
});

describe('removing the factors of another user', () => {
  const reset = (client: Client, id = user.id) => client.get(`users/users/${id}/otp/reset/`);

  it("removes a user's factors, ends the sign-ins and logs the change", async () => {
    await enrolTotp(own, user.password);
    const admin = await bearer(test);
    expect((await reset(admin)).body).toEqual({ msg: 'success' });
    expect((await own.get('users/profile/')).status).toBe(401);
    expect((await tryToSignIn(test, user)).body).toMatchObject({ error: 'mfa_unset' });
    const { rows } = await sql<{
      changes: Json;
    }>`select changes from operate_log where resource_id = ${user.id} order by datetime desc limit 1`.execute(
      test.db,
    );
    expect(rows[0]?.changes).toEqual({ totp: [true, false], passkeys: [0, 0] });
  });

  it('rejects removing the own factors', async () => {
    const admin = await bearer(test);
    const me = String((await admin.get('users/profile/')).body.id);
    expect((await reset(admin, me)).status).toBe(401);
  });

  it('rejects administrators without rights on the account', async () => {
    const organization = await buildOrganization(test.db);
    const chief = await buildUser(test.db, {
      role: 'Admin',
      memberOf: [{ organization, role: 'User' }],
    });
    const local = await signInMember(test, organization);
    expect((await reset(local, chief.id)).status).toBe(403);
    expect((await reset(local)).status).toBe(404);
    expect((await reset(own)).status).toBe(403);
  });

  it('rejects removing factors by a link', async () => {
    const admin = await browser(test);
    expect((await reset(admin.with({ 'x-csrftoken': '' }))).body.code).toBe('csrf_failed');
    expect((await reset(admin)).status).toBe(200);
  });
});
