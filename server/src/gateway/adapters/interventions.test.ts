import { INTERVENTION_MAX } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { MenuClient } from '../../testing/ssh/menu-client.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

/** The line editor of the shell reads. */
const PROMPT = '\x1b[?2004h';

let world: SshWorld;
let web: Client;
beforeAll(async () => {
  world = await startSshWorld();
  web = (await bearer(world.test, world.member)).inOrganization(world.organization);
});
afterAll(() => world.stop());

const base = () => world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');

async function connect() {
  const { asset, systemUser } = world;
  const client = await TerminalClient.connect(
    base(),
    { asset, system_user: systemUser },
    web.headers,
  );
  const { session } = await client.message('open');
  await client.waitFor(PROMPT);
  return { client, session };
}

const intervene = (session: string, body: object, by = world.administrator) =>
  by.post<Json>(`terminal/sessions/${session}/interventions/`, body);

/** Waits until a message of a type satisfies a condition. */
const heard = (client: TerminalClient, what: string, is: (message: Json) => boolean) =>
  client.until(what, () => client.messages.find((message) => is({ ...message })));

async function leave(client: TerminalClient, session: string): Promise<void> {
  client.type('exit\r');
  await client.message('closed');
  await ended(session);
}

/** Waits for the end of a session. A later session may have ended before. */
const ended = (session: unknown) =>
  until(async () => {
    const { body } = await world.administrator.get<Json>(`terminal/sessions/${session}/`);
    return body.is_finished === true;
  }, 'the end of the session');

it('stops the input of a web terminal with a reason, shows output and messages, and passes input again', async () => {
  const { client, session } = await connect();
  const file = `${world.sshd.home}/touched`;
  client.type(`(while [ ! -e ${file}.go ]; do sleep 0.1; done; echo still sh"own") &\r`);
  await client.waitFor(PROMPT);
  const lock = await intervene(session, { action: 'lock', text: 'Please call me.' });
  expect([lock.status, lock.body]).toEqual([
    200,
    { locked_by: 'Administrator(admin)', lock_reason: 'Please call me.' },
  ]);
  await heard(client, 'the lock', ({ type, message }) => {
    return type === 'locked' && /Administrator\(admin\).*Please call me\./.test(String(message));
  });
  await client.waitFor('\x1b[7m Administrator(admin) locked this session');
  client.type(`touch ${file}\r`);
  client.send({ type: 'ping' });
  await client.message('pong');
  const written = await intervene(session, { action: 'message', text: 'Stop; I look at it.' });
  expect(written.status).toBe(200);
  await client.waitFor('Message from Administrator(admin): Stop; I look at it.');
  await heard(client, 'the notice', ({ type, message }) => {
    return type === 'notice' && String(message).endsWith('Stop; I look at it.');
  });
  const row = await world.administrator.get<Json>(`terminal/sessions/${session}/`);
  expect(row.body).toMatchObject({
    locked_by: 'Administrator(admin)',
    lock_reason: 'Please call me.',
  });
  const outside = await world.ssh.run({
    login: world.login,
    password: world.member.password,
    command: `touch ${file}.go; ls ${file}`,
  });
  expect(outside.code).not.toBe(0);
  await client.waitFor('still shown');

  expect((await intervene(session, { action: 'unlock' })).body).toEqual({
    locked_by: null,
    lock_reason: '',
  });
  await heard(client, 'the unlock', ({ type, message }) => type === 'locked' && message === null);
  client.type('echo th"rough"\r');
  await client.waitFor('through');
  await leave(client, session);

  const timeline = await world.administrator.get<{ entries: Json[] }>(
    `terminal/sessions/${session}/timeline/`,
  );
  expect(timeline.body.entries.filter(({ kind }) => kind === 'intervention')).toMatchObject([
    { operate: 'lock', text: 'Administrator(admin): Please call me.' },
    { operate: 'message', text: 'Administrator(admin): Stop; I look at it.' },
    { operate: 'unlock', text: 'Administrator(admin)' },
  ]);
  const commands = await world.administrator.get<Json[]>(
    `terminal/commands/?session_id=${session}`,
  );
  expect(commands.body.map(({ input }) => input)).not.toContain(`touch ${file}`);
  const { text } = await world.administrator.get(`terminal/sessions/${session}/replay/download/`);
  for (const part of ['locked this session', 'Stop; I look at it.', 'unlocked this session'])
    expect(text).toContain(part);
});

it('tells a browser that returns that the session is locked', async () => {
  const { client, session } = await connect();
  await intervene(session, { action: 'lock' });
  await heard(client, 'the lock', ({ type }) => type === 'locked');
  client.socket.terminate();
  await client.until('the end of the socket', () => client.closeCode);
  const returned = await TerminalClient.resume(base(), { session }, web.headers);
  await heard(returned, 'the lock', ({ type, message }) => type === 'locked' && message !== null);
  await world.administrator.post('terminal/tasks/kill-session/', [session]);
  await returned.message('closed');
  await ended(session);
});

