import type { TokenChallenge } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildPermission, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { codeOf, enrolTotp } from '../../testing/second-factors.ts';
import { type RadiusServer, startRadiusServer } from '../../testing/services/radius-server.ts';
import { bearer, cookiesOf } from '../../testing/sign-in.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../testing/ssh/open-ssh-world.ts';

const PASSWORD = 'pass "word" one';
const QUESTION = 'Code of your token?';
const AUTH = 'authentication/auth/';
const ANSWER = 'authentication/password/challenge/';

let server: RadiusServer;
let world: OpenSshWorld;
beforeAll(async () => {
  server = await startRadiusServer({
    'asked.once': { password: PASSWORD, question: { message: QUESTION, answers: ['123456'] } },
    'asked.twice': { password: PASSWORD, question: { message: QUESTION, answers: ['1', '2'] } },
    'asked.often': {
      password: PASSWORD,
      question: { message: QUESTION, answers: ['1', '2', '3', '4', '5', '6'] },
    },
    'asked.more': { password: PASSWORD, question: { message: QUESTION, answers: ['123456'] } },
  });
  world = await startOpenSshWorld();
  const settings = {
    AUTH_RADIUS_SERVERS: server.address,
    AUTH_RADIUS_SECRET: server.secret,
    AUTH_RADIUS_NAS_IDENTIFIER: 'sallyport',
    AUTH_RADIUS_TIMEOUT: 60,
  };
  const saved = await (await bearer(world.test)).put('settings/setting/', {
    radius: { ...settings, AUTH_RADIUS_CREATE_USERS: true, AUTH_RADIUS: true },
  });
  expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
});
afterAll(async () => {
  await world.stop();
  await server.stop();
});
beforeEach(async () => {
  await sql`delete from login_attempt`.execute(world.test.db);
});

/** A script that keeps the ticket of its sign-in. */
function script() {
  let ticket = '';
  const client = (): Client =>
    world.test.visitor.with(ticket ? { cookie: `sallyport_signin=${ticket}` } : {});
  const post = async (path: string, body: Json) => {
    const answer = await client().post<Json>(path, body);
    ticket = cookiesOf(answer.headers).sallyport_signin ?? ticket;
    return answer;
  };
  return {
    signIn: (username: string, password = PASSWORD) => post(AUTH, { username, password }),
    again: () => post(AUTH, {}),
    answer: (answer: string) => post(ANSWER, { answer }),
    post,
    ticket: () => ticket,
  };
}
const lastReason = async (username: string) =>
  (
    await sql<Json>`select type, reason from login_log
      where username = ${username} order by datetime desc limit 1`.execute(world.test.db)
  ).rows[0];
const userIdOf = async (username: string) =>
  (
    await sql<{ id: string }>`select id from account where username = ${username}`.execute(
      world.test.db,
    )
  ).rows[0]?.id ?? '';

