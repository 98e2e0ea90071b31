import { once } from 'node:events';
import { ssh2 } from '@sallyport/ssh';
import { Attribute, Change } from 'ldapts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client, Json, Page } from '../../testing/client.ts';
import { freePort } from '../../testing/free-port.ts';
import {
  PEOPLE,
  passwordOf,
  READER,
  type Slapd,
  startSlapd,
} from '../../testing/services/slapd.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const DAY = 86_400_000;
const PERSON = { mail: 'one@example.com' };
let slapd: Slapd;
let test: TestProgram;
let admin: Client;
let sshPort: number;
beforeAll(async () => {
  slapd = await startSlapd(
    [
      {
        ...PERSON,
        uid: 'warned',
        // Seven and a half of ten days are left.
        policy: { name: 'warns', changed: new Date(Date.now() - 2.5 * DAY) },
      },
      {
        ...PERSON,
        uid: 'late',
        mail: 'two@example.com',
        policy: { name: 'grace', changed: new Date('2020-01-01T00:00:00Z') },
      },
      { uid: 'plain', mail: 'three@example.com' },
    ],
    { policy: true },
  );
  sshPort = await freePort();
  test = await startTestProgram({ sshPort });
  admin = await bearer(test);
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_LDAP_SERVER_URI: slapd.url,
    AUTH_LDAP_BIND_DN: READER.dn,
    AUTH_LDAP_BIND_PASSWORD: READER.password,
    AUTH_LDAP_SEARCH_OU: PEOPLE,
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    AUTH_LDAP: true,
  });
  expect(status, text).toBe(200);
});
afterAll(async () => {
  await test.stop();
  await slapd.stop();
});

/** Signs in as a script. Returns what the profile and the sign-in log say. */
async function endOf(username: string, password = passwordOf(username)) {
  const { status, body } = await tryToSignIn(test, { username, password });
  expect(status).toBe(201);
  const own = test.visitor.with({ authorization: `Bearer ${body.token}` });
  const { password_days_left: days, password_sign_ins_left: signIns } = (
    await own.get<Json>('users/profile/')
  ).body;
  return { days, signIns, reason: await lastReason(username) };
}

async function lastReason(username: string, language = 'en') {
  const { body } = await admin
    .with({ 'accept-language': language })
    .get<Page>(`audits/login-logs/?username=${username}&limit=1&order=-datetime`);
  return body.results[0]?.reason_display;
}

/** Signs in over SSH with the password, and returns the texts before the session. */
async function bannersOf(username: string, authHandler: 'password' | 'keyboard-interactive') {
  const client = new ssh2.Client();
  const banners: string[] = [];
  const password = passwordOf(username);
  client.on('banner', (text) => void banners.push(text));
  client.on('keyboard-interactive', (_name, _text, _language, asked, finish) =>
    finish(asked.map(() => password)),
  );
  const ready = once(client, 'ready');
  client.connect({
    host: '127.0.0.1',
    port: sshPort,
    username,
    password,
    readyTimeout: 0,
    tryKeyboard: true,
    authHandler: [authHandler],
  });
  await ready;
  const closed = once(client, 'close');
  client.end();
  await closed;
  return banners.join('');
}

it('says in how many days OpenLDAP lets a password expire, at every way to sign in', async () => {
  const words = 'The password expires in 8 days.';
  expect(await endOf('warned')).toEqual({ days: 8, signIns: null, reason: words });
  expect(await lastReason('warned', 'zh')).toBe('密码将在 8 天后过期。');
  for (const method of ['password', 'keyboard-interactive'] as const)
    expect(await bannersOf('warned', method)).toBe(`${words} / 密码将在 8 天后过期。\r\n`);
});

it('counts the sign-ins that OpenLDAP allows with an expired password, until it is changed', async () => {
  const words = 'The password has expired: 2 sign-ins are left.';
  expect(await endOf('late')).toEqual({ days: null, signIns: 2, reason: words });
  expect(await bannersOf('late', 'password')).toContain('1 sign-in is left. / 密码已过期');
  expect(await endOf('late')).toMatchObject({ signIns: 0 });
  const { status, text } = await tryToSignIn(test, {
    username: 'late',
    password: passwordOf('late'),
  });
  expect([status, text]).toEqual([400, expect.stringContaining('"source_password_expired"')]);

  await slapd.change((directory) =>
    directory.modify(`uid=late,${PEOPLE}`, [
      new Change({
        operation: 'replace',
        modification: new Attribute({ type: 'userPassword', values: ['a newer secret'] }),
      }),
    ]),
  );
  const after = await endOf('late', 'a newer secret');
  expect(after).toEqual({ days: null, signIns: null, reason: '' });
});

it('says nothing about a password without an end', async () => {
  expect(await endOf('plain')).toEqual({ days: null, signIns: null, reason: '' });
  expect(await bannersOf('plain', 'password')).toBe('');
});
