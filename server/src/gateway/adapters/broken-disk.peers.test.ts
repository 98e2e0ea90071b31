import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ERRORS, type ErrorCode } from '@sallyport/contract';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../../platform/db/embedded.ts';
import { describeFailure } from '../../start/describe-failure.ts';
import { unique } from '../../testing/builders.ts';
import { makeSelfSigned } from '../../testing/certificates.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import {
  type DatabaseOptions,
  databasePassword,
  grantDatabase,
} from '../../testing/databases/grant-database.ts';
import { startMysqlServer } from '../../testing/databases/mysql-server.ts';
import { startPostgres } from '../../testing/databases/postgres-server.ts';
import { QueryClient } from '../../testing/databases/query-client.ts';
import { startRedisServer } from '../../testing/databases/redis-server.ts';
import { DesktopClient } from '../../testing/desktops/desktop-client.ts';
import { grantDesktop, openDesktop, socketsOf } from '../../testing/desktops/desktop-world.ts';
import { freePort } from '../../testing/free-port.ts';
import { startHostileServer } from '../../testing/hostile/hostile-server.ts';
import { RDP_ATTACKS } from '../../testing/hostile/rdp.ts';
import { startScriptedVnc } from '../../testing/hostile/vnc.ts';
import { startDevice } from '../../testing/hosts/device.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type OpenSsh, openSshClients } from '../../testing/ssh/open-ssh.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../testing/ssh/ssh-target.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

const run = promisify(execFile);
/** The smallest reserve: the disk of the test is larger. */
const RESERVE_MIB = 16;

/** Mounts a separate file system on a loop device. */
async function mountSmall() {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-broken-'));
  const [image, mounted] = [join(folder, 'image'), join(folder, 'mounted')];
  await writeFile(image, '');
  await truncate(image, 96 * 1024 * 1024);
  await run('mkfs.ext4', ['-q', '-N', '512', image]);
  await mkdir(mounted);
  await run('mount', ['-o', 'loop', image, mounted]);
  return {
    mounted,
    shell: (script: string) => run('sh', ['-c', script, mounted]),
    async remove() {
      await run('umount', [mounted]);
      await rm(folder, { recursive: true });
    },
  };
}

type World = SshWorld<SshTarget, OpenSsh>;

/** A session of a way, and the sentence with which it ends. */
interface Opened {
  /** Makes the session write to its recording or log. */
  act(): unknown;
  sentence(): Promise<string>;
}

