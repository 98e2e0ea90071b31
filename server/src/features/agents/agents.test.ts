import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DUTIES } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { callTool, connectAgent, createAgent, LEASH, type Revision } from '../../testing/agents.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { everyRow } from '../../testing/every-row.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let owner: Client;
beforeAll(async () => {
  world = await startSshWorld();
  owner = await bearer(world.test, world.member);
});
afterAll(() => world.stop());

const leash = (values: Json = {}, by = owner) =>
  createAgent(by, { hosts: world.hostname, password: world.member.password, ...values });
const connect = (token: string, revision?: Revision) => connectAgent(world.test, token, revision);
const call = callTool;

async function run(token: string, command: string, more: Json = {}): Promise<Json> {
  const client = await connect(token);
  const answer = await call(client, 'run', { host: world.hostname, command, ...more });
  await client.close();
  return answer;
}

it.each<Revision>(['2026-07-28', '2025-11-25'])(
  'runs a command of an agent as a recorded session, in revision %s',
  async (revision) => {
    const { id, token } = await leash({ name: unique('agent') });
    const client = await connect(token, revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_hosts',
      'run',
      'read_file',
      'write_file',
      'list_databases',
      'query',
      'request_access',
      'ask',
    ]);
    expect(await call(client, 'list_hosts', {})).toMatchObject({
      hosts: [{ host: world.hostname, accounts: [{ account: world.accountName }] }],
      truncated: false,
    });
    const answer = await call(client, 'run', {
      host: world.hostname,
      command: 'echo out; echo err >&2; exit 3',
      reason: 'to see both streams',
    });
    expect(answer).toMatchObject({
      state: 'done',
      exit_code: 3,
      output: 'out\n',
      errors: 'err\n',
      truncated: false,
    });
    expect(await call(client, 'ask', { call: answer.call })).toEqual(answer);
    await client.close();
    const { body } = await owner.get<Json[]>(`agents/calls/?agent=${id}`);
    expect(body).toMatchObject([
      { state: 'done', exit_code: 3, reason: 'to see both streams', tool: 'run' },
    ]);
    const session = await world.lastSession();
    expect(body[0]?.session_id).toBe(session.id);
    expect(session.user).toContain(world.member.username);
    expect(session.user).toContain('Test client');
    expect(session.user_id).toBe(world.member.id);
    await until(async () => (await world.lastSession()).has_replay === true, 'the recording');
  },
);

it('runs listed commands only, without a shell, and stores each refusal', async () => {
  const { id, token } = await leash({
    name: unique('listed'),
    command_mode: 'listed',
    commands: 'echo *\nuname -s\n# a comment\nls -l ...',
    denied: 'secret',
  });
  expect(await run(token, 'echo hello')).toMatchObject({ state: 'done', output: 'hello\n' });
  expect(await run(token, "echo '$HOME'")).toMatchObject({ state: 'done', output: '$HOME\n' });
  for (const command of [
    'echo $HOME',
    'echo a; id',
    'echo `id`',
    'id',
    'echo a b',
    'echo hello\nid',
    'echo secret',
    'echo "SECRET"',
    'echo se""cret',
    'echo \'sec\'"ret"',
    'echo se\\cret',
    'env echo hello',
    '/bin/echo hello',
  ]) {
    const answer = await run(token, command);
    expect([command, answer.state, answer.output]).toEqual([command, 'refused', '']);
    expect(answer.detail).toMatch(/leash/);
  }
  const { body } = await owner.get<Json[]>(`agents/calls/?agent=${id}&state=refused`);
  expect(body).toHaveLength(13);
  // The command log of its session has the refused command.
  const { rows } = await sql<{ input: string }>`
    select input from command where session = ${String(body[0]?.session_id)}::uuid`.execute(
    world.test.db,
  );
  expect(rows).toMatchObject([{ input: '/bin/echo hello' }]);
});

