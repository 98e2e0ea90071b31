import { ERRORS } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import {
  type BindAnswer,
  type ScriptedDirectory,
  startScriptedDirectory,
} from '../../testing/services/scripted-directory.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const POLICY = '1.3.6.1.4.1.42.2.27.8.5.1';
const EXPIRED = '2.16.840.1.113730.3.4.4';
const EXPIRING = '2.16.840.1.113730.3.4.5';
const LIMIT = 7;

let test: TestProgram;
let admin: Client;
let directory: ScriptedDirectory;
beforeAll(async () => {
  [test, directory] = [await startTestProgram(), await startScriptedDirectory()];
  admin = await bearer(test);
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_LDAP_SERVER_URI: directory.url,
    AUTH_LDAP_BIND_DN: 'cn=reader',
    AUTH_LDAP_BIND_PASSWORD: 'reader hunter2',
    AUTH_LDAP_SEARCH_OU: 'dc=example,dc=com',
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    AUTH_LDAP: true,
    SECURITY_LOGIN_LIMIT_COUNT: LIMIT,
  });
  expect(status, text).toBe(200);
});
afterAll(async () => {
  await test.stop();
  await directory.stop();
});

let name: string;
const entryOf = (uid: string, more: Readonly<Record<string, string>> = {}) => ({
  uid,
  cn: `Name of ${uid}`,
  mail: `${uid}@example.com`,
  ...more,
});
beforeEach(() => {
  name = unique('li').replaceAll('-', '.');
  directory.entries = [entryOf(name)];
  directory.answer = { code: 0 };
});
const signIn = async (language?: string) => {
  const visitor = language ? test.visitor.with({ 'accept-language': language }) : test.visitor;
  return visitor.post<Json>('authentication/auth/', { username: name, password: 'right password' });
};
const failures = async () =>
  (
    await sql<{ failures: number }>`
      select coalesce(sum(failures), 0)::int as failures from login_attempt
      where username = ${name}`.execute(test.db)
  ).rows[0]?.failures;
const lastReason = async () =>
  (
    await admin.get<Page>(
      `audits/login-logs/?search=${encodeURIComponent(name)}&limit=1&order=-datetime`,
    )
  ).body.results;
const testLogin = () =>
  admin.post<Json>('settings/ldap/testing/login/?detail=1', {
    username: name,
    password: 'right password',
  });

const windows = (data: string): BindAnswer => ({
  code: 49,
  text: `80090308: LdapErr: DSID-0C0903A9, comment: AcceptSecurityContext error, data ${data}, v1db1`,
});
const policy = (...bytes: number[]) => ({ [POLICY]: Buffer.from([0x30, bytes.length, ...bytes]) });

// Active Directory: Samba 4.17.12 sends 52e, 530, 531, 533, 701, 773 and 775. Microsoft documents
// 525, 52f and 532. 389 Directory Server 2.3.1, OpenLDAP 2.5.13.
const REFUSED: readonly (readonly [string, BindAnswer, keyof typeof ERRORS])[] = [
  ['Active Directory, wrong time', windows('530'), 'source_wrong_time'],
  ['Active Directory, wrong computer', windows('531'), 'source_wrong_place'],
  ['Active Directory, password expired', windows('532'), 'source_password_expired'],
  ['Active Directory, disabled', windows('533'), 'source_disabled'],
  ['Active Directory, account expired', windows('701'), 'source_expired'],
  ['Active Directory, must change', windows('773'), 'source_must_change'],
  ['Active Directory, locked', windows('775'), 'source_locked'],
  ['Active Directory, restricted', windows('52f'), 'source_refused'],
  ['Active Directory, an unknown number', windows('80090999'), 'source_refused'],
  [
    '389-ds, inactivated, which its control calls locked',
    {
      code: 53,
      text: 'Account inactivated. Contact system administrator.',
      controls: policy(0x81, 1, 1),
    },
    'source_disabled',
  ],
  [
    '389-ds, inactivity limit',
    { code: 19, text: 'Account inactivity limit exceeded. Contact system administrator to reset.' },
    'source_disabled',
  ],
  [
    '389-ds, retry limit',
    { code: 19, text: 'Exceed password retry limit. Please try later.' },
    'source_locked',
  ],
  [
    '389-ds, password expired',
    { code: 49, text: 'password expired!', controls: { [EXPIRED]: Buffer.from('0') } },
    'source_password_expired',
  ],
  [
    '389-ds, must change after a successful bind',
    {
      code: 0,
      controls: { ...policy(0xa0, 3, 0x80, 1, 0, 0x81, 1, 2), [EXPIRED]: Buffer.from('0') },
    },
    'source_must_change',
  ],
  ['slapd, expired', { code: 49, controls: policy(0x81, 1, 0) }, 'source_password_expired'],
  ['slapd, locked', { code: 49, controls: policy(0x81, 1, 1) }, 'source_locked'],
  [
    'slapd, must change after a successful bind',
    { code: 0, controls: policy(0x81, 1, 2) },
    'source_must_change',
  ],
  [
    'a server with the older control only, must change',
    { code: 0, controls: { [EXPIRED]: Buffer.from('0') } },
    'source_must_change',
  ],
  ['any server, unwilling', { code: 53, text: 'go away' }, 'source_refused'],
  ['any server, insufficient rights', { code: 50 }, 'source_refused'],
  ['any server, encryption required', { code: 13 }, 'source_refused'],
];

