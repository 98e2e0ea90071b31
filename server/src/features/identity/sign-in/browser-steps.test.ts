import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Answer, Client, Json } from '../../../testing/client.ts';
import { codeOf, enrolTotp, forgetUsedCodes, wrongCode } from '../../../testing/second-factors.ts';
import { bearer, browser, cookiesOf, openBrowser } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let user: BuiltUser;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
});

const LOGIN = '/core/auth/login/';
const NEW = 'a brand new one 2';

/** Submits name and password; returns the response and the browser for the next step. */
async function type(
  who: { username: string; password: string } = user,
  more: Json = {},
): Promise<{ answer: Answer<Json>; visiting: Client }> {
  const visiting = await openBrowser(test);
  const answer = await visiting.post(LOGIN, {
    username: who.username,
    password: who.password,
    ...more,
  });
  const { sallyport_signin: ticket = '' } = cookiesOf(answer.headers);
  return {
    answer,
    visiting: visiting.with({ cookie: `${visiting.headers.cookie}; sallyport_signin=${ticket}` }),
  };
}

/** Returns true if the response signed the user in: its cookie opens the profile. */
async function isIn(answer: Answer<unknown>): Promise<boolean> {
  const { sessionid } = cookiesOf(answer.headers);
  return (
    sessionid !== undefined &&
    (await test.visitor.with({ cookie: `sessionid=${sessionid}` }).get('users/profile/')).status ===
      200
  );
}

const age = (id: string) =>
  sql`
    update account set date_password_last_updated = now() - interval '10001 days'
    where id = ${id}`.execute(test.db);
const reasons = async (username: string) =>
  (
    await sql<{
      reason: string;
      mfa: number;
    }>`select reason, mfa from login_log where username = ${username} order by datetime`.execute(
      test.db,
    )
  ).rows.map(({ reason, mfa }) => [reason, mfa]);

