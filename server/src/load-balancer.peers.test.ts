import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { serverIdOf } from './features/servers/index.ts';
import { openDatabase } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import { Client } from './testing/client.ts';
import { useCommands } from './testing/command.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/poll.ts';
import { exampleOf, startProxy } from './testing/proxies.ts';
import { startSshd, type TestSshd } from './testing/ssh/sshd.ts';
import { TerminalClient } from './testing/terminals/terminal-client.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';

const HEADING = 'Several servers';
const key = randomBytes(32).toString('hex');
const { folder, start } = useCommands();
let database: TestDatabase;
let sshd: TestSshd;
let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;

beforeAll(async () => {
  [database, sshd] = await Promise.all([createTestDatabase(), startSshd()]);
});
afterEach(async () => {
  await proxy?.stop();
  proxy = undefined;
});
afterAll(async () => {
  await database.drop();
  await sshd.stop();
});

/** Starts two server processes with one database. */
async function startServers() {
  const [sshOne, sshTwo] = [await freePort(), await freePort()];
  const begin = async (name: string, sshPort: number) => {
    const directory = join(folder(), name);
    await mkdir(directory);
    const command = start({
      SALLYPORT_DATA_DIR: directory,
      SALLYPORT_DATABASE_URL: database.url,
      SALLYPORT_SECRET_KEY: key,
      SALLYPORT_TRUSTED_PROXIES: '127.0.0.1',
      SALLYPORT_SSH_PORT: String(sshPort),
      SALLYPORT_SSH_TRUSTED_PROXIES: '127.0.0.1',
      SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
    });
    return { command, url: await command.ready() };
  };
  const one = await begin('one', sshOne);
  const two = await begin('two', sshTwo);
  return { one, two, sshOne, sshTwo };
}

const withAddresses = (text: string, changes: Readonly<Record<string, string>>) =>
  Object.entries(changes).reduce((changed, [from, to]) => {
    expect(changed).toContain(from);
    return changed.replaceAll(from, to);
  }, text);

/** Signs in the first administrator through the proxy, and creates the objects for a terminal. */
async function prepare(url: string) {
  const visitor = new Client(url);
  const { token } = (
    await visitor.post<{ token: string }>('authentication/auth/', {
      username: 'admin',
      password: 'of the command',
    })
  ).body;
  const admin = visitor.with({ authorization: `Bearer ${token}` });
  const id = async (path: string, body: object) => String((await admin.post(path, body)).body.id);
  const name = randomBytes(4).toString('hex');
  const asset = await id('assets/assets/', {
    hostname: `box-${name}`,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  });
  const account = {
    name: `account-${name}`,
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
  };
  const systemUser = await id('assets/system-users/', account);
  const me = String((await admin.get('users/profile/')).body.id);
  await id('perms/asset-permissions/', {
    name: `rule-${name}`,
    users: [me],
    assets: [asset],
    system_users: [systemUser],
  });
  return { admin, request: { asset, system_user: systemUser } };
}

it.each(['haproxy', 'nginx'] as const)(
  'keeps all users signed in with the example for %s when one of two servers is killed',
  async (kind) => {
    const { one, two, sshOne, sshTwo } = await startServers();
    const [port, sshPort] = [await freePort(), await freePort()];
    const [first, second] = [new URL(one.url).host, new URL(two.url).host];
    // The configuration equals that of the guide except for addresses and certificate.
    const addresses = { '10.0.0.11:8080': first, '10.0.0.12:8080': second };
    const example = await exampleOf(HEADING, kind);
    const text =
      kind === 'nginx'
        ? withAddresses(example.replace(/^ +ssl_certificate.*\n/gm, ''), {
            ...addresses,
            'listen 443 ssl;': `listen 127.0.0.1:${port};`,
          })
        : withAddresses(
            example
              .replace(/check port 8080/, `check port ${first.split(':')[1]}`)
              .replace(/check port 8080/, `check port ${second.split(':')[1]}`),
            {
              ...addresses,
              'bind :443 ssl crt /etc/ssl/bastion.pem': `bind 127.0.0.1:${port}`,
              'bind :2222': `bind 127.0.0.1:${sshPort}`,
              '10.0.0.11:2222': `127.0.0.1:${sshOne}`,
              '10.0.0.12:2222': `127.0.0.1:${sshTwo}`,
            },
          );
    proxy = await startProxy(kind, text, folder(), port);
    const url = `http://127.0.0.1:${port}/`;
    const { admin, request } = await prepare(url);

    const socketOf = (address: string) => address.replace(/^http/, 'ws').replace(/\/$/, '');
    const [lost, kept] = await Promise.all(
      [one, two].map((server) =>
        TerminalClient.connect(socketOf(server.url), request, admin.headers),
      ),
    );
    const interrupted = (await lost?.message('open'))?.session ?? '';
    await kept?.message('open');
    // Open a terminal and a watcher through the proxy, on either server.
    const watcher = new TerminalClient(
      `${socketOf(url)}/ws/watch/?session=${interrupted}`,
      admin.headers,
    );
    await watcher.message('resize');
    const through = await TerminalClient.connect(socketOf(url), request, admin.headers);
    await through.message('open');

    one.command.child.kill('SIGKILL');
    await one.command.ended;
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await admin.get('users/profile/')).status).toBe(200);
    kept?.type('echo still h"er"e\r');
    await kept?.waitFor('still here');

    // Other servers close its sessions after 160 silent seconds; do not wait for that.
    const { db, close } = openDatabase(database.url, 2);
    await sql`update server set date_seen = date_seen - interval '5 minutes' where id = ${serverIdOf({ dataDirectory: join(folder(), 'one') })}`
      .execute(db)
      .finally(close);
    await until(
      async () => (await admin.get(`terminal/sessions/${interrupted}/`)).body.is_finished === true,
      'the session of the dead server is interrupted',
    );
    expect((await admin.get(`terminal/sessions/${interrupted}/`)).body).toMatchObject({
      end_reason: 'interrupted',
    });

    two.command.child.kill('SIGTERM');
    await two.command.ended;
    expect(two.command.output()).not.toContain('level":50');
  },
);
