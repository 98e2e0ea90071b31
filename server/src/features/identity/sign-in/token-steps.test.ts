import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

/** The first request of a script, and the script with the cookie it was given. */
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

it('a script is asked for a code, gives it, and fetches its token', async () => {
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

it('a script that repeats its password after the code is let in as well', async () => {
  const { script } = await first();
  await script.post(CHALLENGE, { code: codeOf(secret) });
  expect(
    (await script.post(AUTH, { username: user.username, password: user.password })).status,
  ).toBe(201);
});

it('the code of one account lets no other in', async () => {
  const other = await buildUser(test.db);
  await enrolTotp(await bearer(test, other), other.password);
  const { script } = await first();
  await script.post(CHALLENGE, { code: codeOf(secret) });
  const theirs = await script.post(AUTH, { username: other.username, password: other.password });
  expect([theirs.status, theirs.body.error]).toEqual([200, 'mfa_required']);
});

it('a proved code is no password', async () => {
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
  ])('refuses %j by field', async (body, field) => {
    const refused = await (await first()).script.post(CHALLENGE, body);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
  });

  it('refuses a wrong code, and a right one without a sign-in', async () => {
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

  it('proves once: a second right code finds nothing to prove', async () => {
    const { script } = await first();
    await script.post(CHALLENGE, { code: codeOf(secret) });
    expect((await script.post(CHALLENGE, { code: codeOf(secret, 1) })).body.error).toBe(
      'session_empty',
    );
  });

  it('of a script is not a browser’s, nor the other way round', async () => {
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

  it('is too late once the account is disabled', async () => {
    const { script } = await first();
    await script.post(CHALLENGE, { code: codeOf(secret) });
    await sql`update account set is_active = false where id = ${user.id}`.execute(test.db);
    expect((await script.post(AUTH, {})).body.error).toBe('user_inactive');
  });
});

it('two tokens at once cannot be fetched with one code', async () => {
  const { script } = await first();
  await script.post(CHALLENGE, { code: codeOf(secret) });
  const answers = await Promise.all(Array.from({ length: 5 }, () => script.post(AUTH, {})));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
});

it('a script that has to set a factor up is sent to a browser', async () => {
  const fresh = await buildUser(test.db);
  await sql`update account set mfa_level = 1 where id = ${fresh.id}`.execute(test.db);
  const { answer } = await first(fresh);
  expect([answer.status, answer.body.error, cookiesOf(answer.headers).sallyport_signin]).toEqual([
    400,
    'mfa_unset',
    undefined,
  ]);
});

it('too many requests are slowed down, with the time to come back', async () => {
  // A few are let through again each second: time stops, and what counts is that some of many are refused.
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
