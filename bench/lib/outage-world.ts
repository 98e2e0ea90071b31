import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabasePassword } from '@sallyport/contract';
import pg from 'pg';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import {
  type CuttingProxy,
  startCuttingProxy,
  throughPort,
} from '../../server/src/testing/cutting-proxy.ts';
import {
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../server/src/testing/databases/postgres-server.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { startSshd } from '../../server/src/testing/ssh/sshd.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { type Client, signIn } from './http.ts';
import {
  databaseWorker,
  sshWorker,
  uploadWorker,
  type Worker,
  webWorker,
} from './outage-clients.ts';
import { type BenchServer, startServer } from './server.ts';
import type { World } from './world.ts';

const COUNTS = { web: 20, ssh: 5, psql: 5, upload: 2 } as const;
const UPLOAD_BYTES = 1024 * 1024;

/** Clients that work on a server whose database can be cut off. */
export interface OutageWorld {
  readonly workers: readonly Worker[];
  /** Between the server of the clients and the database. */
  readonly proxy: CuttingProxy;
  /** A connection to the database that is never cut off. */
  readonly direct: pg.Client;
  stop(): Promise<void>;
}

/**
 * Starts a database, targets, a server and its clients. With `hasOtherServer` a second server of
 * the installation keeps its connection to the database.
 */
export async function startOutageWorld(
  world: World,
  hasOtherServer: boolean,
): Promise<OutageWorld> {
  const folder = world.folder();
  const place = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o711 });
    return path;
  };
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of stops.toReversed()) await end().catch(() => undefined);
  };
  const started = <T extends { stop(): Promise<unknown> }>(part: T): T => {
    stops.push(() => part.stop());
    return part;
  };
  try {
    const embedded = started(await startEmbedded(place('database')));
    const direct = new pg.Client({ connectionString: embedded.url });
    await direct.connect();
    stops.push(() => direct.end());
    const address = throughPort(embedded.url);
    const proxy = started(await startCuttingProxy({ path: address.path }));
    const [sshPort, postgresqlPort] = [await freePort(), await freePort()];
    const key = { SALLYPORT_SECRET_KEY: randomBytes(32).toString('hex') };
    const environment = {
      ...key,
      SALLYPORT_DATABASE_URL: address.at(proxy.port),
      SALLYPORT_POSTGRESQL_PORT: String(postgresqlPort),
    };
    const server = started(
      await startServer(place('server'), ADMIN_PASSWORD, { sshPort, environment }),
    );
    if (hasOtherServer)
      started(
        await startServer(place('other'), ADMIN_PASSWORD, {
          environment: { ...key, SALLYPORT_DATABASE_URL: embedded.url },
        }),
      );
    const admin = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    stops.push(async () => admin.close());
    const targets = [started(await startSshd()), started(await startPostgres())] as const;
    const ids = await grantTargets(admin, ...targets);
    const workers: Worker[] = [];
    stops.push(() => Promise.allSettled(workers.map((worker) => worker.close())));
    await startWorkers(workers, { server, admin, sshPort, ids });
    return { workers, proxy, direct, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Ids {
  readonly asset: string;
  readonly systemUser: string;
  readonly app: string;
  readonly databaseAccount: string;
}

/** Grants the administrator a server and a database. */
async function grantTargets(
  admin: Client,
  sshd: Awaited<ReturnType<typeof startSshd>>,
  postgres: Awaited<ReturnType<typeof startPostgres>>,
): Promise<Ids> {
  const make = async (path: string, body: unknown) =>
    (await admin.post<{ id: string }>(path, body)).id;
  const { id: me } = await admin.get<{ id: string }>('users/profile/');
  const asset = await make('assets/assets/', {
    hostname: 'target',
    ip: sshd.host,
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  });
  const systemUser = await make('assets/system-users/', {
    name: 'target',
    username: sshd.username,
    private_key: sshd.privateKey,
    auto_push: false,
    sftp_root: '/tmp',
  });
  await make('perms/asset-permissions/', {
    name: 'outage',
    users: [me],
    assets: [asset],
    system_users: [systemUser],
  });
  const app = await make('applications/database-apps/', {
    name: 'sales',
    type: 'postgresql',
    host: '127.0.0.1',
    port: postgres.port,
    database: 'sales',
  });
  const databaseAccount = await make('assets/system-users/', {
    name: 'sales',
    username: VAULT_ACCOUNT,
    login_mode: 'auto',
    protocol: 'postgresql',
    password: VAULT_PASSWORD,
  });
  await make('perms/database-app-permissions/', {
    name: 'outage',
    users: [me],
    database_apps: [app],
    system_users: [databaseAccount],
  });
  return { asset, systemUser, app, databaseAccount };
}

/** Opens the sessions; `workers` has each as soon as it is open. */
async function startWorkers(
  workers: Worker[],
  {
    server,
    admin,
    sshPort,
    ids,
  }: { server: BenchServer; admin: Client; sshPort: number; ids: Ids },
): Promise<void> {
  const login = await admin.post<DatabasePassword>('terminal/databases/passwords/', {
    database_app: ids.app,
    system_user: ids.databaseAccount,
  });
  const database = {
    port: login.port,
    user: login.username,
    password: login.password,
    database: 'sales',
  };
  const ssh = { port: sshPort, username: 'admin@target@target', password: ADMIN_PASSWORD };
  const terminal = { asset: ids.asset, system_user: ids.systemUser };
  const times = async (count: number, open: (number: number) => Promise<Worker>) => {
    for (let number = 0; number < count; number++) workers.push(await open(number));
  };
  await times(COUNTS.web, (n) => webWorker(`web${n}`, server.url, admin.token, terminal));
  await times(COUNTS.ssh, (n) => sshWorker(`ssh${n}`, ssh));
  await times(COUNTS.upload, (n) => uploadWorker(`upload${n}`, ssh, UPLOAD_BYTES));
  await times(COUNTS.psql, (n) => databaseWorker(`psql${n}`, database));
}