it('refuses texts that hide something from the readers of a log', async () => {
  const { id, token } = await leash({ name: unique('hiding'), files: 'write' });
  const client = await connect(token);
  const { hostname: host } = world;
  const bad: readonly [string, Json][] = [
    ['run', { host: 'a\0b', command: 'id' }],
    ['run', { host: '\u202Eabc', command: 'id' }],
    ['run', { host, account: 'a\u001B[2J', command: 'id' }],
    ['run', { host, command: 'echo \0' }],
    ['run', { host, command: 'echo \uD800' }],
    ['run', { host, words: ['echo', 'a\0b'] }],
    ['run', { host, command: 'id', reason: '\0' }],
    ['run', { host, command: 'id', key: '12345678\n' }],
    ['list_hosts', { search: '\0' }],
    ['read_file', { host, path: '/tmp/\0' }],
    ['write_file', { host, path: '/tmp/\0', content: '' }],
  ];
  for (const [name, args] of bad) {
    const answer = await client.callTool({ name, arguments: args }).catch(() => undefined);
    expect([name, args, answer === undefined || answer.isError]).toEqual([name, args, true]);
  }
  await client.close();
  expect((await owner.get<Json[]>(`agents/calls/?agent=${id}`)).body).toEqual([]);
  expect(world.test.log()).not.toContain('a tool of an agent failed');
});

it('counts the messages of a batch, and not the batch, against the limit of requests', async () => {
  const { token } = await leash({ name: unique('batch') });
  const batch = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  const client = world.test.visitor.with({
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
    'mcp-protocol-version': '2025-03-26',
  });
  // Two hundred messages at once, and twenty a second: far less than these in any time they take.
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('/mcp', batch)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].toSorted()).toEqual([200, 429]);
});

it('quotes the words of a command, for hosts with POSIX shells only', async () => {
  const { token } = await leash({ name: unique('words') });
  const client = await connect(token);
  const words = ['printf', '%s.', '$HOME', "it's", '', '; id', 'a\nb'];
  const args = { host: world.hostname, words };
  expect(await call(client, 'run', args)).toMatchObject({
    state: 'done',
    output: "$HOME.it's..; id.a\nb.",
  });
  const both = { ...args, command: 'id' };
  expect((await client.callTool({ name: 'run', arguments: both })).isError).toBe(true);
  await sql`update asset set platform = 'Windows' where id = ${world.asset}`.execute(world.test.db);
  expect(await call(client, 'run', args)).toMatchObject({ state: 'refused', output: '' });
  await sql`update asset set platform = 'Linux' where id = ${world.asset}`.execute(world.test.db);
  await client.close();
});

it('reaches hosts and accounts of the leash and of the owner only', async () => {
  for (const [values, host] of [
    [{ hosts: 'other-*' }, world.hostname],
    [{ accounts: 'somebody' }, world.hostname],
    [{ hosts: '*' }, unique('unknown')],
  ] as const) {
    const { token } = await leash({ name: unique('elsewhere'), ...values });
    const answer = await run(token, 'id', { host });
    expect(answer).toMatchObject({ state: 'refused', output: '' });
    expect(answer.detail).toMatch(/no such host and account/);
  }
  // Another user has no permission, whatever the leash says.
  const stranger = await buildUser(world.test.db);
  const by = await bearer(world.test, stranger);
  const { token } = await leash({ hosts: '*', password: stranger.password }, by);
  expect(await run(token, 'id')).toMatchObject({ state: 'refused' });
  const client = await connect(token);
  expect(await call(client, 'list_hosts', {})).toEqual({ hosts: [], truncated: false });
  await client.close();
});