interface Way {
  readonly name: string;
  /** Undefined if the test does not need a live session of this way. */
  open?(): Promise<Opened>;
  /** Tries to open a session, and returns the sentence that refuses it. */
  refused?(): Promise<string>;
  /** True if it needs no new file while the journal has one open. */
  readonly onlyAppends?: boolean;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Starts a server on a small disk, with targets of all protocols. */
async function startEdge() {
  const disk = await mountSmall();
  const [postgresqlPort, mysqlPort] = [await freePort(), await freePort()];
  const world = await startWorld(
    { dataDirectory: disk.mounted, postgresqlPort, mysqlPort },
    startSshServer({}),
    openSshClients,
  );
  const { test, member, administrator } = world;
  await changeSettings([await bearer(test)], 'terminal', {
    TERMINAL_RECORDING_DISK_RESERVE: RESERVE_MIB,
  });
  const person = (await bearer(test, member)).inOrganization(world.organization);
  const closings: (() => unknown)[] = [];
  const ways = [
    ...terminalWays(world, person),
    ...(await telnetWay(world, person, closings)),
    ...(await databaseWays(world, person, closings)),
    ...(await desktopWays(world, person, closings)),
  ];
  return {
    disk,
    world,
    ways,
    admin: await bearer(test),
    administrator,
    async stop() {
      for (const close of closings) await close();
      await world.stop();
      await disk.remove();
    },
  };
}

function webTerminal(world: World, person: Client, target: Json, line: string): Omit<Way, 'name'> {
  const connect = () =>
    TerminalClient.connect(
      socketsOf(world.test.program.url),
      { asset: String(target.asset), system_user: String(target.system_user) },
      person.headers,
    );
  const sentence = async (client: TerminalClient) => (await client.message('closed')).message;
  return {
    async open() {
      const client = await connect();
      await client.message('open');
      return { act: () => client.type(line), sentence: () => sentence(client) };
    },
    refused: async () => sentence(await connect()),
  };
}

function terminalWays(world: World, person: Client): Way[] {
  const { ssh, login, member } = world;
  const call = { login, password: member.password };
  const target = { asset: world.asset, system_user: world.systemUser };
  const upload = async () => {
    const batch = `put /etc/hostname ${unique('file')}\n`;
    const { code, stdout, stderr } = await ssh.transfer({ program: 'sftp', batch, ...call });
    return `${code} ${stdout} ${stderr}`;
  };
  return [
    { name: 'web terminal', ...webTerminal(world, person, target, 'seq 20000\r') },
    {
      name: 'ssh',
      async open() {
        const shell = ssh.shell(call);
        let output = '';
        shell.onOutput((chunk) => {
          output += String(chunk);
        });
        shell.type('echo re"ady"\r');
        await expect.poll(() => output, { timeout: 30_000 }).toContain('ready');
        return {
          act: () => shell.type('seq 20000\r'),
          sentence: async () => {
            await shell.ended;
            return output;
          },
        };
      },
      refused: async () => (await ssh.run({ ...call, command: 'true' })).stderr,
    },
    { name: 'sftp', refused: upload, onlyAppends: true },
  ];
}

async function telnetWay(
  world: World,
  person: Client,
  closings: (() => unknown)[],
): Promise<Way[]> {
  const device = await startDevice((socket) => {
    socket.write('sw1>');
    socket.on('data', () => socket.write(`${'text '.repeat(20_000)}\r\nsw1>`));
  });
  closings.push(() => device.stop());
  const make = async (path: string, body: Json) =>
    String((await world.administrator.post<Json>(path, body)).body.id);
  const asset = await make('assets/assets/', {
    hostname: unique('switch'),
    ip: '127.0.0.1',
    protocols: [`telnet/${device.port}`],
    platform: 'Linux',
  });
  const systemUser = await make('assets/system-users/', {
    name: unique('account'),
    username: 'cisco',
    protocol: 'telnet',
    password: 'secret',
    auto_push: false,
  });
  await make('perms/asset-permissions/', {
    name: unique('rule'),
    users: [world.member.id],
    assets: [asset],
    system_users: [systemUser],
  });
  return [
    {
      name: 'telnet',
      ...webTerminal(world, person, { asset, system_user: systemUser }, 'show version\r'),
    },
  ];
}

async function databaseWays(
  world: World,
  person: Client,
  closings: (() => unknown)[],
): Promise<Way[]> {
  const postgres = await startPostgres();
  const mysql = await startMysqlServer({ user: 'app', password: 'secret' }, {});
  const redis = await startRedisServer('secret');
  closings.push(...[postgres, mysql, redis].map((one) => () => one.stop()));
  await postgres.admin(`create role app login password 'secret'`);
  const grant = (options: Pick<DatabaseOptions, 'type' | 'port' | 'database'>) =>
    grantDatabase(world.administrator, world.member.id, {
      username: options.type === 'redis' ? 'default' : 'app',
      password: 'secret',
      ...options,
    });
  const forPostgres = await grant({
    type: 'postgresql',
    port: postgres.port,
    database: 'sales',
  });
  const forMysql = await grant({ type: 'mysql', port: mysql.port });
  const forRedis = await grant({ type: 'redis', port: redis.port });

  const psql = async () => {
    const { port, username: user, password } = await databasePassword(person, forPostgres);
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'sales' });
    client.on('error', () => undefined);
    await client.connect();
    closings.push(() => client.end().catch(() => undefined));
    return client;
  };
  const mysqlClient = async () => {
    const { port, username: user, password } = await databasePassword(person, forMysql);
    const client = await createConnection({ host: '127.0.0.1', port, user, password });
    client.on('error', () => undefined);
    closings.push(() => client.destroy());
    return client;
  };
  const workspace = () =>
    QueryClient.connect(
      world.test.program.url,
      { app: forRedis.app, system_user: forRedis.systemUser },
      person.headers,
    );
  const closed = async (client: QueryClient) => {
    const isClosed = () => client.messages.find(({ type }) => type === 'closed');
    await expect.poll(isClosed, { timeout: 60_000 }).toBeDefined();
    return JSON.stringify(isClosed());
  };
  /** Runs statements until one fails. The reason may also arrive between statements. */
  const failing = (
    client: { on(event: 'error', take: (error: Error) => void): unknown },
    query: () => Promise<unknown>,
  ): Opened => {
    const heard: string[] = [];
    client.on('error', ({ message }) => heard.push(message));
    const acting = Promise.withResolvers<void>();
    const failed = acting.promise.then(async () => {
      for (;;)
        try {
          await query();
        } catch (error) {
          return [...heard, messageOf(error)].join('; ');
        }
    });
    return { act: () => acting.resolve(), sentence: () => failed };
  };
  return [
    {
      name: 'psql',
      async open() {
        const client = await psql();
        return failing(client, () => client.query(`select repeat('text ', 1000)`));
      },
      refused: () => psql().then(() => 'opened', messageOf),
    },
    {
      name: 'mysql',
      async open() {
        const client = await mysqlClient();
        return failing(client, () => client.query('select 1'));
      },
      refused: () => mysqlClient().then(() => 'opened', messageOf),
    },
    {
      name: 'Redis',
      async open() {
        const client = await workspace();
        await client.message('open');
        return {
          act: () => void client.query('set a b').catch(() => undefined),
          sentence: () => closed(client),
        };
      },
      refused: async () => closed(await workspace()),
    },
  ];
}

