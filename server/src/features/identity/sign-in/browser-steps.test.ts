import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

/** Types name and password; returns the answer and the browser as it goes on. */
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

/** Whether an answer let somebody in: the profile opens with its cookie. */
async function isIn(answer: Answer<unknown>): Promise<boolean> {
  const { sessionid } = cookiesOf(answer.headers);
  return (
    sessionid !== undefined &&
    (await test.visitor.with({ cookie: `sessionid=${sessionid}` }).get('users/profile/')).status ===
      200
  );
}

const age = (id: string) =>
  sql`update account set date_password_last_updated = now() - interval '10001 days' where id = ${id}`.execute(
    test.db,
  );
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

  it('is asked for after the password, and nothing is open before it', async () => {
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

  it('leaves the sign-in with its second factor verified', async () => {
    const { visiting } = await type();
    const { sessionid } = cookiesOf(
      (await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) })).headers,
    );
    expect(
      (await test.visitor.with({ cookie: `sessionid=${sessionid}` }).get('authentication/mfa/'))
        .body,
    ).toMatchObject({ verified: true });
  });

  it('a code is good once, also for another sign-in', async () => {
    const [first, second] = [await type(), await type()];
    const code = codeOf(secret);
    expect(await isIn(await first.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code }))).toBe(
      true,
    );
    const replayed = await second.visiting.post(`${LOGIN}mfa/`, { type: 'totp', code });
    expect([replayed.status, replayed.body.error]).toEqual([400, 'mfa_failed']);
    // A code of an earlier step is over as well once a later one was used.
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

  it('the same code at once lets one in', async () => {
    const tries = await Promise.all(Array.from({ length: 6 }, () => type()));
    const code = codeOf(secret);
    const answers = await Promise.all(
      tries.map(({ visiting }) => visiting.post(`${LOGIN}mfa/`, { type: 'totp', code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });

  it('one ticket at once lets in once', async () => {
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

  it.each(['-2', '2'])('a code of %s steps away is wrong', async (steps) => {
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

  it('a recovery code is accepted once, however it is typed', async () => {
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

  it('guessing is over after as many wrong codes as wrong passwords, with new sign-ins and from everywhere', async () => {
    const wrong = wrongCode(secret);
    for (let failures = 0; failures < 7; failures++) {
      const { visiting } = await type();
      await sql`update login_attempt set failures = 0 where username = ${user.username} and remote_addr <> '*'`.execute(
        test.db,
      );
      expect((await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: wrong })).body.error).toBe(
        'mfa_failed',
      );
    }
    await sql`delete from login_attempt where username = ${user.username} and remote_addr <> '*'`.execute(
      test.db,
    );
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

  it('wrong codes at once are all counted', async () => {
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

  it('typing the password again does not give new guesses', async () => {
    const { visiting } = await type();
    for (let failures = 0; failures < 7; failures++)
      await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: wrongCode(secret) });
    expect((await type()).answer.body.error).toBe('block_login');
  });

  it('of one account opens no other', async () => {
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
  ] as const)('is too late for an account %s in between', async (_what, change, error) => {
    const { visiting } = await type();
    await sql`update account set ${change} where id = ${user.id}`.execute(test.db);
    const late = await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: codeOf(secret) });
    expect([late.status, late.body.error, cookiesOf(late.headers).sessionid]).toEqual([
      400,
      error,
      undefined,
    ]);
  });

  it('is too late after ten minutes, after cancelling, and without the cookie', async () => {
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

  it.each(['mfa/', 'password/', 'cancel/', 'enrol/totp/begin/', 'mfa/passkey/'])(
    'the step %s is refused to another site',
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

  it('cannot be enrolled again with the password alone', async () => {
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
  ])('is never %j', async (body) => {
    const { visiting } = await type();
    const answer = await visiting.post(`${LOGIN}mfa/`, body);
    expect([answer.status, cookiesOf(answer.headers).sessionid]).toEqual([400, undefined]);
  });

  it('is stored so that a reader of the database has neither secret nor codes', async () => {
    await type();
    const { rows } = await sql<{ text: string }>`
      select t::text as text from totp t union all select r::text from recovery_code r union all select p::text from pending_sign_in p`.execute(
      test.db,
    );
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

  it('is set up during the sign-in, and its recovery codes are shown once', async () => {
    const { answer, visiting } = await type();
    expect(answer.body).toMatchObject({ state: 'mfa_unset', factors: [] });
    const { body: shown } = await visiting.post<{ secret: string; uri: string; qr_svg: string }>(
      `${LOGIN}enrol/totp/begin/`,
    );
    expect(shown.uri).toContain(`secret=${shown.secret}`);
    expect(shown.qr_svg).toMatch(/^<svg/);
    expect(
      (await visiting.post(`${LOGIN}enrol/totp/confirm/`, { code: wrongCode(shown.secret) })).body
        .error,
    ).toBe('mfa_failed');
    // The same code is tried again below, whatever the clock says by then.
    const code = codeOf(shown.secret);
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

  it('a secret shown to one sign-in is not confirmed by another', async () => {
    const [one, two] = [await type(), await type()];
    const { body } = await one.visiting.post<{ secret: string }>(`${LOGIN}enrol/totp/begin/`);
    expect(
      (await two.visiting.post(`${LOGIN}enrol/totp/confirm/`, { code: codeOf(body.secret) })).body
        .error,
    ).toBe('mfa_failed');
  });

  it('is not passed by proving something', async () => {
    const { visiting } = await type();
    expect((await visiting.post(`${LOGIN}mfa/`, { type: 'totp', code: '123456' })).body.error).toBe(
      'session_empty',
    );
  });
});

it('the setting for all users requires it of administrators, too', async () => {
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
  const given = 'given by somebody 1';
  let admin: Client;
  beforeEach(async () => {
    admin = await bearer(test);
  });
  const assign = async () =>
    expect((await admin.patch(`users/users/${user.id}/`, { password: given })).status).toBe(200);
  const set = (value: boolean) =>
    admin.patch('settings/setting/', { security: { SECURITY_CHANGE_ASSIGNED_PASSWORD: value } });

  it('has to be changed when the user signs in with a browser, once', async () => {
    await assign();
    const { answer, visiting } = await type({ ...user, password: given });
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
      new_password: given,
      new_password_again: given,
    });
    expect([same.status, Object.keys(same.body)]).toEqual([400, ['new_password']]);
    expect(
      await isIn(
        await visiting.post(`${LOGIN}password/`, { new_password: NEW, new_password_again: NEW }),
      ),
    ).toBe(true);
    expect(await isIn((await type({ ...user, password: NEW })).answer)).toBe(true);
    // It was no failure, and the password was not too old.
    expect((await reasons(user.username)).map(([reason]) => reason)).toEqual(['', '']);
  });

  it('is the one of a new user, too, and is good as it is where no page can ask', async () => {
    const username = `given-${user.username}`;
    const made = await admin.post('users/users/', {
      name: username,
      username,
      email: `${username}@example.com`,
      password: given,
      password_strategy: 1,
    });
    expect(made.status).toBe(201);
    expect((await type({ username, password: given })).answer.body).toMatchObject({
      reason: 'assigned',
    });
    expect(
      (await (await bearer(test, { username, password: given })).get('users/profile/')).status,
    ).toBe(200);
  });

  it('stays when its owner chose it, by a form or with the old one, and where the setting is off', async () => {
    await assign();
    const own = await bearer(test, { ...user, password: given });
    expect(
      (
        await own.put('users/profile/password/', {
          old_password: given,
          new_password: NEW,
          new_password_again: NEW,
        })
      ).status,
    ).toBe(200);
    expect(await isIn((await type({ ...user, password: NEW })).answer)).toBe(true);
    expect(
      (await admin.patch(`users/users/${user.id}/password/`, { password: given })).status,
    ).toBe(200);
    await set(false);
    try {
      expect(await isIn((await type({ ...user, password: given })).answer)).toBe(true);
    } finally {
      await set(true);
    }
    expect((await type({ ...user, password: given })).answer.body).toMatchObject({
      reason: 'assigned',
    });
  });
});

describe('an expired password', () => {
  beforeEach(() => age(user.id));

  it('has to be replaced during the sign-in', async () => {
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
  ])('is not replaced by %j', async (body, field) => {
    const { visiting } = await type();
    const refused = await visiting.post(`${LOGIN}password/`, body);
    expect([refused.status, Object.keys(refused.body)]).toEqual([
      400,
      expect.arrayContaining([field]),
    ]);
    expect((await visiting.get(`${LOGIN}state/`)).body.state).toBe('password_expired');
  });

  it('is not replaced by itself', async () => {
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

  it('stays the password until the second factor is proved as well', async () => {
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