it('stops at the budget of commands and of output', async () => {
  const few = await leash({ name: unique('few'), max_commands: 2 });
  expect((await run(few.token, 'echo 1')).state).toBe('done');
  expect((await run(few.token, 'false')).exit_code).toBe(1);
  expect(await run(few.token, 'echo 3')).toMatchObject({ state: 'refused', call: '' });
  const small = await leash({ name: unique('small'), max_kib: 1 });
  const cut = await run(small.token, 'head -c 5000 /dev/zero | tr "\\0" x');
  expect(cut).toMatchObject({ state: 'done', truncated: true });
  expect(String(cut.output).length).toBeLessThanOrEqual(1024);
  expect((await run(small.token, 'echo more')).detail).toMatch(/budget/);
  const { body } = await owner.get<Json>(`agents/agents/${small.id}/`);
  expect(body).toMatchObject({ state: 'used_up', used_commands: 1, used_bytes: 1024 });
});

it('reads and writes files by the leash, with entries in the log of transfers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-files-'));
  const { status } = await world.administrator.patch(`assets/system-users/${world.systemUser}/`, {
    sftp_root: folder,
  });
  expect(status).toBe(200);
  await writeFile(join(folder, 'one.txt'), 'first line\n');
  const use = async (token: string, name: string, args: Json) => {
    const client = await connect(token);
    const answer = await call(client, name, { host: world.hostname, ...args });
    await client.close();
    return answer;
  };
  const [one, two] = [join(folder, 'one.txt'), join(folder, 'two.txt')];
  const none = await leash({ name: unique('none') });
  const refused = { state: 'refused', output: '' };
  expect(await use(none.token, 'read_file', { path: one })).toMatchObject(refused);
  const reader = await leash({ name: unique('reader'), files: 'read' });
  expect(await use(reader.token, 'read_file', { path: one })).toMatchObject({
    state: 'done',
    output: 'first line\n',
  });
  const writing = { path: two, content: 'written\n' };
  expect(await use(reader.token, 'write_file', writing)).toMatchObject(refused);
  expect(await use(reader.token, 'read_file', { path: two })).toMatchObject({ output: '' });
  const writer = await leash({ name: unique('writer'), files: 'write' });
  expect((await use(writer.token, 'write_file', writing)).state).toBe('done');
  expect(await readFile(two, 'utf8')).toBe('written\n');
  expect(await use(writer.token, 'read_file', { path: 'two.txt' })).toMatchObject({
    output: 'written\n',
  });
  for (const path of ['/etc/passwd', '../../etc/passwd', `${folder}x/one.txt`])
    expect(await use(writer.token, 'read_file', { path })).toMatchObject(refused);
  const other = { host: unique('other'), path: one };
  expect(await use(writer.token, 'read_file', other)).toMatchObject(refused);
  const logged = async () => {
    const { rows } = await sql<{ filename: string; operate: string }>`
      select filename, operate from ftp_log where "user" like '%Test client%'`.execute(
      world.test.db,
    );
    return rows.map(({ filename, operate }) => `${operate} ${filename}`);
  };
  const entries = ['Download /one.txt', 'Upload /two.txt'];
  await until(async () => {
    const rows = await logged();
    return entries.every((entry) => rows.includes(entry));
  }, 'the entries in the log of transfers');
  await rm(folder, { recursive: true });
});

it('runs a repeated call once, and rejects its key for another command', async () => {
  const { token } = await leash({ name: unique('keys') });
  const key = unique('key');
  const command = 'mktemp';
  const answers = await Promise.all([
    run(token, command, { key }),
    run(token, command, { key }),
    run(token, command, { key }),
  ]);
  expect(new Set(answers.map(({ output }) => output)).size).toBe(1);
  expect(await run(token, command, { key })).toEqual(answers[0]);
  expect(await run(token, 'id', { key })).toMatchObject({ state: 'refused', output: '' });
});

