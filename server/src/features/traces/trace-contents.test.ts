import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../testing/databases/database-world.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../testing/databases/postgres-server.ts';
import { DesktopClient } from '../../testing/desktops/desktop-client.ts';
import { grantDesktop, socketsOf } from '../../testing/desktops/desktop-world.ts';
import { until } from '../../testing/poll.ts';
import { attributeOf, startCollector } from '../../testing/services/trace-collector.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../testing/ssh/ssh-target.ts';

let collector: Awaited<ReturnType<typeof startCollector>>;
let world: DatabaseWorld;
let postgres: PostgresServer;
let sshd: SshTarget;
beforeAll(async () => {
  collector = await startCollector();
  [world, postgres, sshd] = await Promise.all([
    startDatabaseWorld({ traces: { url: collector.url, headersFile: undefined } }),
    startPostgres(),
    startSshServer(),
  ]);
});
afterAll(async () => {
  await Promise.all([world?.stop(), postgres?.stop(), sshd?.stop()]);
  collector.stop();
});

/** The kinds of the session openings that have arrived. */
const opened = () =>
  collector
    .spans()
    .filter(({ name }) => name === 'session open')
    .map((span) => attributeOf(span, 'sallyport.kind'));

/** Fails if the collector received a text of a session. */
function expectWithout(texts: readonly string[]): void {
  const all = collector.bodies.join('\n');
  for (const text of [world.member.username, world.member.id, '127.0.0.1', ...texts])
    expect(all).not.toContain(text);
}

it('sends spans of databases without names, statements and rows', async () => {
  const sales = await world.grant({
    type: 'postgresql',
    port: postgres.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  });
  const client = await sales.connect();
  await client.message('open');
  client.send({ type: 'run', run: 1, text: "select 'private-row' as private_column" });
  await client.message('finished');
  client.socket.close();
  await until(async () => opened().includes('query'), 'the opening of the database has arrived');
  const { app, name, systemUser, accountName } = sales;
  expectWithout([app, name, systemUser, accountName, VAULT_ACCOUNT, VAULT_PASSWORD, 'private']);
});

it('sends the type and the reason of a failed desktop, without names', async () => {
  // Closes connections before the greeting of a VNC server.
  const target = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await until(async () => target.listening, 'the target listens');
  const { port } = target.address() as { port: number };
  const password = 'Vault-Secret-83';
  const desktop = await grantDesktop(world.administrator, world.member.id, { port, password });
  const { body } = await world.administrator.get<Json>(`assets/assets/${desktop.asset}/`);
  const url = socketsOf(world.test.program.url);
  const client = await DesktopClient.connect(url, desktop, world.client.headers);
  await client.wire.message('closed');
  await until(async () => opened().includes('desktop'), 'the failed opening has arrived');
  const spans = collector.spans();
  const open = spans.find((one) => attributeOf(one, 'sallyport.kind') === 'desktop');
  const connect = spans.find((one) => one.name === 'connect' && one.parentSpanId === open?.spanId);
  for (const span of [open, connect]) {
    expect(span && attributeOf(span, 'error.type')).toBe('connect_desktop_error');
    expect(span?.status).toEqual({
      code: 2,
      message: 'host did not answer like a protocol server.',
    });
  }
  expectWithout([desktop.asset, desktop.system_user, String(body.hostname), password]);
  target.close();
});

it('sends the type and the reason of a target that refuses connections, without its address', async () => {
  const target = createServer().listen(0, '127.0.0.1');
  await until(async () => target.listening, 'the target listens');
  const { port } = target.address() as { port: number };
  target.close();
  await until(async () => !target.listening, 'the target is closed');
  const password = 'Vault-Secret-84';
  const desktop = await grantDesktop(world.administrator, world.member.id, { port, password });
  const url = socketsOf(world.test.program.url);
  const client = await DesktopClient.connect(url, desktop, world.client.headers);
  await client.wire.message('closed');
  const refused = () =>
    collector.spans().find((one) => attributeOf(one, 'error.type') === 'connect_refused');
  await until(async () => refused() !== undefined, 'the failed opening has arrived');
  expect(refused()?.status).toEqual({ code: 2, message: 'host refused the connection.' });
  expectWithout([desktop.asset, desktop.system_user, password]);
});

it('sends spans of files without names of files, folders and assets', async () => {
  const make = async (path: string, fields: Json) => {
    const created = await world.administrator.post<Json>(path, fields);
    expect(created.status, created.text).toBe(201);
    return String(created.body.id);
  };
  const [hostname, accountName] = [unique('server'), unique('account')];
  const asset = await make('assets/assets/', {
    hostname,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  });
  const account = await make('assets/system-users/', {
    name: accountName,
    username: sshd.username,
    private_key: sshd.privateKey,
    auto_push: false,
    sftp_root: '/',
  });
  await make('perms/asset-permissions/', {
    name: unique('rule'),
    users: [world.member.id],
    assets: [asset],
    system_users: [account],
  });
  await writeFile(join(sshd.home, 'private-file'), 'private-content');
  const files = `files/${asset}/${account}/`;
  const connected = await world.client.post(`${files}connect/`, {});
  expect(connected.text).toContain('"open"');
  const path = encodeURIComponent(join(sshd.home, 'private-file'));
  const text = await world.client.get(`${files}text/?path=${path}`);
  expect(text.text).toContain('private-content');
  const routes = () => collector.spans().map((span) => attributeOf(span, 'http.route') ?? '');
  await until(
    async () => opened().includes('transfer') && routes().some((route) => route.endsWith('/text/')),
    'the file requests have arrived',
  );
  expectWithout([asset, account, hostname, accountName, 'private-', sshd.home]);
});
