import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildUser } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../../testing/operator-command.ts';
import { enrolTotp } from '../../../testing/second-factors.ts';
import { bearer, browser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const resetPassword = (name: string) => runOperatorCommand(test, ['user', 'reset-password', name]);
const resetMfa = (name: string) => runOperatorCommand(test, ['user', 'reset-mfa', name]);
const latestChange = async () =>
  (await admin.get<Page<Json>>('audits/operate-logs/?limit=1')).body.results[0];

it('replaces a lost password on the command line, reactivates the account, ends its access and logs the change', async () => {
  const user = await buildUser(test.db);
  const open = await bearer(test, user);
  await sql`
    update account set is_active = false, date_expired = now() - interval '1 day'
    where id = ${user.id}`.execute(test.db);

  const { code, stdout } = await executeOperatorCommand(test, [
    'user',
    'reset-password',
    user.username,
  ]);
  const password = /^The new password of \S+ is (\S{12,})\n$/.exec(stdout)?.[1] ?? '';
  expect([code, password]).toEqual([0, expect.stringMatching(/.{12}/)]);
  expect((await open.get('users/profile/')).status).toBe(401);
  expect((await tryToSignIn(test, user)).status).toBe(400);
  expect((await tryToSignIn(test, { username: user.username, password })).status).toBe(201);
  expect(
    (await admin.get<Page<Json>>('audits/password-change-logs/?limit=1')).body.results[0],
  ).toMatchObject({
    user: expect.stringContaining(user.username),
    change_by: 'Command line',
  });
  expect(await latestChange()).toMatchObject({
    user: 'Command line',
    action: 'update',
    resource_type: 'User',
    changes: { is_active: [false, true] },
  });
});

it('generates a password that meets the strictest rules of the settings', async () => {
  const user = await buildUser(test.db);
  const rules = {
    SECURITY_PASSWORD_MIN_LENGTH: 30,
    SECURITY_PASSWORD_UPPER_CASE: true,
    SECURITY_PASSWORD_LOWER_CASE: true,
    SECURITY_PASSWORD_NUMBER: true,
    SECURITY_PASSWORD_SPECIAL_CHAR: true,
  };
  const before = await admin.get<Json>('settings/setting/?category=security');
  expect((await admin.patch('settings/setting/', rules)).status).toBe(200);
  const password = / is (\S+)\n$/.exec((await resetPassword(user.username)).stdout)?.[1] ?? '';
  expect((await tryToSignIn(test, { username: user.username, password })).status).toBe(201);
  const old = Object.fromEntries(
    Object.keys(rules).map((name) => [
      name,
      (before.body.security as Json | undefined)?.[name] ?? before.body[name],
    ]),
  );
  expect((await admin.patch('settings/setting/', old)).status).toBe(200);
});

it('logs the creation of the first administrator', async () => {
  const fresh = await startTestProgram({}, { licensed: 'first-start' });
  onTestFinished(() => fresh.stop());
  const log = await (await bearer(fresh)).get<Page<Json>>(
    'audits/operate-logs/?limit=1&order=datetime',
  );
  expect(log.body.results[0]).toMatchObject({
    user: 'System',
    action: 'create',
    resource_type: 'User',
    resource: 'Administrator(admin)',
  });
});

it('lifts the lockout of the account', async () => {
  const user = await buildUser(test.db);
  for (let failure = 0; failure < 7; failure++)
    await tryToSignIn(test, { ...user, password: 'wrong' });
  expect((await tryToSignIn(test, user)).status).toBe(400);
  const password = / is (\S+)\n$/.exec((await resetPassword(user.username)).stdout)?.[1] ?? '';
  expect((await tryToSignIn(test, { username: user.username, password })).status).toBe(201);
});

it('removes lost second factors on the command line and logs what was removed', async () => {
  const user = await buildUser(test.db);
  const page = await browser(test, user);
  await enrolTotp(page, user.password);
  expect((await tryToSignIn(test, user)).status).toBe(200);

  expect(await resetMfa(user.username)).toMatchObject({
    code: 0,
    stdout: `${user.username} has no second factor any more.\n`,
  });
  expect((await page.get('users/profile/')).status).toBe(401);
  expect(await latestChange()).toMatchObject({
    user: 'Command line',
    resource_type: 'User',
    changes: { totp: [true, false] },
  });
  // The next sign-in sets up a second factor again if the account requires one.
  expect((await tryToSignIn(test, user)).body).not.toMatchObject({ token: expect.anything() });
});

it.each(['nobody-of-this-name', ''])(
  'reports that no account is named "%s" and changes nothing',
  async (name) => {
    expect(await resetPassword(name)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('There is no local account'),
    });
    expect(await resetMfa(name)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('There is no account'),
    });
  },
);

it('leaves the password of an external account unchanged', async () => {
  const user = await buildUser(test.db);
  await sql`update account set source = 'ldap' where id = ${user.id}`.execute(test.db);
  expect((await resetPassword(user.username)).code).toBe(1);
});

it.each(['ldap', 'openid'])('recovers an administrator whose source was %s', async (source) => {
  const user = await buildUser(test.db, { role: 'Admin' });
  await sql`
      update account set source = ${source}, is_active = false
      where id = ${user.id}`.execute(test.db);
  const password = / is (\S+)\n$/.exec((await resetPassword(user.username)).stdout)?.[1] ?? '';
  expect((await tryToSignIn(test, { username: user.username, password })).status).toBe(201);
  expect(await latestChange()).toMatchObject({
    changes: { source: [source, 'local'], is_active: [false, true] },
  });
});