it('judges the conditions of a permission again before it shows the result of a call', async () => {
  const { token } = await leash({ name: unique('moved') });
  const client = await connect(token);
  const key = unique('key');
  const request = { host: world.hostname, command: 'echo seen', key };
  const first = await call(client, 'run', request);
  expect(first).toMatchObject({ state: 'done', output: 'seen\n' });
  const running = await call(client, 'run', {
    host: world.hostname,
    command: 'exec sleep 600',
    wait: 0,
  });
  const create = async (path: string, values: Json) => {
    const { status, body } = await world.administrator.post<Json>(`perms/${path}/`, values);
    expect(status).toBe(201);
    return String(body.id);
  };
  const networks = [await create('networks', { name: unique('far'), networks: ['192.0.2.0/24'] })];
  const condition = await create('conditions', { name: unique('far'), networks });
  const { body: rules } = await world.administrator.get<Json[]>('perms/asset-permissions/');
  const use = async (value: string | null) => {
    const path = `perms/asset-permissions/${rules[0]?.id}/`;
    expect((await world.administrator.patch(path, { condition: value })).status).toBe(200);
  };
  await use(condition);
  for (const answer of [
    await call(client, 'ask', { call: first.call }),
    await call(client, 'run', request),
    await call(client, 'ask', { call: running.call }),
  ])
    expect(answer).toMatchObject({ state: 'refused', output: '' });
  await use(null);
  expect(await call(client, 'ask', { call: first.call })).toEqual(first);
  await client.close();
});

it('answers with a handle while a command runs, and stops it after its time', async () => {
  const { token } = await leash({ name: unique('slow') });
  const client = await connect(token);
  const first = await call(client, 'run', {
    host: world.hostname,
    command: 'echo begun; exec sleep 600',
    wait: 0,
    seconds: 1,
  });
  expect(first).toMatchObject({ state: 'running', output: '' });
  await until(
    async () => (await call(client, 'ask', { call: first.call, wait: 5 })).state !== 'running',
    'the command is stopped',
  );
  const last = await call(client, 'ask', { call: first.call });
  expect(last).toMatchObject({ state: 'ended', output: 'begun\n' });
  expect(last.detail).toMatch(/stopped after/);
  const other = await connect((await leash({ name: unique('other') })).token);
  const foreign = await other.callTool({ name: 'ask', arguments: { call: first.call } });
  expect(foreign.isError).toBe(true);
  await Promise.all([client.close(), other.close()]);
});

it('stops the command of a client that closes its connection', async () => {
  const { id, token } = await leash({ name: unique('cut') });
  const leaving = new AbortController();
  const params = { name: 'run', arguments: { host: world.hostname, command: 'exec sleep 600' } };
  const cut = fetch(new URL('/mcp', world.test.program.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: leaving.signal,
  })
    .then((answer) => answer.text())
    .catch(() => 'cut');
  const callOf = async () => (await owner.get<Json[]>(`agents/calls/?agent=${id}`)).body[0];
  await until(async () => Boolean((await callOf())?.session_id), 'the session began');
  leaving.abort();
  expect(await cut).toBe('cut');
  await until(async () => (await callOf())?.state === 'ended', 'the call has ended');
  expect((await callOf())?.detail).toMatch(/closed the connection/);
});

it.each<[string, (id: string) => Promise<unknown>]>([
  ['its owner', (id) => owner.post('agents/agents/end/', { agent: id })],
  [
    'an administrator, by its owner',
    async () => (await bearer(world.test)).post('agents/agents/end/', { owner: world.member.id }),
  ],
  [
    'an administrator, all at once',
    async () => (await bearer(world.test)).post('agents/agents/end/', {}),
  ],
])('ends running calls and the token when stopped by %s', async (_who, end) => {
  const { id, token } = await leash({ name: unique('killed') });
  const client = await connect(token);
  const command = 'exec sleep 600';
  const { call: running } = await call(client, 'run', { host: world.hostname, command, wait: 0 });
  const one = async () => (await owner.get<Json[]>(`agents/calls/?id=${running}`)).body[0];
  await until(async () => (await one())?.session_id !== '', 'the session began');
  await end(id);
  await until(async () => (await one())?.state === 'ended', 'the call has ended');
  expect((await owner.get<Json>(`agents/agents/${id}/`)).body).toMatchObject({ state: 'ended' });
  await expect(connect(token)).rejects.toThrow();
  await client.close().catch(() => undefined);
});