describe('a second factor', () => {
  let secret: string;
  let recoveryCodes: readonly string[];
  beforeEach(async () => {
    ({ secret, recoveryCodes } = await enrolTotp(await bearer(test, user), user.password));
  });

  it('requires a second factor after the password and opens nothing before it', async () => {
    const { answer, visiting } = await type(user, { next: '/luna/' });
    expect([answer.status, answer.body]).toEqual([
      200,
      { state: 'mfa_required', username: user.username, factors: ['totp', 'recovery'] },
    ]);
    expect(cookiesOf(answer.headers).sessionid).toBeUndefined();
    expect(
      answer.headers.getSetCookie().find((line) => line.startsWith('sallyport_signin=')),
    ).toMatch(/^sallyport_signin=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await visiting.get('users/profile/')).status).toBe(401);
    expect((await visiting.get(`${LOGIN}state/`)).body).toMatchObject({
      state: 'mfa_required',
      username: user.username,
    });
    const done = await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) });
    expect([done.status, done.body, await isIn(done)]).toEqual([200, { next: '/luna/' }, true]);
    expect((await visiting.get(`${LOGIN}state/`)).body).toMatchObject({ state: 'password' });
    expect((await reasons(user.username)).at(-1)).toEqual(['', 1]);
  });

  it('marks the second factor of the new sign-in as verified', async () => {
    const { visiting } = await type();
    const { sessionid } = cookiesOf(
      (await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) })).headers,
    );
    expect(
      (await test.visitor.with({ cookie: `sessionid=${sessionid}` }).get('authentication/mfa/'))
        .body,
    ).toMatchObject({ verified: true });
  });

  it('accepts a code once, even across sign-ins', async () => {
    const [first, second] = [await type(), await type()];
    const code = codeOf(secret);
    expect(await isIn(await first.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code }))).toBe(
      true,
    );
    const replayed = await second.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code });
    expect([replayed.status, replayed.body.error]).toEqual([400, 'mfa_failed']);
    // A code of an earlier step is invalid too once a later one was used.
    expect(
      (await second.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret, -1) })).body
        .error,
    ).toBe('mfa_failed');
    expect(
      await isIn(
        await second.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret, 1) }),
      ),
    ).toBe(true);
  });

  it('accepts one of several parallel uses of a code', async () => {
    const tries = await Promise.all(Array.from({ length: 6 }, () => type()));
    const code = codeOf(secret);
    const answers = await Promise.all(
      tries.map(({ visiting }) => visiting.post(`${LOGIN}mfa/`, { type: 'totp', code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });

  it('accepts one of several parallel uses of a ticket', async () => {
    const { visiting } = await type();
    const answers = await Promise.all(
      recoveryCodes
        .slice(0, 5)
        .map((code) => visiting.post(`${LOGIN}mfa/`, { type: 'recovery', code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    const { rows } =
      await sql`select 1 from web_session where user_id = ${user.id} and kind = 'browser'`.execute(
        test.db,
      );
    expect(rows).toHaveLength(1);
  });

  it.each(['-2', '2'])('rejects a code that is %s steps away', async (steps) => {
    const { visiting } = await type();
    await forgetUsedCodes(test.db, user.id);
    expect(
      (
        await visiting.post(`${LOGIN}mfa/`, {
          type: 'totp',
          code: codeOf(secret, Number(steps) * 1.5),
        })
      ).body.error,
    ).toBe('mfa_failed');
  });

  it('accepts a recovery code once in any spelling', async () => {
    const [code = '', other = ''] = recoveryCodes;
    const one = await type();
    expect(
      await isIn(
        await one.visiting.post(`${LOGIN}mfa/`, {
          type: 'recovery',
          code: ` ${code.toUpperCase().replaceAll('-', ' ')}`,
        }),
      ),
    ).toBe(true);
    const two = await type();
    expect((await two.visiting.post(`${LOGIN}mfa/`, { type: 'recovery', code })).body.error).toBe(
      'mfa_failed',
    );
    expect(
      await isIn(await two.visiting.post(`${LOGIN}mfa/`, { type: 'recovery', code: other })),
    ).toBe(true);
  });

  it('limits wrong codes across sign-ins and addresses', async () => {
    const wrong = wrongCode(secret);
    for (let failures = 0; failures < 7; failures++) {
      const { visiting } = await type();
      await sql`
        update login_attempt set failures = 0
        where username = ${user.username} and remote_addr <> '*'`.execute(test.db);
      expect((await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: wrong })).body.error).toBe(
        'mfa_failed',
      );
    }
    await sql`
      delete from login_attempt
      where username = ${user.username} and remote_addr <> '*'`.execute(test.db);
    const { answer, visiting } = await type();
    expect(answer.body.state).toBe('mfa_required');
    const refused = await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) });
    expect([refused.status, refused.body.error]).toEqual([400, 'block_login']);
    expect((await reasons(user.username)).at(-1)).toEqual(['block_login', 2]);
    const admin = await bearer(test);
    expect((await admin.patch(`users/users/${user.id}/unblock/`)).body.login_blocked).toBe(false);
    expect(
      await isIn(await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) })),
    ).toBe(true);
  });

  it('counts parallel wrong codes', async () => {
    const wrong = wrongCode(secret);
    const tries = await Promise.all(Array.from({ length: 4 }, () => type()));
    const answers = await Promise.all(
      tries.flatMap(({ visiting }) =>
        Array.from({ length: 5 }, () =>
          visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: wrong }),
        ),
      ),
    );
    expect(answers.filter(({ body }) => body.error === 'mfa_failed')).toHaveLength(7);
    expect(answers.filter(({ body }) => body.error === 'block_login')).toHaveLength(13);
  });

  it('keeps the count of wrong codes when the password is entered again', async () => {
    const { visiting } = await type();
    for (let failures = 0; failures < 7; failures++)
      await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: wrongCode(secret) });
    expect((await type()).answer.body.error).toBe('block_login');
  });

  it('rejects the second factor of another account', async () => {
    const other = await buildUser(test.db);
    const theirs = await enrolTotp(await bearer(test, other), other.password);
    const { visiting } = await type();
    expect(
      (await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(theirs.secret) })).body
        .error,
    ).toBe('mfa_failed');
    expect(
      (await visiting.post(`${LOGIN}mfa/`, { type: 'recovery', code: theirs.recoveryCodes[0] }))
        .body.error,
    ).toBe('mfa_failed');
    expect((await type(other)).answer.body.state).toBe('mfa_required');
  });

  it.each([
    ['disabled', sql`is_active = false`, 'user_inactive'],
    ['expired', sql`date_expired = now()`, 'user_inactive'],
    ['given another password', sql`password = 'x'`, 'session_empty'],
  ] as const)(
    'rejects the second factor of an account %s in between',
    async (_what, change, error) => {
      const { visiting } = await type();
      await sql`update account set ${change} where id = ${user.id}`.execute(test.db);
      const late = await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) });
      expect([late.status, late.body.error, cookiesOf(late.headers).sessionid]).toEqual([
        400,
        error,
        undefined,
      ]);
    },
  );

  it('rejects a second factor after ten minutes, after canceling, and without the cookie', async () => {
    const { visiting } = await type();
    await sql`update pending_sign_in set date_expired = now() where user_id = ${user.id}`.execute(
      test.db,
    );
    expect(
      (await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) })).body.error,
    ).toBe('session_empty');
    const again = await type();
    expect((await again.visiting.post(`${LOGIN}cancel/`)).status).toBe(200);
    expect(
      (await again.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) })).body
        .error,
    ).toBe('session_empty');
    expect(
      (await (await openBrowser(test)).post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) }))
        .body.error,
    ).toBe('session_empty');
  });

  it('says that the verification failed when the sign-in has ended or its second factor is locked', async () => {
    const texts = [
      ['en', /^Verification failed, please Login again\./],
      ['zh', /^验证失败，请重新登录。/],
    ] as const;
    const ended = await type();
    await ended.visiting.post(`${LOGIN}cancel/`);
    const locked = await type();
    for (let failures = 0; failures < 7; failures++)
      await locked.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: wrongCode(secret) });
    for (const [language, text] of texts)
      for (const [{ visiting }, error] of [
        [ended, 'session_empty'],
        [locked, 'block_login'],
      ] as const) {
        const { body } = await visiting
          .with({ 'accept-language': language })
          .post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) });
        expect(body).toMatchObject({ error, msg: expect.stringMatching(text) });
      }
  });

  it.each(['mfa/', 'password/', 'cancel/', 'enrol/totp/begin/', 'mfa/passkey/'])(
    'rejects the step %s from another site',
    async (step) => {
      const { visiting } = await type();
      expect(
        (await visiting.with({ origin: 'https://evil.example' }).post(`${LOGIN}${step}`, {})).body
          .code,
      ).toBe('origin_refused');
      expect(
        (await visiting.with({ 'x-csrftoken': '' }).post(`${LOGIN}${step}`, {})).body.code,
      ).toBe('csrf_failed');
    },
  );

  it('rejects enrolling another factor with the password alone', async () => {
    const { visiting } = await type();
    for (const step of ['enrol/totp/begin/', 'enrol/totp/confirm/', 'enrol/passkey/begin/'])
      expect((await visiting.post(`${LOGIN}${step}`, { code: '123456' })).body.error).toBe(
        'session_empty',
      );
  });

  it.each([
    {},
    { code: '' },
    { type: 'totp' },
    { type: 'passkey' },
    { type: 'passkey', response: { response: 7 } },
    { code: 7 },
    { type: 'login_confirm', code: '1' },
  ])('rejects the second factor %j', async (body) => {
    const { visiting } = await type();
    const answer = await visiting.post(`${LOGIN}mfa/`, body);
    expect([answer.status, cookiesOf(answer.headers).sessionid]).toEqual([400, undefined]);
  });

  it('stores neither the secret nor the codes in readable form', async () => {
    await type();
    const { rows } = await sql<{ text: string }>`
      select t::text as text from totp t
      union all select r::text from recovery_code r
      union all select p::text from pending_sign_in p`.execute(test.db);
    const text = rows.map((row) => row.text).join();
    for (const plain of [
      secret,
      ...recoveryCodes,
      ...recoveryCodes.map((code) => code.replaceAll('-', '')),
    ])
      expect(text).not.toContain(plain);
    expect(test.log()).not.toContain(secret);
  });
});

