import { DUTIES } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { SoftwareAuthenticator } from '../../../testing/passkey.ts';
import { enrolTotp } from '../../../testing/second-factors.ts';
import { bearer, browser, cookiesOf, openBrowser, withinLimit } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

type Options = Parameters<SoftwareAuthenticator['answer']>[0];
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const ALONE = 'authentication/passkey-login/';
const PASSKEYS = 'authentication/passkeys/';
const KEY_LINE = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIWq0V4zvSIT3H8xqO7s7nIMKk8Zt9hkSkz1cWyJ7G6W';
const OWN = 'chosen 1 by the user';

let test: TestProgram;
let first: Client;
/** An ordinary account that an administrator used before its user got the duty. */
let person: BuiltUser;
let key: SoftwareAuthenticator;
beforeAll(async () => {
  test = await startTestProgram();
  first = (await bearer(test)).inOrganization('');
});
afterAll(() => test.stop());
beforeEach(async () => {
  person = await buildUser(test.db);
  key = new SoftwareAuthenticator(new URL(test.program.url).origin);
});

const url = () => `users/users/${person.id}/`;
const profileOf = async (client: Client) => (await client.get('users/profile/')).status;

async function optionsOf(client: Client, path: string, body: Json = {}) {
  const { body: answered, text } = await withinLimit(() =>
    client.post<{ options?: Options }>(path, body),
  );
  if (!answered.options) throw new Error(text);
  return answered.options;
}

/** Adds the passkey and an authenticator as the user who knows the first password. */
async function addFactors(): Promise<void> {
  const { password } = person;
  const page = await browser(test, person);
  await enrolTotp(page, password);
  const response = key.register(await optionsOf(page, `${PASSKEYS}begin/`));
  const { status, text } = await page.post(`${PASSKEYS}finish/`, { name: 'kept', response });
  expect(status, text).toBe(201);
}

/** Begins a sign-in with the passkey alone. Returns the request that completes it. */
async function beginByPasskey() {
  const page = await openBrowser(test);
  const { body, headers } = await withinLimit(() =>
    page.post<{ options: Options }>(`${ALONE}begin/`),
  );
  const cookie = `${page.headers.cookie}; sallyport_signin=${cookiesOf(headers).sallyport_signin}`;
  const response = key.answer(body.options);
  return async () => {
    const done = await page.with({ cookie }).post(`${ALONE}finish/`, { response });
    const { sessionid = '' } = cookiesOf(done.headers);
    return {
      status: done.status,
      page: page.with({ cookie: `${cookie}; sessionid=${sessionid}` }),
    };
  };
}

/**
 * The user signs in with an assigned password and chooses another one. No factor is asked: an
 * administrator has lowered the level.
 */
async function choosePassword(): Promise<void> {
  const assigned = 'assigned 1 by another';
  for (const body of [{ password: assigned }, { mfa_level: 0 }]) {
    const { status, text } = await first.patch(url(), body);
    expect(status, text).toBe(200);
  }
  const own = await bearer(test, { ...person, password: assigned });
  const chosen = await own.put('users/profile/password/', {
    ...{ old_password: assigned, new_password: OWN, new_password_again: OWN },
  });
  expect(chosen.status, chosen.text).toBe(200);
}

/** Begins the sign-in of a device, which the user of a page confirms. Returns its poll. */
async function confirmDevice(page: Client) {
  const { body } = await withinLimit(() =>
    test.visitor.post<Json>('authentication/device/code/', { device: 'laptop' }),
  );
  const { user_code, device_code } = body;
  const done = await page.post('authentication/device/confirm/', { user_code });
  expect(done.status, done.text).toBe(204);
  return () =>
    withinLimit(() =>
      test.visitor.post<Json>('authentication/device/token/', { grant_type: GRANT, device_code }),
    );
}

/** Ways in that another user keeps, by a page of the account. Each returns its status in use. */
const KEPT: readonly (readonly [string, (page: Client) => Promise<() => Promise<number>>])[] = [
  ['the passkey', async () => async () => (await (await beginByPasskey())()).status],
  [
    'an answer of the passkey that has not been sent',
    async () => {
      const finish = await beginByPasskey();
      return async () => (await finish()).status;
    },
  ],
  [
    'another passkey that has not been stored',
    async (page) => {
      const other = new SoftwareAuthenticator(key.origin);
      const response = other.register(await optionsOf(page, `${PASSKEYS}begin/`));
      return async () =>
        (await page.post(`${PASSKEYS}finish/`, { name: 'other', response })).status;
    },
  ],
  ['the sign-in of a browser', async (page) => async () => profileOf(page)],
  [
    'the token of a device',
    async (page) => {
      const { body } = await (await confirmDevice(page))();
      const device = test.visitor.with({ authorization: `Bearer ${body.access_token}` });
      expect(await profileOf(device)).toBe(200);
      return () => profileOf(device);
    },
  ],
  [
    'a confirmed device that has not asked for its token',
    async (page) => {
      const poll = await confirmDevice(page);
      return async () => (await poll()).status;
    },
  ],
  [
    'an access key',
    async (page) => {
      const answer = await page.post<Json>('authentication/access-keys/', {});
      expect(answer.status, answer.text).toBe(201);
      return async () => {
        const { rows } = await sql<{ is_active: boolean }>`select is_active from access_key
          where user_id = ${person.id} and is_active`.execute(test.db);
        return rows.length > 0 ? 200 : 401;
      };
    },
  ],
  [
    'an SSH key',
    async (page) => {
      const answer = await page.post<Json>('authentication/ssh-keys/', {
        ...{ name: 'kept', public_key: KEY_LINE },
      });
      expect(answer.status, answer.text).toBe(201);
      return async () => {
        const { rows } = await sql`select from ssh_key
          where user_id = ${person.id}`.execute(test.db);
        return rows.length > 0 ? 200 : 401;
      };
    },
  ],
];

describe.each(DUTIES)('the duty %s', (duty) => {
  it.each(KEPT)('shuts out %s of another user from before', async (_name, keep) => {
    await addFactors();
    await choosePassword();
    const entered = await (await beginByPasskey())();
    expect([entered.status, await profileOf(entered.page)]).toEqual([200, 200]);
    const use = await keep(entered.page);
    const held = await first.patch<Json>(url(), { duty });
    expect([held.status, held.body.duty], held.text).toEqual([200, duty]);
    expect([400, 401]).toContain(await use());
    const { rows } = await sql`select from web_session where user_id = ${person.id}
      union all select from passkey where user_id = ${person.id}`.execute(test.db);
    expect(rows).toEqual([]);
  });

  it('rejects an account whose only factor is a passkey', async () => {
    await addFactors();
    await choosePassword();
    await sql`delete from totp where user_id = ${person.id}`.execute(test.db);
    const refused = await first.patch<Record<string, string[]>>(url(), { duty });
    expect([refused.status, refused.body.duty?.[0]]).toEqual([
      400,
      expect.stringContaining('authenticator app'),
    ]);
  });
});