it('ends all agents when the installation switches them off, and creates none until it is on again', async () => {
  const { id, token } = await leash({ name: unique('off') });
  const client = await connect(token);
  const command = 'exec sleep 600';
  const { call: running } = await call(client, 'run', { host: world.hostname, command, wait: 0 });
  const one = async () => (await owner.get<Json[]>(`agents/calls/?id=${running}`)).body[0];
  await until(async () => (await one())?.session_id !== '', 'the session began');
  const administrator = await bearer(world.test);
  const allow = async (isOn: boolean) => {
    const { status } = await administrator.patch('settings/setting/', { SECURITY_AGENTS: isOn });
    expect(status).toBe(200);
  };
  await allow(false);
  await until(async () => (await one())?.state === 'ended', 'the call has ended');
  const refused = await owner.post<Json>('agents/agents/', { ...LEASH, hosts: '*', name: 'none' });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('agents_off');
  await expect(connect(token)).rejects.toThrow();
  await allow(true);
  expect((await owner.get<Json>(`agents/agents/${id}/`)).body).toMatchObject({ state: 'ended' });
  await expect(connect(token)).rejects.toThrow();
  expect(await run((await leash()).token, 'echo on')).toMatchObject({ output: 'on\n' });
  await client.close().catch(() => undefined);
});

it('hides agents and calls from other users, and its token from all', async () => {
  const { id, token } = await leash({ name: unique('hidden') });
  await run(token, 'echo one');
  const stranger = await bearer(world.test, await buildUser(world.test.db));
  expect((await stranger.get<Json[]>(`agents/agents/?id=${id}`)).body).toEqual([]);
  expect((await stranger.get(`agents/agents/${id}/`)).status).toBe(404);
  expect((await stranger.get<Json[]>(`agents/calls/?agent=${id}`)).body).toEqual([]);
  expect((await stranger.post<Json>('agents/agents/end/', { agent: id })).body).toEqual({
    ended: 0,
  });
  const administrator = await bearer(world.test);
  const { body } = await administrator.get<Json>(`agents/agents/${id}/`);
  expect(body).toMatchObject({
    owner: expect.stringContaining(world.member.username),
    token: null,
  });
  expect((await owner.get<Json>(`agents/agents/${id}/`)).body.token).toBeNull();
  expect(await everyRow(world.test.db)).not.toContain(token);
  expect(world.test.log()).not.toContain(token);
});

/** Sends a request with another host, which `fetch` does not allow. */
function rawPost(headers: Record<string, string>): Promise<{ readonly status: number }> {
  return new Promise((done, fail) => {
    const sent = request(
      new URL('/mcp', world.test.program.url),
      {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...headers,
        },
      },
      (answer) => {
        answer.resume().once('end', () => done({ status: answer.statusCode ?? 0 }));
      },
    );
    sent.once('error', fail);
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  });
}

it('opens the door of agents to their tokens only, and no other door to them', async () => {
  const { token } = await leash({ name: unique('door') });
  const post = (headers: Record<string, string>) =>
    world.test.visitor
      .with({ accept: 'application/json, text/event-stream', ...headers })
      .post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
  const authorization = `Bearer ${token}`;
  expect((await post({ authorization })).status).toBe(200);
  for (const other of ['', `Bearer ${token}x`, String(owner.headers.authorization), 'Basic YTpi']) {
    const answer = await post({ authorization: other });
    expect([other.slice(0, 8), answer.status]).toEqual([other.slice(0, 8), 401]);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  }
  expect((await world.test.visitor.get('/mcp')).status).toBe(401);
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example'])
    expect((await post({ authorization, origin })).status).toBe(403);
  // A name of an attacker that points at this server: host and origin agree.
  const rebound = { authorization, host: 'evil.example:80' };
  expect((await rawPost({ ...rebound, origin: 'http://evil.example:80' })).status).toBe(403);
  expect((await rawPost(rebound)).status).toBe(200);
  const { host } = new URL(world.test.program.url);
  expect((await rawPost({ authorization, host, origin: `http://${host}` })).status).toBe(200);
  const agent = world.test.visitor.with({ authorization });
  expect((await agent.get('users/profile/')).status).toBe(401);
  expect((await agent.post('agents/agents/', LEASH)).status).toBe(401);
  expect((await agent.with({ cookie: `sessionid=${token}` }).get('users/profile/')).status).toBe(
    401,
  );
});