describe('a second factor that is demanded and missing', () => {
  beforeEach(() => sql`update account set mfa_level = 2 where id = ${user.id}`.execute(test.db));

  it('enrolls a required second factor during the sign-in and shows recovery codes once', async () => {
    const { answer, visiting } = await type();
    expect(answer.body).toMatchObject({ state: 'mfa_unset', factors: [] });
    const { body: offer } = await visiting.post<{ secret: string; uri: string; qr_svg: string }>(
      `${LOGIN}enrol/totp/begin/`,
    );
    expect(offer.uri).toContain(`secret=${offer.secret}`);
    expect(offer.qr_svg).toMatch(/^<svg/);
    expect(
      (await visiting.post(`${LOGIN}enrol/totp/confirm/`, { code: wrongCode(offer.secret) })).body
        .error,
    ).toBe('mfa_failed');
    // The test repeats this code below, independently of the clock.
    const code = codeOf(offer.secret);
    const done = await visiting.post<{ next: string; recovery_codes: string[] }>(
      `${LOGIN}enrol/totp/confirm/`,
      { code },
    );
    expect([done.status, done.body.recovery_codes.length, await isIn(done)]).toEqual([
      200,
      10,
      true,
    ]);
    const again = await type();
    expect(again.answer.body.state).toBe('mfa_required');
    expect((await again.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code })).body.error).toBe(
      'mfa_failed',
    );
    expect(
      await isIn(
        await again.visiting.post(`${LOGIN}mfa/`, {
          type: 'recovery',
          code: done.body.recovery_codes[3],
        }),
      ),
    ).toBe(true);
  });

  it('rejects a secret that was offered to another sign-in', async () => {
    const [one, two] = [await type(), await type()];
    const { body } = await one.visiting.post<{ secret: string }>(`${LOGIN}enrol/totp/begin/`);
    expect(
      (await two.visiting.post(`${LOGIN}enrol/totp/confirm/`, { code: codeOf(body.secret) })).body
        .error,
    ).toBe('mfa_failed');
  });

  it('rejects a proof while a required factor is missing', async () => {
    const { visiting } = await type();
    expect((await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: '123456' })).body.error).toBe(
      'session_empty',
    );
  });
});

