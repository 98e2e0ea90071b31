import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EmergencyAsset, EmergencyOpened } from '@sallyport/contract';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainText } from '../server/src/gateway/sessions/terminal/commands/output-capture.ts';
import { QueryClient } from '../server/src/testing/databases/query-client.ts';
import { freePort } from '../server/src/testing/free-port.ts';
import { requirePeers } from '../server/src/testing/peers.ts';
import { until } from '../server/src/testing/poll.ts';
import { TerminalClient } from '../server/src/testing/terminals/terminal-client.ts';
import { EMERGENCY_ACCOUNT } from './estate/fill-accounts.ts';
import { DEMO_PASSWORD } from './people/people.ts';

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, '../server/src/main.ts');
const LISTS = [
  'assets/assets',
  'assets/nodes',
  'assets/domains',
  'assets/gateways',
  'assets/labels',
  'assets/admin-users',
  'assets/system-users',
  'users/users',
  'users/groups',
  'perms/asset-permissions',
  'perms/networks',
  'perms/conditions',
  'tickets/tickets',
  'terminal/sessions',
  'terminal/commands',
  'audits/login-logs',
  'audits/operate-logs',
] as const;

interface Running {
  readonly url: string;
  readonly printed: string;
  stop(): Promise<void>;
}

let folder: string;
let port: number;
let running: Running;

/** Starts the real command. */
async function start(): Promise<Running> {
  const child = spawn(process.execPath, [MAIN, '--demo'], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`the demo did not start: ${printed}`);
    return /is ready: \S+\n[\s\S]*auditor looks/.test(printed);
  }, 'the demo is ready');
  return { url: /is ready: (\S+)\//.exec(printed)?.[1] ?? '', printed, stop: () => stop(child) };
}

function environment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    SALLYPORT_DATA_DIR: join(folder, 'data'),
    SALLYPORT_HTTP_PORT: String(port),
    SALLYPORT_ADMIN_PASSWORD: 'a password of the test',
    SALLYPORT_LOG_LEVEL: 'warn',
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await exited;
  expect(code).toBe(0);
}

