import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Answer, Client, Json } from '../../../testing/client.ts';
import { codeOf, enrolTotp, wrongCode } from '../../../testing/second-factors.ts';
import { bearer, cookiesOf, openBrowser } from '../../../testing/sign-in.ts';
import { withStoppedClock } from '../../../testing/stopped-clock.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let user: BuiltUser;
let secret: string;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  ({ secret } = await enrolTotp(await bearer(test, user), user.password));
});

const AUTH = 'authentication/auth/';
const CHALLENGE = 'authentication/mfa/challenge/';

/** Sends the first request of a script; returns the response and the script with its cookie. */
async function first(
  who: { username: string; password: string } = user,
): Promise<{ answer: Answer<Json>; script: Client }> {
  const answer = await test.visitor.post(AUTH, { username: who.username, password: who.password });
  return {
    answer,
    script: test.visitor.with({
      cookie: `sallyport_signin=${cookiesOf(answer.headers).sallyport_signin ?? ''}`,
    }),
  };
}

it('requires a code of a script and then returns its token', async () => {
  const { answer, script } = await first();
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      error: 'mfa_required',
      msg: 'A second factor is required.',
      data: { choices: ['code', 'recovery'], url: `/api/v1/${CHALLENGE}` },
    },
  ]);
  expect((await script.post(AUTH, {})).body.error).toBe('mfa_required');
  expect((await script.post(CHALLENGE, { code: codeOf(secret) })).body).toEqual({ msg: 'ok' });
  const { status, body } = await script.post<{ token: string }>(AUTH, {});
  expect(status).toBe(201);
  expect(
    (await test.visitor.with({ authorization: `Bearer ${body.token}` }).get('users/profile/'))
      .status,
  ).toBe(200);
  expect((await script.post(AUTH, {})).body.error).toBe('session_empty');
});

it('accepts a script that repeats its password after the code', async () => {
  const { script } = await first();
  await script.post(CHALLENGE, { code: codeOf(secret) });
  expect(
    (await script.post(AUTH, { username: user.username, password: user.password })).status,
  ).toBe(201);
});

it('rejects the code of another account', async () => {
  const other = await buildUser(test.db);
  await enrolTotp(await bearer(test, other), other.password);
  const { script } = await first();
  await script.post(CHALLENGE, { code: codeOf(secret) });
  const theirs = await script.post(AUTH, { username: other.username, password: other.password });
  expect([theirs.status, theirs.body.error]).toEqual([200, 'mfa_required']);
});

it('rejects a wrong password after a right code', async () => {
  const { script } = await first();
  await script.post(CHALLENGE, { code: codeOf(secret) });
  expect((await script.post(AUTH, { username: user.username, password: 'wrong' })).body.error).toBe(
    'password_failed',
  );
});

describe('the challenge', () => {
  it.each([
    [{ code: '' }, 'code'],
    [{}, 'code'],
  ])('rejects %j by field', async (body, field) => {
    const refused = await (await first()).script.post(CHALLENGE, body);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
  });

  it('rejects a wrong code, and a right one without a sign-in', async () => {
    const { script } = await first();
    const wrong = await script.post(CHALLENGE, { code: wrongCode(secret) });
    expect([wrong.status, wrong.body]).toEqual([
      400,
      expect.objectContaining({
        error: 'mfa_failed',
        msg: 'The code is incorrect or was already used.',
      }),
    ]);
    expect((await test.visitor.post(CHALLENGE, { code: codeOf(secret) })).body.error).toBe(
      'session_empty',
    );
    expect((await script.post(AUTH, {})).body.error).toBe('mfa_required');
  });

  it('rejects a second code after a right one', async () => {
    const { script } = await first();
    await script.post(CHALLENGE, { code: codeOf(secret) });
    expect((await script.post(CHALLENGE, { code: codeOf(secret, 1) })).body.error).toBe(
      'session_empty',
    );
  });

  it('rejects the challenge of a script in a browser and vice versa', async () => {
    const { script } = await first();
    const page = await openBrowser(test);
    const mixed = page.with({ cookie: `${page.headers.cookie}; ${script.headers.cookie}` });
    expect(
      (await mixed.post('/core/auth/login/mfa/', { type: 'totp', code: codeOf(secret) })).body
        .error,
    ).toBe('session_empty');
    const typed = await page.post('/core/auth/login/', {
      username: user.username,
      password: user.password,
    });
    const browsing = test.visitor.with({
      cookie: `sallyport_signin=${cookiesOf(typed.headers).sallyport_signin}`,
    });
    expect((await browsing.post(CHALLENGE, { code: codeOf(secret) })).body.error).toBe(
      'session_empty',
    );
  });

  it('rejects a code after the account was disabled', async () => {
    const { script } = await first();
    await script.post(CHALLENGE, { code: codeOf(secret) });
    await sql`update account set is_active = false where id = ${user.id}`.execute(test.db);
    expect((await script.post(AUTH, {})).body.error).toBe('user_inactive');
  });
});

it('returns only one token for parallel requests with one code', async () => {
  const { script } = await first();
  await script.post(CHALLENGE, { code: codeOf(secret) });
  const answers = await Promise.all(Array.from({ length: 5 }, () => script.post(AUTH, {})));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
});

it('rejects a script that has to enroll a factor', async () => {
  const fresh = await buildUser(test.db);
  await sql`update account set mfa_level = 1 where id = ${fresh.id}`.execute(test.db);
  const { answer } = await first(fresh);
  expect([answer.status, answer.body.error, cookiesOf(answer.headers).sallyport_signin]).toEqual([
    400,
    'mfa_unset',
    undefined,
  ]);
});

it('limits requests and says when to retry', async () => {
  // Time stops, because the limit refills every second. The test checks that some of many requests
  // are rejected.
  const refusedOf = (path: string, body: object) =>
    withStoppedClock(async () => {
      for (let sent = 0; sent < 60; sent++) {
        const answers = await Promise.all(
          Array.from({ length: 10 }, () => test.visitor.post(path, body)),
        );
        const refused = answers.find(({ status }) => status === 429);
        if (refused) return [refused.body.code, Number(refused.headers.get('retry-after'))];
      }
      return undefined;
    });
  expect(await refusedOf(CHALLENGE, { code: '1' })).toEqual(['too_many_requests', 1]);
  expect(await refusedOf(AUTH, { username: 'x', password: 'y' })).toEqual(['too_many_requests', 1]);
  expect((await test.visitor.get('/api/health/')).status).toBe(200);
});