async function desktopWays(
  world: World,
  person: Client,
  closings: (() => unknown)[],
): Promise<Way[]> {
  const { administrator, member, test } = world;
  const viewers = new Set<Socket>();
  const picture = Buffer.concat([
    Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 64, 0, 48, 0, 0, 0, 0]),
    Buffer.alloc(64 * 48 * 4, 0x40),
  ]);
  const vnc = await startScriptedVnc(
    (socket) => viewers.add(socket),
    () => {
      for (const socket of viewers) socket.write(picture);
    },
  );
  const attack = RDP_ATTACKS.find(({ name }) => name === 'never begins the desktop');
  const identity = await makeSelfSigned('IP:127.0.0.1');
  const rdp = await startHostileServer((socket) => attack?.serve(socket, identity));
  closings.push(
    () => vnc.stop(),
    () => rdp.stop(),
  );
  const desktop = await grantDesktop(administrator, member.id, { port: vnc.port, password: 'x' });
  const make = async (path: string, body: Json) =>
    String((await administrator.post<Json>(path, body)).body.id);
  const asset = await make('assets/assets/', {
    hostname: unique('desktop'),
    ip: '127.0.0.1',
    protocols: [`rdp/${rdp.port}`],
    platform: 'Windows',
  });
  const systemUser = await make('assets/system-users/', {
    name: unique('account'),
    username: 'somebody',
    protocol: 'rdp',
    password: 'secret',
    auto_push: false,
  });
  await make('perms/asset-permissions/', {
    name: unique('rule'),
    users: [member.id],
    assets: [asset],
    system_users: [systemUser],
  });
  const sentence = async (client: DesktopClient) => (await client.wire.message('closed')).message;
  const connect = (target: { asset: string; system_user: string }) =>
    DesktopClient.connect(socketsOf(test.program.url), target, person.headers);
  return [
    {
      name: 'VNC',
      async open() {
        const { client } = await openDesktop(test.program.url, desktop, person);
        return {
          act: () => {
            for (const socket of viewers) socket.write(picture);
          },
          sentence: () => sentence(client),
        };
      },
      refused: async () => sentence(await connect(desktop)),
    },
    {
      name: 'RDP',
      async refused() {
        const client = await connect({ asset, system_user: systemUser });
        client.asRdpPage();
        return sentence(client);
      },
    },
  ];
}