async function signIn(username: string, password = DEMO_PASSWORD): Promise<Record<string, string>> {
  const answer = await fetch(`${running.url}/api/v1/authentication/auth/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  expect(answer.status).toBe(201);
  return { authorization: `Bearer ${((await answer.json()) as { token: string }).token}` };
}

async function send(
  headers: Record<string, string>,
  method: 'POST' | 'PUT',
  path: string,
  body: object,
): Promise<number> {
  const answer = await fetch(`${running.url}/api/v1/${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.status;
}

async function get<Body>(headers: Record<string, string>, path: string): Promise<Body> {
  const answer = await fetch(`${running.url}/api/v1/${path}`, { headers });
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as Body;
}

const list = <Row>(headers: Record<string, string>, path: string) =>
  get<{ count: number; results: Row[] }>(headers, path);

async function counts(headers: Record<string, string>): Promise<Record<string, number>> {
  const amounts: Record<string, number> = {};
  for (const path of LISTS) amounts[path] = (await list(headers, `${path}/?limit=1`)).count;
  return amounts;
}

/** Opens demo-shell with the asset and account granted to the user. */
async function openShell(
  headers: Record<string, string>,
): Promise<{ client: TerminalClient; session: string }> {
  const { results } = await list<{ id: string; hostname: string }>(
    headers,
    'perms/users/assets/?limit=50&search=demo-shell',
  );
  const asset = results[0]?.id ?? '';
  const [account] = await get<{ id: string; username: string }[]>(
    headers,
    `perms/users/assets/${asset}/system-users/`,
  );
  expect(account?.username).toBe('guest');
  const client = await TerminalClient.connect(
    running.url.replace('http', 'ws'),
    { asset, system_user: account?.id ?? '' },
    headers,
  );
  const { session } = await client.message('open');
  return { client, session };
}

/** Opens emergency access to demo-db-01, and a session of it with the account that it adds. */
async function openEmergency(
  headers: Record<string, string>,
): Promise<{ client: TerminalClient; ticket: string }> {
  const mine = 'perms/users/emergency-access/';
  const { results } = await list<EmergencyAsset>(headers, `${mine}?limit=50`);
  const offered = results.find(({ hostname }) => hostname === 'demo-db-01');
  const [account] = offered?.accounts ?? [];
  expect(account?.name).toBe(EMERGENCY_ACCOUNT);
  const answer = await fetch(`${running.url}/api/v1/${mine}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      rule: offered?.rule,
      asset: offered?.asset,
      minutes: 5,
      reason: 'The shop does not answer',
    }),
  });
  expect(answer.status).toBe(201);
  const { ticket } = (await answer.json()) as EmergencyOpened;
  const client = await TerminalClient.connect(
    running.url.replace('http', 'ws'),
    { asset: offered?.asset ?? '', system_user: account?.id ?? '' },
    headers,
  );
  return { client, ticket };
}

/** Plays the recording with asciinema. */
async function playback(headers: Record<string, string>, session: string): Promise<string> {
  const answer = await fetch(
    `${running.url}/api/v1/terminal/sessions/${session}/replay/download/`,
    { headers },
  );
  expect(answer.status).toBe(200);
  const file = join(folder, `${session}.cast`);
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  const { stdout } = await run('script', ['-qec', `asciinema cat ${file}`, '/dev/null'], {
    env: { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8' },
  });
  return stdout;
}

beforeAll(async () => {
  requirePeers('asciinema', 'openssh-client', 'mariadb-server', 'redis-server');
  folder = await mkdtemp(join(tmpdir(), 'sallyport-demo-'));
  port = await freePort();
  running = await start();
});
afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the demo', () => {
  it('shows an agent whose leash refused one of its commands', async () => {
    const { results } = await list<{ input: string; state: string }>(
      await signIn('demo'),
      'agents/calls/?limit=10',
    );
    expect(results.map(({ input, state }) => [input.split(' ')[0], state]).sort()).toEqual([
      ['df', 'done'],
      ['du', 'done'],
      ['rm', 'refused'],
      ['select', 'done'],
      ['tail', 'done'],
    ]);
  });

  it('prints the accounts and shows a bastion in use', async () => {
    expect(running.printed).toContain(
      `demo, auditor, zhaomin, all with the password ${DEMO_PASSWORD}`,
    );
    const admin = await signIn('admin', 'a password of the test');
    const amounts = await counts(admin);
    expect(amounts).toMatchObject({
      'terminal/sessions': 62,
      'perms/asset-permissions': 18,
      'assets/assets': 124,
    });
    for (const path of LISTS) expect([path, (amounts[path] ?? 0) >= 3]).toEqual([path, true]);
    const [root] = (
      await list<{ key: string; assets_amount: number }>(admin, 'assets/nodes/?limit=100')
    ).results.filter(({ key }) => !key.includes(':'));
    expect(root?.assets_amount).toBe(124);
    expect(
      (await list(admin, 'perms/asset-permissions/?limit=1&is_valid=0')).count,
    ).toBeGreaterThanOrEqual(3);
    // Licensed features are enabled.
    expect(await get(admin, 'xpack/license/detail')).toMatchObject({ is_valid: true });
  });

  it('grants sample users the assets of their sessions', async () => {
    const auditor = await signIn('auditor');
    const { results } = await list<Record<string, string>>(auditor, 'terminal/sessions/?limit=100');
    const admin = await signIn('admin', 'a password of the test');
    for (const { user_id, asset_id, system_user_id } of results) {
      const accounts = await get<{ id: string }[]>(
        admin,
        `perms/users/${user_id}/assets/${asset_id}/system-users/`,
      );
      expect(accounts.map(({ id }) => id)).toContain(system_user_id);
    }
  });

  it('has a change set that waits in its second organization, and alerts of its sign-ins', async () => {
    const admin = await signIn('admin', 'a password of the test');
    const [organization] = await get<{ id: string }[]>(admin, 'orgs/orgs/');
    for (const account of [admin, await signIn('zhaomin')])
      expect(
        await get({ ...account, 'x-jms-org': organization?.id ?? '' }, 'change-sets/'),
      ).toMatchObject([{ state: 'proposed' }]);
    await until(
      async () => (await list(admin, 'audits/alerts/?limit=1')).count >= 2,
      'the alerts are raised',
    );
  });

  it('contains recordings that play and show the logged commands', async () => {
    const auditor = await signIn('auditor');
    const { results } = await list<{
      id: string;
      can_replay: boolean;
      command_amount: number;
      asset: string;
    }>(auditor, 'terminal/sessions/?limit=100');
    const replayable = results.filter(({ can_replay }) => can_replay);
    expect(replayable.length).toBeGreaterThan(50);
    for (const session of replayable.slice(0, 12)) {
      const output = await playback(auditor, session.id);
      expect(output).toContain(session.asset);
      const commands = (
        await list<{ output: string }>(
          auditor,
          `terminal/commands/?limit=100&session_id=${session.id}`,
        )
      ).results;
      expect(commands.length).toBe(session.command_amount);
    }
  });

  it('gives the demo user a real terminal and replays the input', async () => {
    const demo = await signIn('demo');
    const { client, session } = await openShell(demo);
    await client.waitFor('$ ');
    client.type('whoami\r');
    await client.until('the answer', () =>
      plainText(client.output).split('\n').includes('guest') ? true : undefined,
    );
    client.type('exit\r');
    expect((await client.message('closed')).code).toBe('connect_target_closed');
    const auditor = await signIn('auditor');
    const row = () =>
      get<{ can_replay: boolean; user: string }>(auditor, `terminal/sessions/${session}/`);
    await until(async () => (await row()).can_replay, 'the recording is finished');
    expect((await row()).user).toBe('体验账号(demo)');
    const output = await playback(auditor, session);
    // Expect the answer on a separate line; the prompt contains `guest` too.
    expect(plainText(output).split('\n')).toContain('guest');
    const { results } = await list<{ input: string; output: string }>(
      auditor,
      `terminal/commands/?limit=10&session_id=${session}`,
    );
    expect(results).toContainEqual(expect.objectContaining({ input: 'whoami', output: 'guest' }));
  });

  it('gives emergency access an account that works, and whose session ends with the access', async () => {
    const { client, ticket } = await openEmergency(await signIn('demo'));
    await client.waitFor('$ ');
    client.type('whoami\r');
    await client.until('the answer', () =>
      plainText(client.output).split('\n').includes('ops') ? true : undefined,
    );
    const auditor = await signIn('auditor');
    expect(await send(auditor, 'POST', `tickets/emergency/${ticket}/end/`, {})).toBe(200);
    expect((await client.message('closed')).code).toBe('session_emergency_ended');
  });

  it("opens its database at once, recorded, without access to the product's database", async () => {
    const demo = await signIn('demo');
    const [app] = await get<{ id: string; name: string }[]>(
      demo,
      'perms/users/database-apps/?search=demo-shop',
    );
    const [account] = await get<{ id: string; username: string }[]>(
      demo,
      `perms/users/database-apps/${app?.id}/system-users/`,
    );
    const client = await QueryClient.connect(
      running.url,
      { app: app?.id ?? '', system_user: account?.id ?? '' },
      demo,
    );
    const { session } = await client.message('open');
    expect(await client.rows('select count(*) from orders')).toEqual([['20000']]);
    expect((await client.rows('select * from revenue_by_month')).length).toBeGreaterThan(20);
    expect(
      (await client.query("insert into product (name, price, stock) values ('新品', 1, 1)")).failed,
    ).toBeUndefined();
    for (const [statement, answer] of [
      ["select has_database_privilege('postgres', 'connect')", 'f'],
      ["select has_database_privilege('template1', 'connect')", 'f'],
      [
        'select rolsuper or rolcreaterole or rolcreatedb from pg_roles where rolname = current_user',
        'f',
      ],
    ])
      expect([statement, await client.rows(statement ?? '')]).toEqual([statement, [[answer]]]);
    for (const statement of [
      "copy product to program 'id'",
      "select pg_read_file('/etc/passwd')",
      'create extension postgres_fdw',
      'create extension dblink',
    ])
      expect([statement, (await client.query(statement)).failed?.message]).toEqual([
        statement,
        expect.stringMatching(/permission denied/),
      ]);
    client.close();
    // The port accepts no other role and database, with any password.
    const admin = await signIn('admin', 'a password of the test');
    const { results } = await list<{ port: number }>(
      admin,
      'applications/database-apps/?limit=1&search=demo-shop',
    );
    for (const user of ['sallyport', 'sallyport_setup', 'demo_shop']) {
      const stranger = new pg.Client({
        host: '127.0.0.1',
        port: results[0]?.port ?? 0,
        user,
        password: 'x',
        database: user === 'demo_shop' ? 'postgres' : 'demo_shop',
      });
      stranger.on('error', () => undefined);
      await expect(stranger.connect()).rejects.toThrow('Connection terminated unexpectedly');
    }
    const commands = await list<{ input: string }>(
      await signIn('auditor'),
      `terminal/commands/?limit=20&session_id=${session}`,
    );
    expect(commands.results.map(({ input }) => input)).toContain('select count(*) from orders');
  });

  it('fills a Redis without access to settings, files, scripts and other servers', async () => {
    const demo = await signIn('demo');
    const [app] = await get<{ id: string }[]>(demo, 'perms/users/database-apps/?search=demo-cache');
    const [account] = await get<{ id: string }[]>(
      demo,
      `perms/users/database-apps/${app?.id}/system-users/`,
    );
    const client = await QueryClient.connect(
      running.url,
      { app: app?.id ?? '', system_user: account?.id ?? '' },
      demo,
    );
    await client.message('open');
    expect(await client.rows('GET shop:opened')).toEqual([['', 'string', 'true']]);
    expect((await client.rows('HGETALL shop:cart:7')).length).toBeGreaterThan(1);
    for (const command of [
      'CONFIG GET dir',
      'SAVE',
      'EVAL "return 1" 0',
      'FUNCTION LIST',
      'REPLICAOF 127.0.0.1 1',
      'MODULE LIST',
      'ACL LIST',
      'SHUTDOWN',
    ])
      expect([command, (await client.query(command)).failed?.message]).toEqual([
        command,
        expect.stringContaining('NOPERM'),
      ]);
    client.close();
    // Redis requires the password.
    const { results } = await list<{ port: number }>(
      await signIn('admin', 'a password of the test'),
      'applications/database-apps/?limit=1&search=demo-cache',
    );
    const stranger = connect(results[0]?.port ?? 0, '127.0.0.1');
    stranger.write('GET shop:opened\r\n');
    expect(String((await once(stranger, 'data'))[0])).toMatch(/^-NOAUTH/);
    stranger.destroy();
  });

  it('fills a MariaDB whose account has no access to files, other databases and accounts', async () => {
    const demo = await signIn('demo');
    const [app] = await get<{ id: string }[]>(demo, 'perms/users/database-apps/?search=demo-store');
    const [account] = await get<{ id: string }[]>(
      demo,
      `perms/users/database-apps/${app?.id}/system-users/`,
    );
    const client = await QueryClient.connect(
      running.url,
      { app: app?.id ?? '', system_user: account?.id ?? '' },
      demo,
    );
    await client.message('open');
    expect(await client.rows('select count(*) from visit')).toEqual([['20000']]);
    expect(await client.rows('select count(*) from most_seen')).toEqual([['120']]);
    expect(
      (await client.query("insert into category (name) values ('新品')")).failed,
    ).toBeUndefined();
    for (const statement of [
      "select 1 into outfile 'x'",
      'select user from mysql.user',
      "create user stranger identified by 'x'",
      'create database other',
      'set global general_log = 1',
      'shutdown',
    ])
      expect([statement, (await client.query(statement)).failed?.message]).toEqual([
        statement,
        expect.stringMatching(/denied/i),
      ]);
    expect(await client.rows("select load_file('/etc/hostname')")).toEqual([[null]]);
    client.close();
    // The network reaches no other account.
    const { results } = await list<{ port: number }>(
      await signIn('admin', 'a password of the test'),
      'applications/database-apps/?limit=1&search=demo-store',
    );
    for (const user of ['root', 'mysql', 'demo_store'])
      await expect(
        createConnection({ host: '127.0.0.1', port: results[0]?.port ?? 0, user, password: '' }),
      ).rejects.toThrow(/Access denied/);
  });

  it('admits only the bastion to its host', async () => {
    const admin = await signIn('admin', 'a password of the test');
    const [asset] = (
      await list<{ id: string; protocols: string[] }>(
        admin,
        'assets/assets/?limit=1&search=demo-shell',
      )
    ).results;
    const target = Number(asset?.protocols[0]?.split('/')[1]);
    const options = [
      '-o',
      'StrictHostKeyChecking=accept-new',
      '-o',
      `UserKnownHostsFile=${join(folder, 'known')}`,
      '-o',
      'BatchMode=yes',
      '-p',
      String(target),
    ];
    await expect(run('ssh', [...options, 'guest@127.0.0.1', 'id'])).rejects.toThrow(
      /Permission denied/,
    );
    const [key] = await get<{ fingerprint: string; offered: unknown }[]>(
      admin,
      `assets/assets/${asset?.id}/host-keys/`,
    );
    const { stdout } = await run('ssh-keygen', ['-lf', join(folder, 'known')]);
    expect(stdout).toContain(key?.fingerprint);
  });

  it('adds nothing at the next start, and reaches its host when the port is in use', async () => {
    const admin = await signIn('admin', 'a password of the test');
    const before = await counts(admin);
    const [asset] = (
      await list<{ id: string; protocols: string[] }>(
        admin,
        'assets/assets/?limit=1&search=demo-shell',
      )
    ).results;
    const old = Number(asset?.protocols[0]?.split('/')[1]);
    await running.stop();
    const occupant = createServer((socket) => socket.destroy()).listen(old, '127.0.0.1');
    await once(occupant, 'listening');
    try {
      running = await start();
      const again = await signIn('admin', 'a password of the test');
      const after = await counts(again);
      // Only the sign-ins of this test are new.
      expect({ ...after, 'audits/login-logs': 0 }).toEqual({ ...before, 'audits/login-logs': 0 });
      const moved = await get<{ protocols: string[] }>(again, `assets/assets/${asset?.id}/`);
      expect(moved.protocols).not.toContain(`ssh/${old}`);
      const { client } = await openShell(await signIn('demo'));
      await client.close();
    } finally {
      occupant.close();
    }
  });

  it('releases its port when it stops, and keeps key and port for the next start', async () => {
    const admin = await signIn('admin', 'a password of the test');
    const [asset] = (
      await list<{ id: string; protocols: string[] }>(
        admin,
        'assets/assets/?limit=1&search=demo-shell',
      )
    ).results;
    const target = Number(asset?.protocols[0]?.split('/')[1]);
    const [before] = await get<{ fingerprint: string }[]>(
      admin,
      `assets/assets/${asset?.id}/host-keys/`,
    );
    await running.stop();
    const probe = connect(target, '127.0.0.1');
    await expect(once(probe, 'connect')).rejects.toThrow(/ECONNREFUSED/);
    running = await start();
    const { client } = await openShell(await signIn('demo'));
    await client.close();
    const keys = await get<{ port: number; fingerprint: string; offered: unknown }[]>(
      await signIn('admin', 'a password of the test'),
      `assets/assets/${asset?.id}/host-keys/`,
    );
    expect(keys.filter(({ port: pinned }) => pinned === target)).toEqual([
      expect.objectContaining({ fingerprint: before?.fingerprint, offered: null }),
    ]);
  });

  it('starts again, with new passwords of its accounts, under change control', async () => {
    const admin = await signIn('admin', 'a password of the test');
    const colleague = {
      ...{ name: 'Second', username: 'second', email: 'second@example.com', role: 'Admin' },
      ...{ password: 'a second password of the test 1', password_strategy: 1 },
    };
    expect(await send(admin, 'POST', 'users/users/', colleague)).toBe(201);
    expect(await send(admin, 'PUT', 'change-control/', { is_on: true })).toBe(200);
    await running.stop();
    running = await start();
    const { client } = await openShell(await signIn('demo'));
    await client.close();
  });
});
