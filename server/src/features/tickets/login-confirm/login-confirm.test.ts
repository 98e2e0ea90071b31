import type { SignInPending, TokenReview } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../../testing/builders.ts';
import { changeSettings } from '../../../testing/change-settings.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { runHousekeeping } from '../../../testing/jobs.ts';
import { codeOf, enrolTotp } from '../../../testing/second-factors.ts';
import { bearer, cookiesOf, openBrowser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const AUTH = 'authentication/auth/';
const STATUS = 'authentication/login-confirm-ticket/status/';
const HERE = '192.0.2.1';

let test: TestProgram;
let superuser: Client;
let organization: string;
let boss: BuiltUser;
let reviewer: Client;
let user: BuiltUser;
beforeAll(async () => {
  test = await startTestProgram({ trustedProxies: ['127.0.0.0/8'] });
  superuser = await bearer(test);
  organization = await buildOrganization(test.db);
  boss = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  reviewer = (await bearer(test, boss)).inOrganization(organization);
  const { status, text } = await superuser.patch('settings/setting/', {
    security: { LOGIN_CONFIRM_ENABLE: true },
  });
  expect([status, text]).toEqual([200, expect.any(String)]);
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
});

const settingOf = ({ id }: BuiltUser) => `authentication/login-confirm-settings/${id}/`;
const setReviewers = async (
  reviewers: readonly string[] = [boss.id],
  client = reviewer,
  of = user,
) => client.patch<Json>(settingOf(of), { reviewers });
const from = (address: string) => test.visitor.with({ 'x-forwarded-for': address });
const credentials = () => ({ username: user.username, password: user.password });
/** Signs in as a script. Returns the answer, and the client with its cookie. */
async function first(address = HERE) {
  const answer = await from(address).post<TokenReview>(AUTH, credentials());
  const { sallyport_signin: cookie = '' } = cookiesOf(answer.headers);
  return {
    answer,
    cookie,
    script: from(address).with({ cookie: `sallyport_signin=${cookie}` }),
    id: answer.body.data?.ticket_id,
  };
}
const answerTicket = (id: string, action: 'approve' | 'reject', client = reviewer) =>
  client.patch<Json>(`tickets/tickets/${id}/`, { action });
const ticket = async (id: string) => (await reviewer.get<Json>(`tickets/tickets/${id}/`)).body;

describe('the reviewers of a user', () => {
  it('lets administrators of the account name reviewers, and shows them on its page', async () => {
    const { status, body } = await setReviewers();
    expect([status, Object.keys(body)]).toEqual([
      200,
      ['id', 'user', 'reviewers', 'date_created', 'date_updated'],
    ]);
    expect(body).toMatchObject({ user: user.id, reviewers: [boss.id] });
    expect(
      (await reviewer.get<Json>(`users/users/${user.id}/`)).body.login_confirm_settings,
    ).toEqual([boss.id]);
    const { rows } = await sql<{
      changes: Json;
    }>`select changes from operate_log where resource_id = ${user.id} order by datetime desc
      limit 1`.execute(test.db);
    expect(rows[0]?.changes).toEqual({
      login_confirm_reviewers: [[], [`Name of ${boss.username}(${boss.username})`]],
    });
    expect((await setReviewers([])).body.reviewers).toEqual([]);
    expect(
      (await reviewer.get<Json>(`users/users/${user.id}/`)).body.login_confirm_settings,
    ).toBeNull();
  });

  it('rejects reviewers set by users, other organizations, colleagues or outsiders, and the user as reviewer', async () => {
    const stranger = await buildUser(test.db, {
      memberOf: [{ organization: await buildOrganization(test.db), role: 'Admin' }],
    });
    const elsewhere = (await bearer(test, stranger)).inOrganization(organization);
    expect(
      (
        await (
          await bearer(test, user)
        )
          .inOrganization(organization)
          .patch(settingOf(user), { reviewers: [] })
      ).status,
    ).toBe(403);
    expect((await setReviewers([stranger.id], elsewhere)).status).toBe(403);
    expect((await setReviewers([stranger.id])).body).toEqual({
      reviewers: [`Invalid pk "${stranger.id}" - object does not exist.`],
    });
    expect((await setReviewers([user.id])).body).toEqual({
      reviewers: ['Users cannot confirm their own sign-ins.'],
    });
    expect((await setReviewers([boss.id], reviewer, boss)).status).toBe(403);
    expect((await setReviewers([boss.id], reviewer, stranger)).status).toBe(404);
    expect((await test.visitor.patch(settingOf(user), { reviewers: [] })).status).toBe(401);
    // The rejected changes require no review.
    expect((await tryToSignIn(test, user)).status).toBe(201);
  });
});

describe('a script', () => {
  beforeEach(() => setReviewers());

  it('shows the reviewer the time of the attempt in the zone of the installation', async () => {
    const zone = (SERVER_TIME_ZONE: string) =>
      changeSettings([superuser], 'basic', { SERVER_TIME_ZONE });
    const written = async () => String((await ticket((await first()).id)).body);
    expect(await written()).toMatch(/ \+0800$/);
    await zone('UTC');
    expect(await written()).toMatch(/ \+0000$/);
    await zone('Asia/Shanghai');
  });

  it('waits, returns the names of the reviewers, and signs in once after an approval', async () => {
    const { answer, script, id } = await first();
    expect([answer.status, answer.body.error, answer.body.msg]).toEqual([
      200,
      'login_confirm_wait',
      expect.stringContaining(`Name of ${boss.username}`),
    ]);
    expect(await ticket(id)).toMatchObject({
      type: 'login_confirm',
      user: user.id,
      title: expect.stringContaining(user.username),
      assignees: [boss.id],
    });
    expect(String((await ticket(id)).body)).toContain(HERE);
    expect((await script.get<TokenReview>(STATUS)).body).toMatchObject({
      error: 'login_confirm_wait',
      data: { ticket_id: id },
    });
    expect((await script.post<TokenReview>(AUTH, {})).body).toMatchObject({
      error: 'login_confirm_wait',
      data: { ticket_id: id },
    });
    await answerTicket(id, 'approve');
    expect((await script.get(STATUS)).body).toEqual({ msg: 'ok' });
    const tries = await Promise.all([1, 2, 3, 4].map(() => script.post<Json>(AUTH, {})));
    expect(tries.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
    expect((await script.get<TokenReview>(STATUS)).body).toMatchObject({
      error: 'login_confirm_error',
      msg: 'The sign-in confirmation ticket was not found.',
    });
    // The next sign-in needs another ticket.
    const next = await script.post<TokenReview>(AUTH, credentials());
    expect([next.body.error, next.body.data.ticket_id === id]).toEqual([
      'login_confirm_wait',
      false,
    ]);
  });

  it('keeps the ticket of a script that repeats its password, and signs it in after the approval', async () => {
    const { script, id } = await first();
    const again = await script.post<TokenReview>(AUTH, credentials());
    expect(again.body.data.ticket_id).toBe(id);
    const later = from(HERE).with({
      cookie: `sallyport_signin=${cookiesOf(again.headers).sallyport_signin}`,
    });
    await answerTicket(id, 'approve');
    expect((await later.post(AUTH, credentials())).status).toBe(201);
  });

  it('requires the second factor before it asks the reviewers', async () => {
    await setReviewers([]);
    const { secret } = await enrolTotp(await bearer(test, user), user.password);
    await setReviewers();
    const { answer, script } = await first();
    expect(answer.body.error).toBe('mfa_required');
    expect((await reviewer.get<Json[]>(`tickets/tickets/?search=${user.username}`)).body).toEqual(
      [],
    );
    await script.post('authentication/mfa/challenge/', { code: codeOf(secret) });
    const { data } = (await script.post<TokenReview>(AUTH, {})).body;
    await answerTicket(data.ticket_id, 'approve');
    expect((await script.post(AUTH, {})).status).toBe(201);
  });

  it('rejects the sign-in after a rejection, and writes it to the login log', async () => {
    const { script, id } = await first();
    await answerTicket(id, 'reject');
    expect((await script.get<TokenReview>(STATUS)).body).toEqual({
      error: 'login_confirm_error',
      msg: 'The sign-in confirmation ticket was rejected.',
      data: { ticket_id: id },
    });
    expect((await script.post<Json>(AUTH, {})).body.error).toBe('session_empty');
    const { rows } = await sql<Json>`select reason, status from login_log
        where user_id = ${user.id} order by datetime desc limit 1`.execute(test.db);
    expect(rows).toEqual([{ reason: 'login_confirm_refused', status: false }]);
  });

  it('closes the ticket of a script that gives up, and rejects its approval', async () => {
    const { script, id } = await first();
    expect(await script.delete(STATUS)).toMatchObject({ status: 200 });
    expect(await ticket(id)).toMatchObject({ status: 'closed', action: '' });
    expect((await answerTicket(id, 'approve')).status).toBe(409);
    expect((await script.post<Json>(AUTH, {})).body.error).toBe('session_empty');
  });

  it('rejects a sign-in from another address than the approved one, and afterwards from the approved one as well', async () => {
    const { cookie, script, id } = await first();
    await answerTicket(id, 'approve');
    const elsewhere = from('192.0.2.2').with({ cookie: `sallyport_signin=${cookie}` });
    expect((await elsewhere.post<TokenReview>(AUTH, {})).body).toMatchObject({
      error: 'login_confirm_error',
      data: { ticket_id: id },
    });
    expect((await script.post<Json>(AUTH, {})).body.error).toBe('session_empty');
  });

  it('closes the ticket of an expired attempt, which cannot be approved before either', async () => {
    const { script, id } = await first();
    await sql`update pending_sign_in set date_expired = now() - interval '1 second'
      where confirm_ticket = ${id}`.execute(test.db);
    expect((await answerTicket(id, 'approve')).body.code).toBe('ticket_attempt_over');
    expect((await ticket(id)).status).toBe('open');
    expect((await script.post<Json>(AUTH, {})).body.error).toBe('session_empty');
    await runHousekeeping(test, 'sign-in-cleanup');
    expect((await ticket(id)).status).toBe('closed');
  });

  it('limits the waiting attempts of one user', async () => {
    for (let attempt = 0; attempt < 7; attempt++) await first();
    const { rows } =
      await sql`select 1 from ticket where user_id = ${user.id} and status = 'open'`.execute(
        test.db,
      );
    expect(rows).toHaveLength(5);
  });

  it('continues when a review is no longer required', async () => {
    const { script, id } = await first();
    await setReviewers([]);
    expect((await script.post(AUTH, {})).status).toBe(201);
    expect((await ticket(id)).status).toBe('closed');
  });
});

describe('a browser', () => {
  beforeEach(() => setReviewers());
  const begin = async () => {
    const page = (await openBrowser(test)).with({ 'x-forwarded-for': HERE });
    const { body, headers } = await page.post<SignInPending>('/core/auth/login/', {
      ...credentials(),
      next: '/ui/assets/assets',
    });
    const browser = page.with({
      cookie: `${page.headers.cookie}; sallyport_signin=${cookiesOf(headers).sallyport_signin}`,
    });
    return {
      browser,
      pending: body,
      state: async () => (await browser.get<SignInPending>('/core/auth/login/state/')).body,
    };
  };

  it('waits with the names of the reviewers, and continues at the requested page', async () => {
    const { browser, pending, state } = await begin();
    const review = {
      ticket_id: expect.any(String),
      state: 'open',
      reviewers: [`Name of ${boss.username}`],
    };
    expect(pending).toMatchObject({ state: 'login_confirm', review });
    expect(await state()).toMatchObject({ state: 'login_confirm', review });
    expect(
      (await browser.post<SignInPending>('/core/auth/login/confirm/')).body.review?.state,
    ).toBe('open');
    await answerTicket(String(pending.review?.ticket_id), 'approve');
    expect((await state()).review?.state).toBe('approved');
    const { status, body, headers } = await browser.post<Json>('/core/auth/login/confirm/');
    expect([status, body]).toEqual([200, { next: '/ui/assets/assets' }]);
    expect(cookiesOf(headers).sessionid).toBeTruthy();
    expect((await browser.post<Json>('/core/auth/login/confirm/')).body.error).toBe(
      'session_empty',
    );
  });

  it('shows a rejection, and closes the ticket when the user leaves', async () => {
    const rejected = await begin();
    await answerTicket(String(rejected.pending.review?.ticket_id), 'reject');
    expect(
      (await rejected.browser.post<SignInPending>('/core/auth/login/confirm/')).body.review?.state,
    ).toBe('rejected');
    expect((await rejected.state()).state).toBe('password');
    const left = await begin();
    await left.browser.post('/core/auth/login/cancel/');
    expect((await ticket(String(left.pending.review?.ticket_id))).status).toBe('closed');
  });

  it('continues after a reload of the page, and ends when the browser stays away', async () => {
    const away = (ticketId: unknown) =>
      sql`update pending_sign_in set date_left = now() - interval '60 seconds'
        where confirm_ticket = ${ticketId} and date_left is not null`.execute(test.db);
    const loaded = await begin();
    expect((await loaded.browser.post('/core/auth/login/leave/')).status).toBe(200);
    expect((await loaded.state()).state).toBe('login_confirm');
    // The page is loaded again, so the earlier leave must not end the attempt.
    await away(loaded.pending.review?.ticket_id);
    expect((await loaded.state()).state).toBe('login_confirm');
    // Another attempt, which no timer ends during the test.
    const { browser, pending, state } = await begin();
    const id = String(pending.review?.ticket_id);
    await browser.post('/core/auth/login/leave/');
    await away(id);
    expect((await answerTicket(id, 'approve')).body.code).toBe('ticket_attempt_over');
    expect((await state()).state).toBe('password');
    await runHousekeeping(test, 'sign-in-cleanup');
    expect((await ticket(id)).status).toBe('closed');
  });

  it('ends the attempt a few seconds after the page was closed', async () => {
    const { browser, pending } = await begin();
    const id = String(pending.review?.ticket_id);
    await browser.post('/core/auth/login/leave/');
    await expect.poll(async () => (await ticket(id)).status, { timeout: 120_000 }).toBe('closed');
  });
});

it('rejects a user whose reviewers cannot sign in or were deleted, and reports the user to administrators', async () => {
  const absent = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  const listedUsers = async () => {
    const items = (
      await reviewer.get<{ kind: string; examples: { id: string }[] }[]>('common/attention/')
    ).body;
    return (
      items.find(({ kind }) => kind === 'users_without_reviewers')?.examples.map(({ id }) => id) ??
      []
    );
  };
  await setReviewers([absent.id]);
  const { script } = await first();
  expect(await listedUsers()).not.toContain(user.id);
  await sql`update account set is_active = false where id = ${absent.id}`.execute(test.db);
  // An attempt that already waits ends immediately.
  expect((await script.get<TokenReview>(STATUS)).body.error).toBe('login_confirm_error');
  const refused = await from(HERE).post<Json>(AUTH, credentials());
  expect([refused.status, refused.body.code]).toEqual([400, 'login_confirm_nobody']);
  expect(String(refused.body.detail ?? refused.body.msg)).toContain('Ask an administrator');
  const visiting = await openBrowser(test);
  expect((await visiting.post<Json>('/core/auth/login/', credentials())).body.code).toBe(
    'login_confirm_nobody',
  );
  expect(await listedUsers()).toContain(user.id);
  expect(
    (
      await reviewer.get<{ results: Json[] }>(
        `users/users/?attention=users_without_reviewers&limit=50`,
      )
    ).body.results.map(({ id }) => id),
  ).toContain(user.id);
  // The requirement stays when the reviewer is deleted.
  await sql`delete from account where id = ${absent.id}`.execute(test.db);
  expect((await tryToSignIn(test, user)).body.code).toBe('login_confirm_nobody');
  await setReviewers([]);
  expect((await tryToSignIn(test, user)).status).toBe(201);
  expect(await listedUsers()).not.toContain(user.id);
});