describe('a directory that refuses a right password', () => {
  it.each(REFUSED)(
    'says why to the user and the administrator, and counts nothing: %s',
    async (_, answer, code) => {
      directory.answer = answer;
      for (let round = 0; round < LIMIT + 1; round++) {
        const { status, body } = await signIn();
        expect([status, body.error]).toEqual([400, code]);
      }
      expect((await signIn('zh')).text).toContain(ERRORS[code].zh);
      expect(await failures()).toBe(0);
      expect(await lastReason()).toMatchObject([{ status: false, reason: code }]);
      const tested = await testLogin();
      expect([tested.status, tested.text]).toEqual([400, expect.stringContaining(ERRORS[code].en)]);
      if (answer.text) expect(tested.text).toContain(answer.text.slice(0, 40));
      // The same for an account that exists.
      directory.answer = { code: 0 };
      expect((await signIn()).status).toBe(201);
      directory.answer = answer;
      expect((await signIn()).body.error).toBe(code);
      expect(await failures()).toBe(0);
      expect(await lastReason()).toMatchObject([{ reason: code }]);
    },
  );

  it.each([
    ['Active Directory, wrong password', windows('52e')],
    ['Active Directory, unknown user', windows('525')],
    ['any server, wrong password', { code: 49 }],
    ['any server, an entry without a password', { code: 48 }],
    ['any server, an entry that was just deleted', { code: 32 }],
  ] as const)('counts a wrong password: %s', async (_, answer) => {
    directory.answer = answer;
    expect((await signIn()).body.error).toBe('password_failed');
    expect(await failures()).toBe(1);
    expect(await lastReason()).toMatchObject([{ reason: 'password_failed' }]);
  });

  it.each([1, 3, 11, 51, 52, 80])(
    'says that it cannot be reached when it answers with %d',
    async (code) => {
      directory.answer = { code };
      const { status, body } = await signIn();
      expect([status, body.error]).toEqual([503, 'directory_unavailable']);
    },
  );

  it('names a name that is listed twice, an entry without a username, and a name with other characters', async () => {
    const cases = [
      [[entryOf(name), entryOf(`${name}.2`)], 'directory_ambiguous'],
      [[{ ...entryOf(name), uid: '' }], 'directory_no_username'],
    ] as const;
    for (const [entries, code] of cases) {
      directory.entries = entries;
      expect((await signIn()).body.error).toBe(code);
      expect(await lastReason()).toMatchObject([{ reason: code }]);
    }
    name = `${name}+x`;
    directory.entries = [entryOf(name)];
    expect((await signIn()).body.error).toBe('directory_username');
    expect((await testLogin()).text).toContain(ERRORS.directory_username.en);
    expect(await failures()).toBe(0);
  });

  it('logs that an account has no entry any more, and answers like a wrong password', async () => {
    expect((await signIn()).status).toBe(201);
    directory.entries = [];
    expect((await signIn()).body.error).toBe('password_failed');
    expect(await lastReason()).toMatchObject([{ reason: 'directory_unknown_person' }]);
    expect(await failures()).toBe(1);
  });
});

