import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { signInMember } from '../../../testing/roles.ts';
import {
  type Mailbox,
  startMailbox,
  tokenIn,
  useMailbox,
} from '../../../testing/services/mailbox.ts';
import { bearer, openBrowser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let mailbox: Mailbox;
let admin: Client;
let page: Client;
let user: BuiltUser;
beforeAll(async () => {
  [test, mailbox] = await Promise.all([startTestProgram(), startMailbox()]);
  admin = await bearer(test);
  await useMailbox(admin, mailbox);
});
afterAll(async () => {
  await test.stop();
  await mailbox.stop();
});
beforeEach(async () => {
  user = await buildUser(test.db);
  page = await openBrowser(test);
});

const NEW = 'a brand new one 3';
const mailOf = ({ username }: BuiltUser) => `${username}@example.com`;
const forget = (email: unknown) => page.post('/core/auth/password/forgot/', { email });
const reset = (token: string, new_password = NEW) =>
  page.post('/core/auth/password/reset/', { token, new_password });
const linkFor = async (who = user) => {
  await forget(mailOf(who));
  return tokenIn(await mailbox.next(mailOf(who)));
};
const canSignIn = async (password: string) =>
  (await tryToSignIn(test, { username: user.username, password })).status === 201;

describe('a forgotten password', () => {
  it('replaces a forgotten password by a mailed link that works once', async () => {
    const signedIn = await bearer(test, user);
    await forget(mailOf(user).toUpperCase());
    const mail = await mailbox.next(mailOf(user));
    expect([mail.from, mail.subject]).toEqual([
      'sallyport@example.com',
      '[Sallyport] Reset your password',
    ]);
    expect(mail.text).toContain(user.username);
    expect(mail.text).toMatch(
      /^http:\/\/localhost:8080\/core\/auth\/password\/reset\/\?lang=(?:en|zh)#token=[\w-]{43}$/m,
    );
    expect((await reset(tokenIn(mail))).body).toEqual({});
    expect([await canSignIn(NEW), await canSignIn(user.password)]).toEqual([true, false]);
    expect((await signedIn.get('users/profile/')).status).toBe(401);
    const again = await reset(tokenIn(mail), 'another one 4');
    expect([again.status, again.body.code]).toEqual([400, 'reset_link_invalid']);
    const { rows } =
      await sql<Json>`select "user", change_by from password_change_log where user_id = ${user.id}`.execute(
        test.db,
      );
    const name = `Name of ${user.username}(${user.username})`;
    expect(rows).toEqual([{ user: name, change_by: name }]);
  });

  it('rejects a former password without using up the link', async () => {
    await forget(mailOf(user));
    expect((await reset(tokenIn(await mailbox.next(mailOf(user))))).status).toBe(200);
    await forget(mailOf(user));
    const token = tokenIn(await mailbox.next(mailOf(user)));
    expect(Object.keys((await reset(token, user.password)).body)).toEqual(['new_password']);
    expect((await reset(token, 'another one 4')).status).toBe(200);
  });

  it('gives the same response for every address', async () => {
    const ldap = await buildUser(test.db);
    await sql`update account set source = 'ldap' where id = ${ldap.id}`.execute(test.db);
    const disabled = await buildUser(test.db, { isActive: false });
    const answers = await Promise.all(
      [mailOf(user), 'nobody@example.com', mailOf(ldap), mailOf(disabled)].map(forget),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    await mailbox.next(mailOf(user));
    const { rows } =
      await sql`select 1 from jobs.job where name = 'mail' and data -> 'input' ->> 'userId' in (${ldap.id}, ${disabled.id})`.execute(
        test.db,
      );
    expect([rows, mailbox.mails]).toEqual([[], []]);
  });

  it.each([undefined, '', 'no address', 7, ['a@example.com']])(
    'rejects the address %j',
    async (email) => {
      expect(Object.keys((await forget(email)).body)).toEqual(['email']);
    },
  );

  it('mails the link in the language of the request', async () => {
    page = page.with({ 'accept-language': 'zh' });
    await forget(mailOf(user));
    const mail = await mailbox.next(mailOf(user));
    expect([mail.subject, mail.text]).toEqual([
      '[Sallyport] 重置密码',
      expect.stringContaining('一小时内有效'),
    ]);
  });

  it('limits the mails per account', async () => {
    for (let count = 0; count < 8; count++) await forget(mailOf(user));
    // The response precedes the mail's job. A mail requested later is also sent later.
    const received = () => mailbox.mails.filter(({ to }) => to === mailOf(user)).length;
    await until(() => received() >= 5, 'five mails');
    await linkFor(await buildUser(test.db));
    await until(
      async () =>
        (await sql`select 1 from job where name = 'mail'`.execute(test.db)).rows.length === 0,
      'all mails are sent',
    );
    expect(received()).toBe(5);
    // A clock that was ahead wrote the limit. It does not hold until that time comes.
    await sql`update password_reset set date_created = now() + interval '150 days'
      where user_id = ${user.id}`.execute(test.db);
    await forget(mailOf(user));
    await until(() => received() === 6, 'another mail');
  });
});

describe('a link is void', () => {
  const isVoid = async (token: string) => {
    const answer = await reset(token);
    expect([answer.status, answer.body.code]).toEqual([400, 'reset_link_invalid']);
    expect(await canSignIn(NEW)).toBe(false);
  };
  it('rejects a link after an hour', async () => {
    const token = await linkFor();
    await sql`update password_reset set date_expired = now() where user_id = ${user.id}`.execute(
      test.db,
    );
    await isVoid(token);
  });
  it('rejects a link after another change of the password', async () => {
    const token = await linkFor();
    await (await bearer(test, user)).put('users/profile/password/', {
      old_password: user.password,
      new_password: 'other one 5',
      new_password_again: 'other one 5',
    });
    await isVoid(token);
  });
  it('rejects a link after another link was used', async () => {
    const [one, two] = [await linkFor(), await linkFor()];
    await reset(one, 'the first was used 6');
    await isVoid(two);
  });
  it.each(['is_active = false', "source = 'ldap'", 'date_expired = now()'])(
    'rejects the link of an account with %s',
    async (change) => {
      const token = await linkFor();
      await sql`update account set ${sql.raw(change)} where id = ${user.id}`.execute(test.db);
      expect((await reset(token)).body.code).toBe('reset_link_invalid');
    },
  );
  it.each(['x', 'x'.repeat(43), `${'x'.repeat(99)}`, '\u0000'.repeat(43)])(
    'rejects the link %j',
    async (token) => {
      expect((await reset(token)).status).toBe(400);
    },
  );
});

it('keeps the link valid when the new password breaks the rules', async () => {
  const token = await linkFor();
  expect(Object.keys((await reset(token, 'short')).body)).toEqual(['new_password']);
  expect((await reset(token)).status).toBe(200);
});

it('accepts one of many parallel uses of a link', async () => {
  const token = await linkFor();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => reset(token, `${NEW} ${index}`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
});

it('requires the second factor after a reset', async () => {
  await sql`update account set mfa_level = 1 where id = ${user.id}`.execute(test.db);
  await reset(await linkFor());
  expect((await tryToSignIn(test, { username: user.username, password: NEW })).body).toMatchObject({
    error: 'mfa_unset',
  });
});

it('lifts the lockout after a reset', async () => {
  for (let failures = 0; failures < 8; failures++)
    await tryToSignIn(test, { ...user, password: 'wrong' });
  await reset(await linkFor());
  expect(await canSignIn(NEW)).toBe(true);
});

it('rejects both steps from other sites', async () => {
  const evil = page.with({ origin: 'https://evil.example' });
  for (const path of ['forgot', 'reset'])
    expect((await evil.post(`/core/auth/password/${path}/`, {})).body.code).toBe('origin_refused');
});

it('stores and logs no token', async () => {
  const token = await linkFor();
  const { rows } = await sql<{
    text: string;
  }>`
    select r::text as text from password_reset r
    union all select m::text from jobs.job m
    union all select j::text from job j`.execute(test.db);
  expect(rows.map(({ text }) => text).join()).not.toContain(token);
  expect(test.log()).not.toContain(token);
});

describe('an administrator', () => {
  it('mails a link to another user', async () => {
    const { status, body } = await admin.patch(`users/users/${user.id}/password/reset/`, {});
    expect([status, body.username]).toEqual([200, user.username]);
    expect(await canSignIn(user.password)).toBe(true);
    await reset(tokenIn(await mailbox.next(mailOf(user))));
    expect(await canSignIn(NEW)).toBe(true);
  });

  it('removes a public key and notifies its owner', async () => {
    await sql`update account set public_key = 'ssh-ed25519 AAAA' where id = ${user.id}`.execute(
      test.db,
    );
    expect((await admin.patch(`users/users/${user.id}/pubkey/reset/`)).status).toBe(200);
    expect((await mailbox.next(mailOf(user))).subject).toBe('[Sallyport] Your SSH key was removed');
    expect(
      (await sql`select public_key from account where id = ${user.id}`.execute(test.db)).rows,
    ).toEqual([{ public_key: null }]);
  });

  it('rejects administrators outside their organization and for accounts above them', async () => {
    const organization = await buildOrganization(test.db);
    const local = await signInMember(test, organization);
    const chief = await buildUser(test.db, {
      role: 'Admin',
      memberOf: [{ organization, role: 'User' }],
    });
    for (const what of ['password', 'pubkey']) {
      expect((await local.patch(`users/users/${user.id}/${what}/reset/`)).status).toBe(404);
      expect((await local.patch(`users/users/${chief.id}/${what}/reset/`)).status).toBe(403);
      expect(
        (await (await bearer(test, user)).patch(`users/users/${user.id}/${what}/reset/`)).status,
      ).toBe(403);
    }
  });

  it('rejects a link for an external account', async () => {
    await sql`update account set source = 'ldap' where id = ${user.id}`.execute(test.db);
    expect((await admin.patch(`users/users/${user.id}/password/reset/`)).body.code).toBe(
      'not_local',
    );
  });
});
