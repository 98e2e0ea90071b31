import type { Announcement, PublicSettings } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { codeOf, enrolTotp } from '../../../testing/second-factors.ts';
import { bearer, cookiesOf, openBrowser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const LOGIN = '/core/auth/login/';
const TEXT = 'Authorised use only.\n仅限授权使用。';

let test: TestProgram;
let admin: Client;
let user: BuiltUser;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const set = (values: Json) => admin.patch('settings/setting/', { notices: values });
const publicSettings = async (client: Client) =>
  (await client.get<{ data: PublicSettings }>('settings/public/')).body.data;

/** Types name and password in a browser. Returns the answer and the browser with its ticket. */
async function type(who = user) {
  const visiting = await openBrowser(test);
  const { username, password } = who;
  const { body, headers } = await visiting.post<Json>(LOGIN, { username, password });
  const { sallyport_signin: ticket = '' } = cookiesOf(headers);
  const cookie = `${visiting.headers.cookie}; sallyport_signin=${ticket}`;
  return { body, visiting: visiting.with({ cookie }) };
}

describe('the text before sign-in', () => {
  beforeEach(async () => {
    expect((await set({ SIGN_IN_NOTICE: TEXT, SIGN_IN_NOTICE_ACCEPT: true })).status).toBe(200);
    user = await buildUser(test.db);
  });

  it('shows the text to any visitor, and demands nothing unless acceptance is on', async () => {
    await set({ SIGN_IN_NOTICE_ACCEPT: false });
    expect((await publicSettings(test.visitor)).SIGN_IN_NOTICE).toBe(TEXT);
    expect((await type()).body).toEqual({ next: '/ui/' });
  });

  it('demands acceptance once before the first page, and again after a change', async () => {
    const { body, visiting } = await type();
    const { version } = body.notice as { version: string };
    expect(body).toEqual({
      state: 'notice',
      username: user.username,
      factors: [],
      notice: { text: TEXT, version: expect.stringMatching(/^[0-9a-f]{12}$/) },
    });
    expect((await visiting.get('users/profile/')).status).toBe(401);
    expect((await visiting.get(`${LOGIN}state/`)).body).toEqual(body);
    const done = await visiting.post(`${LOGIN}notice/`, { version });
    expect([done.status, done.body]).toEqual([200, { next: '/ui/' }]);
    expect((await type()).body).toEqual({ next: '/ui/' });

    const logs = await admin.get<Page<Json>>(
      `audits/operate-logs/?resource_id=${user.id}&action=accept&limit=5`,
    );
    expect(logs.body.results).toMatchObject([
      {
        user: expect.stringContaining(user.username),
        changes: { accepted_notice: [null, version] },
      },
    ]);
    await set({ SIGN_IN_NOTICE: 'Another text' });
    expect((await type()).body).toMatchObject({ notice: { text: 'Another text' } });
  });

  it('rejects the version of another text, and acceptance out of turn', async () => {
    const { body, visiting } = await type();
    await set({ SIGN_IN_NOTICE: 'A newer text' });
    const { version } = body.notice as { version: string };
    const late = await visiting.post(`${LOGIN}notice/`, { version });
    expect([late.status, late.body.error]).toEqual([400, 'notice_changed']);
    expect((await visiting.post(`${LOGIN}notice/`, {})).body).toHaveProperty('version');
    const { body: now } = await visiting.get<Json>(`${LOGIN}state/`);
    expect(now).toMatchObject({ state: 'notice', notice: { text: 'A newer text' } });
    const nobody = await openBrowser(test);
    expect((await nobody.post(`${LOGIN}notice/`, { version })).body.error).toBe('session_empty');
  });

  it('demands acceptance after the second factor, which it does not replace', async () => {
    await set({ SIGN_IN_NOTICE_ACCEPT: false });
    const { secret } = await enrolTotp(await bearer(test, user), user.password);
    await set({ SIGN_IN_NOTICE_ACCEPT: true });
    const { body, visiting } = await type();
    expect(body.state).toBe('mfa_required');
    const early = await visiting.post(`${LOGIN}notice/`, { version: 'any' });
    expect(early.body.error).toBe('session_empty');
    const proof = { type: 'totp', code: codeOf(secret) };
    expect((await visiting.post(`${LOGIN}mfa/`, proof)).body).toMatchObject({ state: 'notice' });
  });

  it('refuses scripts until the user has accepted it, and logs why', async () => {
    const refused = await tryToSignIn(test, user);
    expect([refused.status, refused.body]).toMatchObject([400, { error: 'notice_unaccepted' }]);
    const logs = await admin.get<Page<Json>>(
      `audits/login-logs/?username=${user.username}&limit=5`,
    );
    expect(logs.body.results).toMatchObject([{ reason: 'notice_unaccepted', status: false }]);
    const { body, visiting } = await type();
    const { version } = body.notice as { version: string };
    await visiting.post(`${LOGIN}notice/`, { version });
    expect((await tryToSignIn(test, user)).status).toBe(201);
  });

  it.each([
    [{ SIGN_IN_NOTICE: 'x'.repeat(4_001) }, 'SIGN_IN_NOTICE'],
    [{ SIGN_IN_NOTICE: 'red \u001b[31m text' }, 'SIGN_IN_NOTICE'],
    [{ SIGN_IN_NOTICE: '' }, 'SIGN_IN_NOTICE'],
    [{ ANNOUNCEMENT: 'two\nlines' }, 'ANNOUNCEMENT'],
    [{ ANNOUNCEMENT_LINK: 'javascript:alert(1)' }, 'ANNOUNCEMENT_LINK'],
    [{ ANNOUNCEMENT_LEVEL: 'loud' }, 'ANNOUNCEMENT_LEVEL'],
    [
      { ANNOUNCEMENT_FROM: '2030-01-02 00:00:00', ANNOUNCEMENT_UNTIL: '2030-01-01 00:00:00' },
      'ANNOUNCEMENT_UNTIL',
    ],
  ])('rejects %j on %s', async (values, field) => {
    const { status, body } = await set(values);
    expect([status, Object.keys(body.notices as Json)]).toEqual([400, [field]]);
  });
});

describe('an announcement', () => {
  const VALUES = {
    ANNOUNCEMENT: 'Maintenance on Sunday',
    ANNOUNCEMENT_LEVEL: 'warning',
    ANNOUNCEMENT_LINK: 'https://status.example.com/',
    ANNOUNCEMENT_FROM: null,
    ANNOUNCEMENT_UNTIL: null,
  };
  const inForce = async (values: Json): Promise<Announcement | undefined> => {
    expect((await set({ ...VALUES, ...values })).status).toBe(200);
    return (await publicSettings(admin)).ANNOUNCEMENT;
  };

  it('shows it to signed-in users only', async () => {
    expect(await inForce({})).toEqual({
      text: 'Maintenance on Sunday',
      level: 'warning',
      link: 'https://status.example.com/',
      closable: true,
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect((await publicSettings(test.visitor)).ANNOUNCEMENT).toBeUndefined();
  });

  it('shows it within its period only, and states the period in the zone of the request', async () => {
    expect(await inForce({ ANNOUNCEMENT_FROM: '2100-01-01 00:00:00 +0800' })).toBeUndefined();
    expect(await inForce({ ANNOUNCEMENT_UNTIL: '2020-01-01 00:00:00 +0800' })).toBeUndefined();
    const period = {
      ANNOUNCEMENT_FROM: '2020-01-01 00:00:00 +0800',
      ANNOUNCEMENT_UNTIL: '2100-01-01 00:00:00 +0800',
    };
    expect(await inForce(period)).toBeDefined();
    const { body } = await admin.with({ 'x-tz': 'UTC' }).get<Json>('settings/setting/');
    expect(body.notices).toMatchObject({ ANNOUNCEMENT_FROM: '2019-12-31 16:00:00 +0000' });
  });

  it('changes the version with the text, so users who closed it see it again', async () => {
    const first = await inForce({});
    const second = await inForce({ ANNOUNCEMENT: 'Maintenance on Monday' });
    expect(second?.version).not.toBe(first?.version);
    expect((await inForce({}))?.version).toBe(first?.version);
  });
});