/** Matches the sentence of any of the codes, in English or Chinese. */
const sentencesOf = (codes: readonly ErrorCode[]) =>
  new RegExp(
    codes
      .flatMap((code) => Object.values(ERRORS[code]))
      .map((text) => text.replaceAll('.', '\\.'))
      .join('|'),
  );

/** Faults with their scripts, the codes of the ways, and whether live sessions end. */
const FAULTS = [
  {
    fault: 'is full',
    script: 'yes > "$0/fill" 2>/dev/null || true',
    codes: ['session_disk_full', 'server_disk_full'],
    endsSessions: true,
  },
  {
    fault: 'has no inodes',
    script: 'i=0; while touch "$0/fill-$i" 2>/dev/null; do i=$((i+1)); done',
    codes: ['session_disk_full', 'server_disk_full'],
    endsSessions: false,
  },
  {
    fault: 'is read-only',
    // ext4 becomes read-only by itself after an error of the device.
    script: 'mount -o remount,abort "$0"; touch "$0/x" 2>/dev/null || true',
    codes: ['session_disk_read_only', 'server_read_only'],
    endsSessions: true,
  },
] as const satisfies readonly {
  readonly fault: string;
  readonly script: string;
  readonly codes: readonly ErrorCode[];
  readonly endsSessions: boolean;
}[];

describe.each(FAULTS)('a disk of recordings that $fault', ({ script, codes, endsSessions }) => {
  let edge: Awaited<ReturnType<typeof startEdge>>;
  beforeAll(async () => {
    edge = await startEdge();
  });
  afterAll(() => edge?.stop());

  it('ends the sessions of each way, and refuses new ones, with its sentence', async () => {
    const expected = sentencesOf(codes);
    const live = new Map<string, Opened>();
    const idle = endsSessions ? await edge.ways[0]?.open?.() : undefined;
    if (endsSessions)
      for (const { name, open } of edge.ways) if (open) live.set(name, await open());
    await edge.disk.shell(script);
    const sentences: [string, string][] = [];
    for (const [name, session] of live) {
      session.act();
      sentences.push([`live ${name}`, await session.sentence()]);
    }
    const mayContinue = ({ onlyAppends }: Way) => onlyAppends === true && !endsSessions;
    for (const way of edge.ways.filter((one) => !mayContinue(one)))
      if (way.refused) sentences.push([`new ${way.name}`, await way.refused()]);
    expect(sentences.filter(([, sentence]) => !expected.test(sentence))).toEqual([]);
    // The database is elsewhere: the console works.
    const { body: me } = await edge.admin.get<Json>('users/profile/');
    expect((await edge.admin.get('terminal/sessions/')).status).toBe(200);
    expect(me.username).toBe('admin');
    const health = await edge.world.test.visitor.get('/api/health/');
    expect(health.status).toBe(503);
    expect(edge.world.test.log()).not.toContain('a request failed');
    // The stop of the server does not hide the reason from a session without traffic.
    if (!idle) return;
    await edge.world.test.program.stop();
    expect(await idle.sentence()).toMatch(expected);
  });
});

it.each([
  ['nr_inodes=3', /no space or no inode is left.* \(ENOSPC: no space left on device, open '.*'\)$/],
  ['nr_inodes=30', /cannot be created in .*: initdb: error: could not .*No space left on device$/],
  ['size=20m', /cannot be created in .*: .*FATAL: {2}could not /],
])('names the cause when a start on a disk with %s fails', async (option, sentence) => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-small-'));
  await run('mount', ['-t', 'tmpfs', '-o', `mode=711,${option}`, 'none', folder]);
  try {
    const data = join(folder, 'data');
    await mkdir(data, { mode: 0o711 });
    const failed = await startEmbedded(data).catch((error: unknown) => error);
    expect(describeFailure(failed)).toMatch(sentence);
    expect(describeFailure(failed)).not.toContain('\n');
  } finally {
    await run('umount', [folder]);
    await rm(folder, { recursive: true });
  }
});
