import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFailovers } from './features/audits/failovers.ts';
import { type CanaryTarget, startCanaryTarget } from './gateway/canary/target.ts';
import { buildAsset, buildUser, unique } from './testing/builders.ts';
import type { Client, Json } from './testing/client.ts';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from './testing/databases/replicated-postgres.ts';
import { freePort } from './testing/free-port.ts';
import { notePeers, requirePeers } from './testing/peers.ts';
import { until } from './testing/poll.ts';
import { bearer } from './testing/sign-in.ts';
import { TerminalClient } from './testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

requirePeers('postgresql');

let database: ReplicatedPostgres;
let test: TestProgram;
let target: CanaryTarget;
let admin: Client;
let grant: { readonly asset: string; readonly system_user: string };
let headers: Client['headers'];

beforeAll(async () => {
  database = await startReplicatedPostgres();
  notePeers(database.version);
  [test, target] = await Promise.all([
    startTestProgram({ databaseUrl: database.url, sshPort: await freePort() }),
    startCanaryTarget(),
  ]);
  admin = await bearer(test);
  const asset = await buildAsset(test.db, { port: target.port });
  const { body } = await admin.post<Json>('assets/system-users/', {
    name: unique('account'),
    username: target.username,
    login_mode: 'auto',
    protocol: 'ssh',
    password: target.password,
  });
  grant = { asset, system_user: String(body.id) };
  const user = await buildUser(test.db);
  await admin.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [user.id],
    assets: [asset],
    system_users: [grant.system_user],
  });
  ({ headers } = await bearer(test, user));
});
afterAll(async () => {
  await test?.stop();
  await target?.stop();
  await database?.stop();
});

async function openTerminal() {
  const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const terminal = await TerminalClient.connect(base, grant, headers);
  const { session } = await terminal.message('open');
  await terminal.waitFor('canary$ ');
  const type = async (line: string) => {
    terminal.type(`echo ${line}\r`);
    await terminal.waitFor(`\n${line}\r\n`);
  };
  const exit = async () => {
    terminal.type('exit\r');
    await terminal.message('closed');
  };
  return { session, type, exit };
}
const commandsOf = async (id: string) =>
  (
    await database.query<{ input: string }>(
      'select input from command where session = $1 order by sequence',
      [id],
    )
  ).map(({ input }) => input);
const digests = (id: string) =>
  database.query('select from session_digest where session = $1', [id]);
const head = async () =>
  (
    await database.query<{ sequence: number }>(
      "select sequence::int from audit_chain where log = 'operate_log'",
    )
  )[0]?.sequence;
const seen = () =>
  (
    JSON.parse(readFileSync(join(test.dataDirectory, 'audit-heads.json'), 'utf8')) as {
      heads: { operate_log?: { sequence: number } };
    }
  ).heads.operate_log?.sequence;
const lines = (session: string, count: number) =>
  until(
    async () => (await commandsOf(session)).length === count,
    `${count} commands of ${session} in the database`,
  );

it('sends the record again and declares the step back when a lagging standby takes over', async () => {
  const running = await openTerminal();
  await running.type('before');
  await lines(running.session, 1);
  const before = await head();
  database.cutStandby();
  await running.type('lost');
  const brief = await openTerminal();
  await brief.type('only here');
  await brief.exit();
  const label = { name: unique('label'), value: 'x' };
  expect((await admin.post('assets/labels/', label)).status).toBe(201);
  await lines(running.session, 2);
  await until(async () => (await digests(brief.session)).length === 1, 'the end of the session');
  const last = await head();
  await until(() => seen() === last, 'the server has seen the newest row');
  await database.failOver();
  expect(await database.query('select from session where id = $1', [brief.session])).toEqual([]);
  await running.type('after');
  await running.exit();
  for (const { session } of [running, brief])
    await until(async () => (await digests(session)).length === 1, `the digest of ${session}`);
  expect(await commandsOf(running.session)).toEqual([
    'echo before',
    'echo lost',
    'echo after',
    'exit',
  ]);
  expect(await commandsOf(brief.session)).toEqual(['echo only here', 'exit']);
  await until(async () => (await readFailovers(test.db)).length === 1, 'the declared failover');
  const [declared] = await readFailovers(test.db);
  expect(declared?.from.operate_log?.sequence).toBe(last);
  expect(declared?.to.operate_log?.sequence).toBe(before);
  const { body } = await admin.post<Json>('audits/verify/', {});
  expect(body).toMatchObject({ intact: true, sessions: { wrong: 0 } });
});