it('rejects a token that has expired, and one of a disabled owner', async () => {
  const expired = await leash({ name: unique('expired') });
  await sql`update web_session set date_expired = now() - interval '1 second' where id = (
    select sign_in_id from agent where id = ${expired.id})`.execute(world.test.db);
  await expect(connect(expired.token)).rejects.toThrow();
  const other = await buildUser(world.test.db);
  const by = await bearer(world.test, other);
  const { token } = await leash({ password: other.password }, by);
  await (await connect(token)).close();
  await (await bearer(world.test)).patch(`users/users/${other.id}/`, { is_active: false });
  await expect(connect(token)).rejects.toThrow();
});

it.each<[string, Json, string]>([
  ['a wrong password', { password: 'wrong' }, 'password'],
  ['no task', { task: '' }, 'task'],
  ['no hosts', { hosts: '' }, 'hosts'],
  ['no accounts', { accounts: ' ' }, 'accounts'],
  ['no commands', { command_mode: 'listed', commands: ' ' }, 'commands'],
  ['an unreadable pattern', { commands: 'ls\n* -rf' }, 'commands'],
  ['more than a week', { minutes: 10_081 }, 'minutes'],
  ['no budget', { max_commands: 0 }, 'max_commands'],
])('rejects a leash with %s', async (_what, values, field) => {
  const body = {
    name: unique('wrong'),
    ...LEASH,
    hosts: '*',
    password: world.member.password,
    ...values,
  };
  const { status, body: problems } = await owner.post<Json>('agents/agents/', body);
  expect([status, Object.keys(problems)]).toEqual([400, [field]]);
});

it('lets the security administrator end agents and the audit administrator read them', async () => {
  const holders = await Promise.all(
    DUTIES.map(async (duty) => {
      const account = await buildUser(world.test.db, { duty });
      return { duty, password: account.password, client: await bearer(world.test, account) };
    }),
  );
  const { id, token } = await leash({ name: unique('watched') });
  await run(token, 'echo one');
  const may = { system: [403, 403], security: [200, 200], audit: [200, 403] };
  for (const { duty, client, password } of holders) {
    const [read, end] = may[duty];
    const listed = await client.get<Json[]>(`agents/calls/?agent=${id}`);
    expect([duty, listed.status, listed.body.length]).toEqual([
      duty,
      read,
      read === 200 ? 1 : undefined,
    ]);
    expect([duty, (await client.get(`agents/agents/${id}/`)).status]).toEqual([duty, read]);
    const body = { name: unique('own'), ...LEASH, hosts: '*', password };
    expect([duty, (await client.post('agents/agents/', body)).status]).toEqual([duty, 403]);
    const unknown = { agent: crypto.randomUUID() };
    expect([duty, (await client.post('agents/agents/end/', unknown)).status]).toEqual([duty, end]);
  }
  const security = holders.find(({ duty }) => duty === 'security')?.client;
  const ended = await security?.post<Json>('agents/agents/end/', { agent: id });
  expect(ended?.body).toEqual({ ended: 1 });
  expect((await owner.get<Json>(`agents/agents/${id}/`)).body).toMatchObject({ state: 'ended' });
});
