import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import {
  type Directory389,
  dn389,
  MANAGER_389,
  PEOPLE_389,
  password389,
  startDirectory389,
} from '../../testing/services/directory-389.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const DAY_SECONDS = 86_400;

let directory: Directory389;
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  directory = await startDirectory389();
  test = await startTestProgram();
  admin = await bearer(test);
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_LDAP_SERVER_URI: directory.url,
    AUTH_LDAP_BIND_DN: MANAGER_389.dn,
    AUTH_LDAP_BIND_PASSWORD: MANAGER_389.password,
    AUTH_LDAP_SEARCH_OU: PEOPLE_389,
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    AUTH_LDAP: true,
  });
  expect(status, text).toBe(200);
});
afterAll(async () => {
  await test?.stop();
  await directory?.stop();
});

/** The policy of the directory; each test sets what it needs, and the rest is off. */
const policy = (values: Readonly<Record<string, string>>) =>
  directory.replace('cn=config', {
    passwordExp: 'off',
    passwordMustChange: 'off',
    passwordLockout: 'off',
    passwordGraceLimit: '0',
    passwordMaxAge: String(10 * DAY_SECONDS),
    passwordWarning: String(DAY_SECONDS),
    passwordSendExpiringTime: 'off',
    ...values,
  });
const person = async (): Promise<string> => {
  const uid = unique('person').replaceAll('-', '.');
  await directory.add(uid);
  return uid;
};
/** Time of a directory, from now. */
const inSeconds = (seconds: number) =>
  `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
const expires = (uid: string, seconds: number) =>
  directory.replace(dn389(uid), { passwordExpirationTime: inSeconds(seconds) });

async function lastLogin(username: string): Promise<Json> {
  const { body } = await admin.get<Page>(
    `audits/login-logs/?username=${username}&limit=1&order=-datetime`,
  );
  return body.results[0] ?? {};
}

/** Signs in. Returns what the profile and the log then say of the password. */
async function signIn(username: string, password = password389(username)) {
  const { status, body, text } = await tryToSignIn(test, { username, password });
  expect(status, text).toBe(201);
  const own = test.visitor.with({ authorization: `Bearer ${body.token}` });
  const { password_days_left: days, password_sign_ins_left: signIns } = (
    await own.get<Json>('users/profile/')
  ).body;
  return { days, signIns, reason: (await lastLogin(username)).reason_display };
}

/** Tries to sign in. Returns the code of the refusal, and that of the log. */
async function refusal(username: string, password = password389(username)) {
  const { status, body } = await tryToSignIn(test, { username, password });
  const { status: isSuccess, reason } = await lastLogin(username);
  return { status, error: Reflect.get(body, 'error'), isSuccess, reason };
}

it('says nothing about a password far from its end', async () => {
  await policy({ passwordExp: 'on' });
  const uid = await person();
  expect(await signIn(uid)).toEqual({ days: null, signIns: null, reason: '' });
});

it('says in how many days 389 Directory Server lets a password expire', async () => {
  await policy({ passwordExp: 'on', passwordWarning: String(9 * DAY_SECONDS) });
  const uid = await person();
  await expires(uid, 3.5 * DAY_SECONDS);
  // The first warning of this server moves the end: the user has the whole time of the warning.
  await signIn(uid);
  const { days, signIns, reason } = await signIn(uid);
  expect([days, signIns, reason]).toEqual([9, null, 'The password expires in 9 days.']);
  await expires(uid, 2.5 * DAY_SECONDS);
  expect(await signIn(uid)).toMatchObject({ days: 3, reason: 'The password expires in 3 days.' });
});

it('counts the sign-ins that 389 Directory Server allows with an expired password', async () => {
  await policy({ passwordExp: 'on', passwordGraceLimit: '2' });
  const uid = await person();
  await signIn(uid);
  await expires(uid, -DAY_SECONDS);
  expect(await signIn(uid)).toEqual({
    days: null,
    signIns: 1,
    reason: 'The password has expired: 1 sign-in is left.',
  });
  expect(await signIn(uid)).toMatchObject({ signIns: 0 });
  expect(await refusal(uid)).toMatchObject({ status: 400, error: 'source_password_expired' });
  expect(await refusal(uid, 'wrong')).toMatchObject({ status: 400 });
  await directory.replace(dn389(uid), { userPassword: 'a newer secret' });
  expect(await signIn(uid, 'a newer secret')).toMatchObject({ signIns: null, reason: '' });
});

it('refuses a password that must be changed first, and takes the changed one', async () => {
  await policy({ passwordMustChange: 'on' });
  const uid = await person();
  await directory.replace(dn389(uid), { userPassword: 'set by the help desk' });
  expect(await refusal(uid, 'set by the help desk')).toMatchObject({
    status: 400,
    error: 'source_must_change',
    isSuccess: false,
  });
  await directory.changeOwn(uid, 'set by the help desk', 'my own secret');
  expect(await signIn(uid, 'my own secret')).toEqual({ days: null, signIns: null, reason: '' });
});

it('tells a wrong password from an account that the directory locks after it', async () => {
  await policy({ passwordLockout: 'on', passwordMaxFailure: '2', passwordUnlock: 'off' });
  const uid = await person();
  await signIn(uid);
  expect(await refusal(uid, 'wrong')).toMatchObject({ status: 400, error: 'password_failed' });
  await refusal(uid, 'wrong');
  expect(await refusal(uid)).toMatchObject({ status: 400, error: 'source_locked' });
});

it('refuses an inactivated account with its reason', async () => {
  await policy({});
  const uid = await person();
  await signIn(uid);
  await directory.replace(dn389(uid), { nsAccountLock: 'true' });
  expect(await refusal(uid)).toMatchObject({ status: 400, error: 'source_disabled' });
});
