import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Json } from '../../testing/client.ts';
import { type RadiusServer, startRadiusServer } from '../../testing/services/radius-server.ts';
import { bearer, cookiesOf, openBrowser } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PASSWORD = 'pass "word" one';

let server: RadiusServer;
let test: TestProgram;
beforeAll(async () => {
  server = await startRadiusServer({
    'asked.once': {
      password: PASSWORD,
      question: { message: 'Code of your token?', answers: ['123456'] },
    },
    'asked.twice': { password: PASSWORD, question: { message: 'Next code?', answers: ['1', '2'] } },
    'asked.often': {
      password: PASSWORD,
      question: { message: 'Again?', answers: ['1', '2', '3', '4', '5', '6'] },
    },
    plain: { password: PASSWORD },
  });
  test = await startTestProgram();
  const settings = {
    AUTH_RADIUS_SERVERS: server.address,
    AUTH_RADIUS_SECRET: server.secret,
    AUTH_RADIUS_NAS_IDENTIFIER: 'sallyport',
    AUTH_RADIUS_TIMEOUT: 60,
  };
  const saved = await (await bearer(test)).put('settings/setting/', {
    radius: { ...settings, AUTH_RADIUS_CREATE_USERS: true, AUTH_RADIUS: true },
  });
  expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
});
afterAll(async () => {
  await test.stop();
  await server.stop();
});

const LOGIN = '/core/auth/login/';

/** A browser that keeps the ticket of its sign-in. */
async function browser() {
  const visiting = await openBrowser(test);
  let ticket = '';
  const client = () =>
    visiting.with({ cookie: `${visiting.headers.cookie}; sallyport_signin=${ticket}` });
  const post = async (path: string, body: Json) => {
    const answer = await client().post<Json>(`${LOGIN}${path}`, body);
    ticket = cookiesOf(answer.headers).sallyport_signin ?? ticket;
    return answer;
  };
  return {
    signIn: (username: string, password = PASSWORD) => post('', { username, password }),
    answer: (answer: string) => post('challenge/', { answer }),
    state: () => client().get<Json>(`${LOGIN}state/`),
    cancel: () => post('cancel/', {}),
    ticket: () => ticket,
    take(other: string) {
      ticket = other;
    },
  };
}
const waiting = async () =>
  (await sql`select 1 from password_challenge`.execute(test.db)).rows.length;

describe('a RADIUS server that asks a question', () => {
  it('shows the question of the server, and creates the account after the right answer', async () => {
    const person = await browser();
    expect((await person.signIn('asked.once')).body).toMatchObject({
      state: 'challenge',
      username: 'asked.once',
      message: 'Code of your token?',
      factors: [],
    });
    expect((await person.state()).body).toMatchObject({
      state: 'challenge',
      message: 'Code of your token?',
    });
    expect((await person.answer('123456')).body).toEqual({ next: '/ui/' });
    const { rows } = await sql`select source from account where username = 'asked.once'`.execute(
      test.db,
    );
    expect(rows).toEqual([{ source: 'radius' }]);
    // The existing account gets the question as well.
    const again = await browser();
    expect((await again.signIn('asked.once')).body.state).toBe('challenge');
    expect((await again.answer('123456')).status).toBe(200);
    expect(await waiting()).toBe(0);
  });

  it('asks again, and gives up eventually', async () => {
    const person = await browser();
    expect((await person.signIn('asked.twice')).body.message).toBe('Next code?');
    expect((await person.answer('1')).body).toMatchObject({
      state: 'challenge',
      message: 'Next code?',
    });
    expect((await person.answer('2')).body).toEqual({ next: '/ui/' });
    const often = await browser();
    await often.signIn('asked.often');
    for (const code of ['1', '2', '3', '4'])
      expect((await often.answer(code)).body.state).toBe('challenge');
    expect((await often.answer('5')).body.code).toBe('challenge_too_often');
    expect((await often.answer('6')).body.code).toBe('session_empty');
  });

  it('ends a chain of questions at a wrong answer in the middle, and begins again with the first', async () => {
    const person = await browser();
    await person.signIn('asked.often');
    for (const code of ['1', '2']) expect((await person.answer(code)).body.state).toBe('challenge');
    expect((await person.answer('4')).body.code).toBe('challenge_failed');
    expect((await person.answer('3')).body.code).toBe('session_empty');
    const again = await browser();
    expect((await again.signIn('asked.twice')).body.state).toBe('challenge');
    expect((await again.answer('2')).body.code).toBe('challenge_failed');
    await again.signIn('asked.twice');
    expect((await again.answer('1')).body.state).toBe('challenge');
    expect((await again.answer('2')).body).toEqual({ next: '/ui/' });
    expect(await waiting()).toBe(0);
  });

  it('accepts one answer per question, counts a wrong one, and rejects answers to other questions', async () => {
    const person = await browser();
    await person.signIn('asked.once');
    const ticket = person.ticket();
    const wrong = await person.answer('654321');
    expect([wrong.status, wrong.body]).toEqual([
      400,
      expect.objectContaining({
        code: 'challenge_failed',
        msg: expect.stringContaining('The answer was not accepted.'),
      }),
    ]);
    // After a wrong answer, even the right one is rejected.
    const late = await browser();
    late.take(ticket);
    expect((await late.answer('123456')).body.code).toBe('session_empty');
    const stranger = await browser();
    expect((await stranger.answer('123456')).body.code).toBe('session_empty');
    const { rows } =
      await sql`select reason from login_log where username = 'asked.once' order by datetime desc
        limit 1`.execute(test.db);
    expect(rows).toEqual([{ reason: 'challenge_failed' }]);
    // A wrong password is rejected without a question.
    expect((await (await browser()).signIn('asked.once', 'wrong')).body.code).toBe(
      'password_failed',
    );
    await sql`update password_challenge set date_expired = now()`.execute(test.db);
  });

  it('drops the question when the sign-in is given up, started again, or continued from another address', async () => {
    const [first, second] = [await browser(), await browser()];
    await first.signIn('asked.once');
    await second.signIn('asked.once');
    expect((await first.answer('123456')).body.code).toBe('session_empty');
    await sql`update password_challenge set remote_addr = '192.0.2.1'`.execute(test.db);
    expect((await second.answer('123456')).body.code).toBe('session_empty');
    await sql`delete from password_challenge`.execute(test.db);
    const third = await browser();
    await third.signIn('asked.once');
    await third.cancel();
    expect(await waiting()).toBe(0);
    const late = await browser();
    await late.signIn('asked.once');
    await sql`update password_challenge set date_expired = now()`.execute(test.db);
    expect((await late.answer('123456')).body.code).toBe('session_empty');
  });

  it('includes the question in the test of the settings', async () => {
    const answer = await (await bearer(test)).post<Json>('settings/radius/testing/login/', {
      username: 'asked.once',
      password: PASSWORD,
    });
    expect(JSON.stringify(answer.body)).toContain('Code of your token?');
  });
});