it('requires a second factor of administrators too when the setting is on', async () => {
  const program = await startTestProgram();
  try {
    const admin = await browser(program);
    expect(
      (await admin.patch('settings/setting/', { security: { SECURITY_MFA_AUTH: true } })).status,
    ).toBe(200);
    const visiting = await openBrowser(program);
    await expect
      .poll(
        async () =>
          (await visiting.post(LOGIN, { username: 'admin', password: 'first administrator 1' }))
            .body,
      )
      .toMatchObject({ state: 'mfa_unset' });
  } finally {
    await program.stop();
  }
});

describe('a password that an administrator set', () => {
  const assigned = 'given by somebody 1';
  let admin: Client;
  beforeEach(async () => {
    admin = await bearer(test);
  });
  const assign = async () =>
    expect((await admin.patch(`users/users/${user.id}/`, { password: assigned })).status).toBe(200);
  const set = (value: boolean) =>
    admin.patch('settings/setting/', { security: { SECURITY_CHANGE_ASSIGNED_PASSWORD: value } });

  it('requires a change of an assigned password at the first sign-in with a browser, once', async () => {
    await assign();
    const { answer, visiting } = await type({ ...user, password: assigned });
    expect(answer.body).toEqual({
      state: 'password_expired',
      username: user.username,
      factors: [],
      reason: 'assigned',
    });
    expect((await visiting.get(`${LOGIN}state/`)).body).toMatchObject({
      state: 'password_expired',
      reason: 'assigned',
    });
    expect((await visiting.get('users/profile/')).status).toBe(401);
    const same = await visiting.post(`${LOGIN}password/`, {
      new_password: assigned,
      new_password_again: assigned,
    });
    expect([same.status, Object.keys(same.body)]).toEqual([400, ['new_password']]);
    expect(
      await isIn(
        await visiting.post(`${LOGIN}password/`, { new_password: NEW, new_password_again: NEW }),
      ),
    ).toBe(true);
    expect(await isIn((await type({ ...user, password: NEW })).answer)).toBe(true);
    // The log shows no failure and no expired password.
    expect((await reasons(user.username)).map(([reason]) => reason)).toEqual(['', '']);
  });

  it('ends the access keys that were made with it, once its user has chosen another', async () => {
    await assign();
    const knows = await bearer(test, { ...user, password: assigned });
    const key = await knows.post('authentication/access-keys/', { name: 'kept' });
    expect(key.status, key.text).toBe(201);
    const { visiting } = await type({ ...user, password: assigned });
    const chosen = { new_password: NEW, new_password_again: NEW };
    expect(await isIn(await visiting.post(`${LOGIN}password/`, chosen))).toBe(true);
    const keys = await sql`select from access_key where user_id = ${user.id}`.execute(test.db);
    expect(keys.rows).toEqual([]);
    expect((await knows.get('users/profile/')).status).toBe(401);
  });

  it("requires a change of a new user's password, except where no page can ask for it", async () => {
    const username = `assigned-${user.username}`;
    const created = await admin.post('users/users/', {
      name: username,
      username,
      email: `${username}@example.com`,
      password: assigned,
      password_strategy: 1,
    });
    expect(created.status).toBe(201);
    expect((await type({ username, password: assigned })).answer.body).toMatchObject({
      reason: 'assigned',
    });
    expect(
      (await (await bearer(test, { username, password: assigned })).get('users/profile/')).status,
    ).toBe(200);
  });

  it('requires no change of a password that its owner chose, or when the setting is off', async () => {
    await assign();
    const own = await bearer(test, { ...user, password: assigned });
    expect(
      (
        await own.put('users/profile/password/', {
          old_password: assigned,
          new_password: NEW,
          new_password_again: NEW,
        })
      ).status,
    ).toBe(200);
    expect(await isIn((await type({ ...user, password: NEW })).answer)).toBe(true);
    expect(
      (await admin.patch(`users/users/${user.id}/password/`, { password: assigned })).status,
    ).toBe(200);
    await set(false);
    try {
      expect(await isIn((await type({ ...user, password: assigned })).answer)).toBe(true);
    } finally {
      await set(true);
    }
    expect((await type({ ...user, password: assigned })).answer.body).toMatchObject({
      reason: 'assigned',
    });
  });
});