it('stops the input of an SSH terminal, also after an escape sequence that the target left open', async () => {
  const { ssh, login, member } = world;
  const client = new MenuClient(ssh, { username: login, password: member.password });
  await client.sees(PROMPT);
  client.type("printf '\\033]0;left op'; printf 'en\\n'; cat\r");
  await client.sees('open\r\n');
  const { id } = await world.lastSession();
  await intervene(String(id), { action: 'lock', text: 'Wait.' });
  await client.sees('\x1b\\\x1b[0m\x1b(B\x0f\r\n\x1b[7m Administrator(admin) locked this session');
  await intervene(String(id), { action: 'unlock' });
  await client.sees('unlocked this session');
  client.type('k"ept"\r');
  await client.sees('k"ept"\r\nk"ept"');
  client.type('\x04');
  await client.sees(PROMPT);
  client.type('exit\r');
  expect(await client.ends()).toBe(0);
  await ended(id);
});

it('holds the input of a command until the session is unlocked', async () => {
  const { ssh, login, member } = world;
  const options = ['-T'];
  const client = ssh.shell({ login, password: member.password, command: 'cat', options });
  let output = '';
  client.onOutput((chunk) => {
    output += String(chunk);
  });
  await until(async () => {
    const { is_finished, replay_state } = await world.lastSession();
    return is_finished === false && replay_state === 'recording';
  }, 'the command runs');
  const { id } = await world.lastSession();
  client.type('first\n');
  await until(() => output.includes('first'), 'the first line');
  expect((await intervene(String(id), { action: 'lock' })).status).toBe(200);
  await until(() => output.includes('locked this session'), 'the notice');
  client.type('second\n');
  await intervene(String(id), { action: 'message', text: 'Soon.' });
  await until(() => output.includes('Soon.'), 'the message');
  expect(output).not.toContain('second');
  await intervene(String(id), { action: 'unlock' });
  await until(() => output.includes('second'), 'the second line');
  client.kill();
  await ended(id);
});

it('rejects operations on files while their session is locked', async () => {
  const files = `files/${world.asset}/${world.systemUser}`;
  expect((await web.get(`${files}/entries/?path=/`)).status).toBe(200);
  const { id, kind } = await world.lastSession();
  expect(kind).toBe('transfer');
  await intervene(String(id), { action: 'lock', text: 'Not now.' });
  let answer = await web.get(`${files}/entries/?path=/`);
  await until(async () => {
    answer = await web.get(`${files}/entries/?path=/`);
    return answer.status !== 200;
  }, 'the lock');
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Not now.')]);
  await intervene(String(id), { action: 'unlock' });
  await until(
    async () => (await web.get(`${files}/entries/?path=/`)).status === 200,
    'the session is unlocked',
  );
  await world.administrator.post('terminal/tasks/kill-session/', [id]);
});

it('rejects interventions without the right, in other organizations, and in ended sessions', async () => {
  const { test, organization } = world;
  const { client, session } = await connect();
  const roleOf = async (role: 'User' | 'Auditor') =>
    (
      await bearer(test, await buildUser(test.db, { memberOf: [{ organization, role }] }))
    ).inOrganization(organization);
  const elsewhere = await buildOrganization(test.db);
  const foreigner = await buildUser(test.db, {
    memberOf: [{ organization: elsewhere, role: 'Admin' }],
  });
  const lock = { action: 'lock', text: '' };
  for (const [by, status] of [
    [web, 403],
    [await roleOf('User'), 403],
    [await roleOf('Auditor'), 403],
    [(await bearer(test, foreigner)).inOrganization(elsewhere), 404],
    [(await bearer(test)).inOrganization(elsewhere), 404],
  ] as const)
    expect((await intervene(session, lock, by)).status).toBe(status);
  await leave(client, session);
  expect((await intervene(session, lock)).status).toBe(409);
  expect((await intervene(session, { action: 'message', text: 'Hello' })).status).toBe(409);
  expect((await intervene(crypto.randomUUID(), lock)).status).toBe(404);
});

it('rejects an empty message, control characters, long texts and unknown actions by their field', async () => {
  const { client, session } = await connect();
  for (const [body, field] of [
    [{ action: 'message', text: ' ' }, 'text'],
    [{ action: 'message', text: 'a\x1b[2Jb' }, 'text'],
    [{ action: 'lock', text: 'two\nlines' }, 'text'],
    [{ action: 'lock', text: 'a\u202eb' }, 'text'],
    [{ action: 'message', text: 'x'.repeat(INTERVENTION_MAX + 1) }, 'text'],
    [{ action: 'end' }, 'action'],
    [{ text: 'Hello' }, 'action'],
  ] as const) {
    const { status, body: problems } = await intervene(session, body);
    expect([status, Object.keys(problems)]).toEqual([400, [field]]);
  }
  expect(
    (await intervene(session, { action: 'message', text: 'x'.repeat(INTERVENTION_MAX) })).status,
  ).toBe(200);
  await client.waitFor('xxx');
  await leave(client, session);
});