describe('a directory that accepts a password', () => {
  it('receives a request for its policy, and lets the user in when its answer is malformed', async () => {
    for (const value of [[], [0x30], [0x30, 0x80], [0x30, 3, 0xa0, 0x7f, 1], [0xff, 0xff]]) {
      directory.answer = { code: 0, controls: { [POLICY]: Buffer.from(value) } };
      expect((await signIn()).status).toBe(201);
    }
    expect(directory.asked).toEqual([POLICY]);
  });

  it.each([
    [
      'grace sign-ins',
      { ...policy(0xa0, 3, 0x81, 1, 2), [EXPIRED]: Buffer.from('0') },
      '2 sign-ins are left',
    ],
    ['an end', policy(0xa0, 5, 0x80, 3, 0x01, 0x51, 0x80), 'expires in 1 day'],
    ['an end by the older control', { [EXPIRING]: Buffer.from('172800') }, 'expires in 2 days'],
  ])(
    'says so to the user and the administrator at a sign-in, until a later one says nothing: %s',
    async (_, controls, words) => {
      let own = test.visitor;
      const endOf = async () => {
        const { status, body } = await signIn();
        expect(status).toBe(201);
        own = test.visitor.with({ authorization: `Bearer ${body.token}` });
        const profile = (await own.get<Json>('users/profile/')).body;
        const [entry] = await lastReason();
        return {
          days: profile.password_days_left,
          signIns: profile.password_sign_ins_left,
          status: entry?.status,
          reason: entry?.reason_display,
        };
      };
      const nothing = { days: null, signIns: null, status: true, reason: '' };
      const number = Number(/\d/.exec(words)?.[0]);
      const isGrace = words.includes('left');
      const end = { days: isGrace ? null : number, signIns: isGrace ? number : null };
      for (let round = 0; round < 2; round++) {
        directory.answer = { code: 0, controls };
        const limits = await endOf();
        expect(limits).toEqual({ ...end, status: true, reason: expect.stringContaining(words) });
        expect((await testLogin()).body.msg).toContain(limits.reason);
        directory.answer = { code: 0 };
        expect(await endOf()).toEqual(nothing);
      }
      // An account of another source has no directory that says anything.
      directory.answer = { code: 0, controls };
      await endOf();
      await sql`update account set source = 'local' where username = ${name}`.execute(test.db);
      const { body } = await own.get<Json>('users/profile/');
      expect([body.password_days_left, body.password_sign_ins_left]).toEqual([0, null]);
    },
  );
});

describe('the test of a login', () => {
  it('agrees with a sign-in about accounts, and changes nothing', async () => {
    expect((await testLogin()).status).toBe(200);
    const accounts = () => admin.get<Json[]>(`users/users/?username=${name}`);
    expect((await accounts()).body).toEqual([]);
    expect((await signIn()).status).toBe(201);
    const id = String((await accounts()).body[0]?.id);

    // The filter also matches addresses: the name of the account is not the name of the entry.
    directory.entries = [entryOf(`${name}.other`)];
    expect((await signIn()).body.error).toBe('password_failed');
    expect((await testLogin()).status).toBe(400);
    directory.entries = [entryOf(name)];

    expect((await admin.patch(`users/users/${id}/`, { is_active: false })).status).toBe(200);
    expect((await signIn()).body.error).toBe('user_inactive');
    expect((await testLogin()).text).toContain(ERRORS.user_inactive.en);
    expect((await admin.patch(`users/users/${id}/`, { is_active: true })).status).toBe(200);
    expect((await testLogin()).status).toBe(200);

    await admin.patch(`users/users/${id}/`, { source: 'local' });
    expect((await signIn()).body.error).toBe('password_failed');
    expect((await testLogin()).text).toContain(ERRORS.directory_other_source.en);
    expect((await tryToSignIn(test, { username: name, password: 'right password' })).status).toBe(
      400,
    );
  });
});

describe('a password that is confirmed within a sign-in', () => {
  it('names the field and the reason when the directory refuses the account', async () => {
    const own = await bearer(test, { username: name, password: 'right password' });
    directory.answer = windows('773');
    const { status, body } = await own.post<Json>('authentication/mfa/totp/begin/', {
      password: 'right password',
    });
    expect([status, body]).toMatchObject([400, { password: [ERRORS.source_must_change.en] }]);
    expect(await failures()).toBe(0);
  });
});
