import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { SoftwareAuthenticator } from '../../../testing/passkey.ts';
import { bearer, browser, cookiesOf, openBrowser } from '../../../testing/sign-in.ts';
import { whileRefused } from '../../../testing/sign-in-rule.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let user: BuiltUser;
let own: Client;
let key: SoftwareAuthenticator;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await browser(test, user);
  key = new SoftwareAuthenticator(new URL(test.program.url).origin);
});

type Options = Parameters<SoftwareAuthenticator['answer']>[0];
const PASSKEYS = 'authentication/passkeys/';
const ALONE = 'authentication/passkey-login/';
const LOGIN = '/core/auth/login/';

async function optionsOf(client: Client, path: string, body: Json = {}): Promise<Options> {
  const answer = await client.post<{ options: Options }>(path, body);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${answer.text}`);
  return answer.body.options;
}
const add = async (client = own, name = 'laptop', made = key, password = user.password) =>
  client.post<{ id: string; name: string; recovery_codes?: string[] }>(`${PASSKEYS}finish/`, {
    name,
    response: made.register(await optionsOf(client, `${PASSKEYS}begin/`, { password })),
  });
/** Opens a browser that has requested options to sign in with a passkey alone. */
async function alone(): Promise<{ options: Options; visiting: Client }> {
  const page = await openBrowser(test);
  const { body, headers } = await page.post<{ options: Options }>(`${ALONE}begin/`);
  return {
    options: body.options,
    visiting: page.with({
      cookie: `${page.headers.cookie}; sallyport_signin=${cookiesOf(headers).sallyport_signin}`,
    }),
  };
}
/** Opens a browser after a right password, which waits for the second factor. */
async function halfway(who = user): Promise<Client> {
  const page = await openBrowser(test);
  const { headers, body } = await page.post(LOGIN, {
    username: who.username,
    password: who.password,
  });
  expect(body).toMatchObject({ state: 'mfa_required', factors: ['passkey', 'recovery'] });
  return page.with({
    cookie: `${page.headers.cookie}; sallyport_signin=${cookiesOf(headers).sallyport_signin}`,
  });
}

describe('a passkey', () => {
  it('adds, lists, renames and removes a passkey', async () => {
    const added = await add();
    expect([added.status, added.body.name, added.body.recovery_codes?.length]).toEqual([
      201,
      'laptop',
      10,
    ]);
    expect((await own.get('authentication/mfa/')).body).toEqual({
      level: 1,
      forced: false,
      totp: false,
      passkeys: 1,
      recovery_codes_left: 10,
      verified: true,
      date_verified: expect.any(String),
    });
    const renamed = await own.patch(`${PASSKEYS}${added.body.id}/`, { name: '手机' });
    expect(renamed.body).toMatchObject({ name: '手机', synced: false, date_last_used: null });
    expect((await own.get<Json[]>(PASSKEYS)).body).toEqual([renamed.body]);
    expect((await own.delete(`${PASSKEYS}${added.body.id}/`)).status).toBe(204);
    expect((await own.get('authentication/mfa/')).body).toMatchObject({
      level: 0,
      passkeys: 0,
      recovery_codes_left: 0,
    });
  });

  it('accepts a passkey as the second factor after a password', async () => {
    await add();
    const visiting = await halfway();
    const done = await visiting.post(`${LOGIN}mfa/`, {
      type: 'passkey',
      response: key.answer(await optionsOf(visiting, `${LOGIN}mfa/passkey/`)),
    });
    expect([done.status, done.body]).toEqual([200, { next: '/ui/' }]);
    expect(cookiesOf(done.headers).sessionid).toHaveLength(43);
  });

  it('accepts a passkey alone as both factors', async () => {
    await add();
    const { options, visiting } = await alone();
    const done = await visiting.post(`${ALONE}finish/`, {
      response: key.answer(options),
      next: '/luna/',
    });
    expect([done.status, done.body]).toEqual([200, { next: '/luna/' }]);
    const inside = test.visitor.with({ cookie: `sessionid=${cookiesOf(done.headers).sessionid}` });
    expect((await inside.get('users/profile/')).body.username).toBe(user.username);
    expect((await inside.get('authentication/mfa/')).body).toMatchObject({ verified: true });
  });

  it('does not sign in alone while a rule of the account refuses it', async () => {
    await add();
    const tried = async () => {
      const { options, visiting } = await alone();
      return visiting.post<Json>(`${ALONE}finish/`, { response: key.answer(options) });
    };
    const refused = await whileRefused(await bearer(test), user.id, tried);
    expect([refused.status, refused.body.code]).toEqual([400, 'sign_in_condition']);
    expect(cookiesOf(refused.headers).sessionid).toBeUndefined();
    expect((await tried()).status).toBe(200);
  });

  it('rejects a passkey alone that did not verify its user', async () => {
    await add();
    key.verifies = false;
    const { options, visiting } = await alone();
    expect(
      (await visiting.post(`${ALONE}finish/`, { response: key.answer(options) })).body.code,
    ).toBe('passkey_failed');
  });

  it('enrolls a passkey during the sign-in', async () => {
    await sql`update account set mfa_level = 2 where id = ${user.id}`.execute(test.db);
    const page = await openBrowser(test);
    const { headers } = await page.post(LOGIN, {
      username: user.username,
      password: user.password,
    });
    const visiting = page.with({
      cookie: `${page.headers.cookie}; sallyport_signin=${cookiesOf(headers).sallyport_signin}`,
    });
    const response = key.register(await optionsOf(visiting, `${LOGIN}enrol/passkey/begin/`));
    const done = await visiting.post(`${LOGIN}enrol/passkey/finish/`, { name: 'key', response });
    expect([done.status, done.body]).toEqual([
      200,
      { next: '/ui/', recovery_codes: expect.any(Array) },
    ]);
  });

  it('proves the second factor again while signed in', async () => {
    await add();
    await sql`
      update web_session set mfa_verified = now() - interval '2 hours'
      where user_id = ${user.id}`.execute(test.db);
    expect((await own.post(`${PASSKEYS}begin/`, { password: user.password })).body.code).toBe(
      'mfa_verify_required',
    );
    const response = key.answer(await optionsOf(own, 'authentication/mfa/passkey/begin/'));
    expect(
      (await own.post('authentication/otp/verify/', { type: 'passkey', response })).body,
    ).toEqual({ ok: '1' });
    expect((await own.get('authentication/mfa/')).body.verified).toBe(true);
  });
});

describe('an answer of a passkey is refused', () => {
  const failed = async (
    work: (options: Options, visiting: Client) => Promise<unknown> | unknown,
  ) => {
    const { options, visiting } = await alone();
    const response = await work(options, visiting);
    const answer = await visiting.post(`${ALONE}finish/`, { response });
    expect([answer.status, answer.body.code, cookiesOf(answer.headers).sessionid]).toEqual([
      400,
      'passkey_failed',
      undefined,
    ]);
  };
  beforeEach(() => add());

  it('rejects an answer that is used twice', async () => {
    const { options, visiting } = await alone();
    const response = key.answer(options);
    expect((await visiting.post(`${ALONE}finish/`, { response })).status).toBe(200);
    expect((await visiting.post(`${ALONE}finish/`, { response })).body.code).toBe('passkey_failed');
  });
  it("rejects an answer to another browser's challenge", async () => {
    const theirs = await alone();
    await failed(() => key.answer(theirs.options));
  });
  it('rejects an answer to an unknown challenge', () =>
    failed((options) => key.answer({ ...options, challenge: 'x'.repeat(43) })));
  it('rejects an answer from another site', () =>
    failed((options) => {
      key.origin = 'https://evil.example';
      return key.answer(options);
    }));
  it('rejects an answer for another domain', () =>
    failed((options) => key.answer({ ...options, rpId: 'evil.example' })));
  it('rejects an answer of an unknown passkey', () =>
    failed((options) => new SoftwareAuthenticator(key.origin).answer(options)));
  it('rejects an answer that another key signed', () =>
    failed((options) =>
      Object.assign(new SoftwareAuthenticator(key.origin).answer(options), {
        id: key.id,
        rawId: key.id,
      }),
    ));
  it('rejects an answer to an expired challenge', () =>
    failed(async (options) => {
      await sql`update passkey_challenge set date_expired = now()`.execute(test.db);
      return key.answer(options);
    }));
  it('rejects a copied key, whose counter does not grow', async () => {
    await sql`update passkey set counter = 1000 where user_id = ${user.id}`.execute(test.db);
    await failed((options) => key.answer(options));
  });
  it('rejects the passkey of a disabled account', async () => {
    await sql`update account set is_active = false where id = ${user.id}`.execute(test.db);
    const { options, visiting } = await alone();
    expect(
      (await visiting.post(`${ALONE}finish/`, { response: key.answer(options) })).body.error,
    ).toBe('user_inactive');
  });
  it.each([undefined, null, 7, 'x', [], {}, { id: 7 }, { response: { clientDataJSON: 'bm8' } }])(
    'rejects the malformed answer %j',
    (response) => failed(() => response),
  );
  it('rejects the passkey of another user as second factor', async () => {
    const other = await buildUser(test.db);
    const theirs = new SoftwareAuthenticator(key.origin);
    await add(await browser(test, other), 'theirs', theirs, other.password);
    const visiting = await halfway();
    const options = await optionsOf(visiting, `${LOGIN}mfa/passkey/`);
    expect(
      (await visiting.post(`${LOGIN}mfa/`, { type: 'passkey', response: theirs.answer(options) }))
        .body.error,
    ).toBe('mfa_failed');
  });
});

describe('a new passkey is refused', () => {
  it('rejects a new passkey without the password or with a wrong one', async () => {
    expect(Object.keys((await own.post(`${PASSKEYS}begin/`, {})).body)).toEqual(['password']);
    expect(Object.keys((await own.post(`${PASSKEYS}begin/`, { password: 'wrong' })).body)).toEqual([
      'password',
    ]);
  });
  it('rejects a new passkey for the challenge of another sign-in', async () => {
    const options = await optionsOf(own, `${PASSKEYS}begin/`, { password: user.password });
    const elsewhere = await browser(test, user);
    expect(
      (await elsewhere.post(`${PASSKEYS}finish/`, { name: 'x', response: key.register(options) }))
        .body.code,
    ).toBe('passkey_failed');
  });
  it('rejects a new passkey that another account has', async () => {
    await add();
    const other = await buildUser(test.db);
    expect((await add(await browser(test, other), 'stolen', key, other.password)).status).toBe(400);
  });
  it('rejects a new passkey from a program without a page', async () => {
    const script = await bearer(test, user);
    expect((await script.post(`${PASSKEYS}begin/`, { password: user.password })).body.code).toBe(
      'origin_refused',
    );
  });
  it.each([{ name: '' }, { name: 'x'.repeat(65) }, {}])(
    'rejects a new passkey with the name in %j',
    async (body) => {
      const options = await optionsOf(own, `${PASSKEYS}begin/`, { password: user.password });
      expect(
        Object.keys(
          (await own.post(`${PASSKEYS}finish/`, { ...body, response: key.register(options) })).body,
        ),
      ).toEqual(['name']);
    },
  );
});

it('hides passkeys of other users and rejects their change and removal', async () => {
  const { body } = await add();
  const other = await browser(test, await buildUser(test.db));
  expect((await other.get<Json[]>(PASSKEYS)).body).toEqual([]);
  expect((await other.patch(`${PASSKEYS}${body.id}/`, { name: 'x' })).status).toBe(404);
  expect((await other.delete(`${PASSKEYS}${body.id}/`)).status).toBe(404);
});
