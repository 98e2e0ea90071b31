import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import pg from 'pg';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { throughPort } from '../../server/src/testing/cutting-proxy.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { granted } from '../measures/databases.ts';
import { prepareOpenings } from '../measures/openings.ts';
import { type Client, signedIn, signIn } from './http.ts';
import type { LightTarget } from './light-target.ts';
import { databaseSeconds, processorSeconds } from './processor.ts';
import { type BenchServer, startServer } from './server.ts';
import { SshTerminal } from './ssh-terminal.ts';
import { startTurnCounter } from './turn-counter.ts';
import type { World } from './world.ts';

/** Assets of a list. */
const ASSETS = 30;
/** Clients of each kind for each server. */
export const CLIENTS = 4;

/** CPU seconds and round trips so far. */
export interface Spent {
  readonly server: number;
  readonly database: number;
  readonly turns: number;
}

/** Servers of one installation, each on its own core, with connected clients. */
export interface Installation {
  readonly servers: number;
  readonly sshPorts: readonly number[];
  readonly privateKey: string;
  readonly pages: readonly Client[];
  readonly terminals: readonly SshTerminal[];
  readonly statements: readonly pg.Client[];
  /** The servers as clients see them, for a wait that counts the turns of a processor. */
  readonly pid: number;
  spent(): Spent;
  /** Open connections to the database. */
  connections(): number;
  stop(): Promise<void>;
}

/** The targets of sessions. */
export interface Targets {
  readonly ssh: LightTarget;
  readonly database: Awaited<ReturnType<typeof startTargetDatabase>>;
}

/** A database that serves statements of clients, on a port. */
export async function startTargetDatabase(world: World) {
  const database = await startEmbedded(world.folder());
  const { path } = throughPort(database.url);
  const counter = await startTurnCounter(path);
  const { username, password, pathname } = new URL(database.url);
  return {
    place: {
      port: counter.port,
      user: username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    },
    async stop() {
      await counter.stop();
      await database.stop();
    },
  };
}

/** Moves a process with its threads to one core. Without `taskset` the kernel places it. */
function pin(pid: number, index: number): void {
  const core = index % availableParallelism();
  spawnSync('taskset', ['-a', '-p', '-c', String(core), String(pid)]);
}

/** Starts servers on one database, with clients that are connected and have worked once. */
export async function startInstallation(
  world: World,
  count: number,
  { ssh, database: target }: Targets,
): Promise<Installation> {
  const folder = world.folder();
  const database = await startEmbedded(folder);
  const { path, at } = throughPort(database.url);
  const counter = await startTurnCounter(path);
  const secretKey = randomBytes(32).toString('hex');
  const running: BenchServer[] = [];
  const databasePorts: number[] = [];
  for (let index = 0; index < count; index++) {
    const port = await freePort();
    databasePorts.push(port);
    const server = await startServer(world.folder(), ADMIN_PASSWORD, {
      sshPort: await freePort(),
      environment: {
        SALLYPORT_DATABASE_URL: at(counter.port),
        SALLYPORT_SECRET_KEY: secretKey,
        SALLYPORT_POSTGRESQL_PORT: String(port),
      },
    });
    pin(server.pid, index);
    running.push(server);
  }
  const [first] = running;
  if (!first) throw new Error('no server');
  const privateKey = await prepareOpenings(first, ssh);
  const admin = await signIn(first.url, 'admin', ADMIN_PASSWORD);
  for (let index = 0; index < ASSETS; index++)
    await admin.post('assets/assets/', {
      hostname: `listed-${index}`,
      ip: '192.0.2.1',
      platform: 'Linux',
      protocols: ['ssh/22'],
    });
  const place = await granted(admin, 'postgresql', target.place);
  const of = <T>(make: (server: BenchServer, index: number) => Promise<T>) =>
    Promise.all(
      Array.from({ length: CLIENTS * count }, (_, index) =>
        make(running[index % count] ?? first, index % count),
      ),
    );
  const pages = await of(({ url }) => signedIn(url, admin.token));
  const terminals = await of(({ sshPort }) =>
    SshTerminal.open({
      port: sshPort,
      username: 'admin@target@target',
      privateKey,
      from: '127.0.0.1',
      isKnown: () => true,
    }),
  );
  const statements = await of(async (_server, index) => {
    const { user, password, database: name } = place;
    const port = databasePorts[index] ?? 0;
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: name });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  });
  return {
    servers: count,
    sshPorts: running.map(({ sshPort }) => sshPort),
    privateKey,
    pages,
    terminals,
    statements,
    pid: first.pid,
    spent: () => ({
      server: running.reduce((sum, { pid }) => sum + processorSeconds(pid), 0),
      database: databaseSeconds(folder),
      turns: counter.turns(),
    }),
    connections: counter.connections,
    async stop() {
      for (const client of [...pages, admin]) client.close();
      for (const client of statements) await client.end();
      for (const terminal of terminals) await terminal.close();
      for (const server of running) await server.stop();
      await counter.stop();
      await database.stop();
    },
  };
}