describe('an expired password', () => {
  beforeEach(() => age(user.id));

  it('requires a new password during the sign-in when the old one has expired', async () => {
    await sql`update account set date_password_last_updated = now() where id = ${user.id}`.execute(
      test.db,
    );
    const elsewhere = await bearer(test, user);
    await age(user.id);
    const { answer, visiting } = await type();
    expect(answer.body).toMatchObject({ state: 'password_expired', reason: 'expired' });
    const done = await visiting.post(`${LOGIN}password/`, {
      new_password: NEW,
      new_password_again: NEW,
    });
    expect([done.status, done.body, await isIn(done)]).toEqual([200, { next: '/ui/' }, true]);
    expect((await type()).answer.body.error).toBe('password_failed');
    expect(await isIn((await type({ ...user, password: NEW })).answer)).toBe(true);
    expect((await elsewhere.get('users/profile/')).status).toBe(401);
    const { rows } =
      await sql`select 1 from password_change_log where user_id = ${user.id}`.execute(test.db);
    expect(rows).toHaveLength(1);
  });

  it.each([
    [{ new_password: 'short', new_password_again: 'short' }, 'new_password'],
    [{ new_password: NEW, new_password_again: 'another' }, 'new_password_again'],
    [{ new_password: '', new_password_again: '' }, 'new_password'],
    [{}, 'new_password'],
  ])('rejects the new password %j', async (body, field) => {
    const { visiting } = await type();
    const refused = await visiting.post(`${LOGIN}password/`, body);
    expect([refused.status, Object.keys(refused.body)]).toEqual([
      400,
      expect.arrayContaining([field]),
    ]);
    expect((await visiting.get(`${LOGIN}state/`)).body.state).toBe('password_expired');
  });

  it('rejects the old password as the new one', async () => {
    const { visiting } = await type();
    expect(
      Object.keys(
        (
          await visiting.post(`${LOGIN}password/`, {
            new_password: user.password,
            new_password_again: user.password,
          })
        ).body,
      ),
    ).toEqual(['new_password']);
  });

  it('keeps the old password until the second factor is proved', async () => {
    await sql`update account set date_password_last_updated = now() where id = ${user.id}`.execute(
      test.db,
    );
    const { secret } = await enrolTotp(await bearer(test, user), user.password);
    await age(user.id);
    const before = await sql`select password from account where id = ${user.id}`.execute(test.db);
    const { visiting } = await type();
    expect(
      (await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) })).body.error,
    ).toBe('session_empty');
    expect(
      (await visiting.post(`${LOGIN}password/`, { new_password: NEW, new_password_again: NEW }))
        .body.state,
    ).toBe('mfa_required');
    expect(
      (await sql`select password from account where id = ${user.id}`.execute(test.db)).rows,
    ).toEqual(before.rows);
    expect(
      await isIn(await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) })),
    ).toBe(true);
    expect((await type({ ...user, password: NEW })).answer.body.state).toBe('mfa_required');
  });
});
