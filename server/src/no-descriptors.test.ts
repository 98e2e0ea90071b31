import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { ERRORS } from '@sallyport/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from './testing/client.ts';
import { ADMIN_PASSWORD } from './testing/command.ts';
import { QueryClient } from './testing/databases/query-client.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/poll.ts';
import { type ProcessGroup, startProcessGroup } from './testing/process-group.ts';
import { sshClient } from './testing/ssh/ssh-client.ts';
import { TerminalClient } from './testing/terminals/terminal-client.ts';
import { browseUnreachedTargets } from './testing/unreached-targets.ts';

let group: ProcessGroup;
let sshPort: number;
let initialLimit: string;
beforeAll(async () => {
  sshPort = await freePort();
  group = await startProcessGroup({
    SALLYPORT_SSH_PORT: String(sshPort),
    SALLYPORT_PROCESSES: '1',
  });
  initialLimit = prlimit('--noheadings', '--output=SOFT').trim();
});
afterAll(() => group?.stop());

/** Sessions with three descriptors each. */
const CLIENTS = 44;

/** Reads or changes the limit of open files of the server. */
function prlimit(...words: string[]): string {
  const pid = String(group.command.child.pid);
  const limit = words.some((word) => word.startsWith('--nofile')) ? [] : ['--nofile'];
  return execFileSync('prlimit', ['--pid', pid, ...limit, ...words], { encoding: 'utf8' });
}
const allow = (files: number | string) => prlimit(`--nofile=${files}:`);
const used = () => readdirSync(`/proc/${group.command.child.pid}/fd`).length;
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Opens a session, and returns `open`, or the sentence that refuses it. */
const ways: Readonly<Record<string, () => Promise<string>>> = {
  async 'web terminal'() {
    const client = await TerminalClient.connect(group.sockets, group.grant, group.admin.headers);
    const isAnswer = ({ type }: { type: string }) => type === 'open' || type === 'closed';
    await until(() => client.messages.some(isAnswer), 'an answer');
    const closed = client.messages.find(({ type }) => type === 'closed');
    const answer = closed ? JSON.stringify(closed) : 'open';
    client.socket.terminate();
    return answer;
  },
  async ssh() {
    const ssh = sshClient(sshPort);
    const login = { login: 'admin@shell@box', password: ADMIN_PASSWORD };
    const { code, stderr } = await ssh.run({ ...login, command: 'true' });
    return code === 0 ? 'open' : stderr;
  },
  async psql() {
    const { body } = await group.admin.post<Json>('terminal/databases/passwords/', group.database);
    const client = new pg.Client({
      host: '127.0.0.1',
      port: Number(body.port),
      user: String(body.username),
      password: String(body.password),
    });
    client.on('error', () => undefined);
    const answer = await client.connect().then(() => 'open', messageOf);
    await client.end().catch(() => undefined);
    return answer;
  },
  async workspace() {
    const { database_app: app, system_user } = group.database;
    const client = await QueryClient.connect(group.url, { app, system_user }, group.admin.headers);
    const answer = await client.message('open').then(() => 'open', messageOf);
    client.close();
    return answer;
  },
};
const openEach = async () => {
  const answers: Record<string, string> = {};
  for (const [name, open] of Object.entries(ways)) answers[name] = await open();
  return answers;
};
const isOpen = Object.fromEntries(Object.keys(ways).map((name) => [name, 'open']));

it('refuses sessions with the reason and keeps the console and open sessions while few descriptors are left', async () => {
  expect(await openEach()).toEqual(isOpen);
  const { url, admin } = group;
  const userId = String((await admin.get<Json>('users/profile/')).body.id);
  const unreached = await browseUnreachedTargets({
    url,
    administrator: admin,
    userId,
    person: admin,
  });
  const running = await TerminalClient.connect(group.sockets, group.grant, group.admin.headers);
  const { session } = await running.message('open');

  // Makes the reserve, an eighth of the limit, much larger than the descriptors of a request.
  const clients = await group.openDatabases(CLIENTS);
  allow(used() + CLIENTS / 4);
  await until(
    async () => (await group.admin.get('/api/health/')).status === 503,
    'health answers 503',
  );
  expect((await group.admin.get('/api/health/')).body).toMatchObject({
    status: 0,
    dependencies: { open_files: { status: 'down' }, database: { status: 'up' } },
  });
  for (const [way, answer] of Object.entries(await openEach()))
    expect(answer, way).toContain(ERRORS.server_resources.en);
  for (const [way, open] of Object.entries(unreached))
    expect(await open(), way).toContain(ERRORS.server_resources.en);
  expect((await group.admin.get('terminal/sessions/')).status).toBe(200);
  expect((await group.admin.post('users/groups/', { name: 'made' })).status).toBe(201);
  running.type('echo sti"ll"\r');
  await running.waitFor('still');

  expect(await clients[0]?.query('select 1')).toMatchObject({ rowCount: 1 });

  allow(initialLimit);
  for (const client of clients) await client.end();
  await until(async () => (await ways.ssh?.()) === 'open', 'sessions open again');
  expect(await openEach()).toEqual(isOpen);
  expect((await group.admin.get('/api/health/')).status).toBe(200);
  running.type('exit\r');
  await running.message('closed');
  await until(
    async () =>
      (await group.admin.get<Json>(`terminal/sessions/${session}/`)).body.can_replay === true,
    'the recording is complete',
  );
});

it('serves again after clients had taken every descriptor', async () => {
  await until(() => used() < CLIENTS * 2, 'the sessions of other tests are closed');
  allow(used() + 4);
  const port = Number(new URL(group.url).port);
  const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'));
  const closed = new Set<unknown>();
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.once('close', () => closed.add(socket));
  }
  await until(() => closed.size > 50, 'the server closes connections without a descriptor');
  allow(initialLimit);
  for (const socket of sockets) socket.destroy();
  await until(
    () =>
      group.admin.get('/api/health/').then(
        ({ status }) => status === 200,
        () => false,
      ),
    'the server is well',
  );
  expect(await openEach()).toEqual(isOpen);
  expect(group.command.output()).not.toContain('a request failed');
});