describe('a script that is asked a question by a RADIUS server', () => {
  it('returns a question to a script after its password, and the token after its answer', async () => {
    const one = script();
    const question = await one.signIn('asked.once');
    const expected: TokenChallenge = {
      error: 'challenge_required',
      msg: `The server that checks this password asks: ${QUESTION}`,
      data: { message: QUESTION, url: `/api/v1/${ANSWER}` },
    };
    expect([question.status, question.body]).toEqual([200, expected]);
    expect((await one.again()).body).toEqual(expected);
    const empty = await one.post(ANSWER, {});
    expect([empty.status, Object.keys(empty.body)]).toEqual([400, ['answer']]);
    const { status, body } = await one.answer('123456');
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ keyword: 'Bearer', token: expect.any(String) }),
    ]);
    const signedIn = world.test.visitor.with({ authorization: `Bearer ${body.token}` });
    expect((await signedIn.get('users/profile/')).status).toBe(200);
    // Requests that only confirm a password cannot answer questions.
    const confirmed = await signedIn.post('authentication/mfa/totp/begin/', { password: PASSWORD });
    expect([confirmed.status, confirmed.text]).toEqual([
      400,
      expect.stringContaining('cannot be answered here'),
    ]);
    expect((await one.answer('123456')).body.error).toBe('session_empty');
    expect(await lastReason('asked.once')).toEqual({ type: 'A', reason: '' });
  });

  it('asks a script again, and gives up eventually', async () => {
    const one = script();
    await one.signIn('asked.twice');
    const again = await one.answer('1');
    expect([again.status, again.body.error]).toEqual([200, 'challenge_required']);
    expect((await one.answer('2')).status).toBe(201);
    const often = script();
    await often.signIn('asked.often');
    for (const code of ['1', '2', '3', '4'])
      expect((await often.answer(code)).body.error).toBe('challenge_required');
    expect((await often.answer('5')).body).toMatchObject({ error: 'challenge_too_often' });
    expect((await often.answer('6')).body.error).toBe('session_empty');
  });

  it('accepts one answer of a script, counts a wrong one, and reports it as a wrong answer', async () => {
    const one = script();
    await one.signIn('asked.once');
    const wrong = await one.answer('654321');
    expect([wrong.status, wrong.body]).toEqual([
      400,
      expect.objectContaining({
        error: 'challenge_failed',
        msg: expect.stringMatching(/^The answer was not accepted\. .*6 more attempts/),
      }),
    ]);
    expect((await one.answer('123456')).body.error).toBe('session_empty');
    expect(await lastReason('asked.once')).toEqual({ type: 'A', reason: 'challenge_failed' });
    expect((await one.signIn('asked.once', 'wrong')).body.error).toBe('password_failed');
  });

  it('asks a script for the second factor after the question', async () => {
    const user = await buildUser(world.test.db, { username: 'asked.more' });
    const { secret } = await enrolTotp(await bearer(world.test, user), user.password);
    await sql`update account set source = 'radius' where id = ${user.id}`.execute(world.test.db);
    const one = script();
    await one.signIn('asked.more');
    const pending = await one.answer('123456');
    expect([pending.status, pending.body.error]).toEqual([200, 'mfa_required']);
    expect(
      (await one.post('authentication/mfa/challenge/', { code: codeOf(secret) })).body,
    ).toEqual({ msg: 'ok' });
    expect((await one.again()).status).toBe(201);
  });

  it('rejects answers of a script to the question of a browser, and vice versa', async () => {
    const one = script();
    await one.signIn('asked.once');
    const page = world.test.visitor.with({ cookie: `sallyport_signin=${one.ticket()}` });
    expect((await page.get<Json>('/core/auth/login/state/')).body.state).toBe('password');
    expect(
      (await page.post<Json>('/core/auth/login/challenge/', { answer: '123456' })).body.code,
    ).not.toBe(undefined);
    expect((await one.answer('123456')).status).toBe(201);
  });
});

describe('a client of SSH that is asked a question by a RADIUS server', () => {
  /** Signs in over SSH. A prompt answers further questions. */
  const connect = async (
    username: string,
    code: string,
    method: string,
    more: readonly string[] = [],
  ) => {
    const { stdout, stderr } = await world.ssh.run({
      login: `${username}@@${world.hostname}`,
      password: PASSWORD,
      code,
      command: 'echo in',
      options: ['-o', `PreferredAuthentications=${method}`, '-o', 'LogLevel=INFO', ...more],
    });
    return { stdout: stdout.toString(), stderr };
  };

  it('asks over SSH in the dialog of the password, or after the password', async () => {
    expect((await script().signIn('asked.once')).status).toBe(200);
    const one = script();
    await one.signIn('asked.once');
    await one.answer('123456');
    const id = await userIdOf('asked.once');
    await sql`insert into organization_member (organization_id, user_id, role)
      values (${world.organization}, ${id}, 'User') on conflict do nothing`.execute(world.test.db);
    await buildPermission(world.test.db, {
      organization: world.organization,
      users: [id],
      assets: [world.asset],
      systemUsers: [world.systemUser],
    });
    for (const method of ['keyboard-interactive', 'password,keyboard-interactive']) {
      const { stdout, stderr } = await connect('asked.once', '123456', method);
      expect([method, stdout], stderr).toEqual([method, 'in\n']);
      // The question in the words of the server.
      expect(stderr).toContain(QUESTION);
    }
    expect(await lastReason('asked.once')).toEqual({ type: 'T', reason: '' });
  });

  it('reports a wrong answer over SSH, and allows another attempt', async () => {
    const { stdout, stderr } = await connect('asked.once', '654321', 'keyboard-interactive');
    expect(stdout).toBe('');
    expect(stderr).toContain('The answer was not accepted. Enter the password again.');
    expect(await lastReason('asked.once')).toEqual({ type: 'T', reason: 'challenge_failed' });
    const again = await connect('asked.once', '654321', 'keyboard-interactive', [
      '-o',
      'NumberOfPasswordPrompts=2',
    ]);
    expect(again.stderr.split(QUESTION).length - 1).toBe(2);
    const { rows } =
      await sql`select 1 from password_challenge where username = 'asked.once'`.execute(
        world.test.db,
      );
    expect(rows).toEqual([]);
  });
});
