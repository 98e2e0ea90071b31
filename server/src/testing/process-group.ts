import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { embeddedUrl } from '../platform/db/embedded.ts';
import { Client, type Json } from './client.ts';
import { ADMIN_PASSWORD, type Command, runCommand } from './command.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from './databases/postgres-server.ts';
import { freePort } from './free-port.ts';
import { prepareFolder } from './prepared-folder.ts';
import { removeFolder } from './remove-folder.ts';
import { startSshServer } from './ssh/ssh-server.ts';
import type { SshTarget } from './ssh/ssh-target.ts';

/** A server of two processes, started by the public command, with targets of the administrator. */
export interface ProcessGroup {
  readonly folder: string;
  readonly command: Command;
  readonly url: string;
  /** Address of the web sockets. */
  readonly sockets: string;
  /** Each request has its own connection, which either process may accept. */
  readonly admin: Client;
  readonly db: pg.Client;
  readonly sshd: SshTarget;
  readonly target: PostgresServer;
  /** A shell with files on `sshd`: system user `shell` on asset `box`. */
  readonly grant: { readonly asset: string; readonly system_user: string };
  /** Statements on `target`. */
  readonly database: { readonly database_app: string; readonly system_user: string };
  /** Signs the administrator in once more. */
  signIn(): Promise<Client>;
  /** Connects programs that query the database, with one password of the page. */
  openDatabases(count: number): Promise<readonly pg.Client[]>;
  stop(): Promise<void>;
}

/** Starts the server, with more variables of its configuration. */
export async function startProcessGroup(
  environment: Readonly<Record<string, string>>,
): Promise<ProcessGroup> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-processes-'));
  await chmod(folder, 0o711);
  const databaseUrl = environment.SALLYPORT_DATABASE_URL;
  if (databaseUrl === undefined) prepareFolder(folder);
  const command = runCommand({
    SALLYPORT_DATA_DIR: folder,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_POSTGRESQL_PORT: String(await freePort()),
    SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD,
    SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
    SALLYPORT_PROCESSES: '2',
    ...environment,
  });
  const [url, sshd, target] = await Promise.all([
    command.ready(),
    startSshServer(),
    startPostgres(),
  ]);
  const db = new pg.Client({
    connectionString: databaseUrl ?? embeddedUrl(folder),
    query_timeout: 60_000,
  });
  db.on('error', () => undefined);
  await db.connect();
  const signIn = () => signInAt(url);
  const admin = await signIn();
  const { body: me } = await admin.get<Json>('users/profile/');
  const grant = await grantShell(admin, { user: String(me.id), sshd });
  const database = await grantDatabase(admin, { user: String(me.id), port: target.port });
  return {
    folder,
    command,
    url,
    sockets: url.replace(/^http/, 'ws').replace(/\/$/, ''),
    admin,
    db,
    sshd,
    target,
    grant,
    database,
    signIn,
    openDatabases: (count) => openDatabasesAt(admin, database, count),
    async stop() {
      await db.end();
      command.child.kill('SIGTERM');
      await command.ended;
      await Promise.all([sshd.stop(), target.stop()]);
      await removeFolder(folder);
    },
  };
}

/** Signs the administrator in at a server. */
export async function signInAt(url: string): Promise<Client> {
  const visitor = new Client(url, { connection: 'close', 'accept-language': 'en' });
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  return visitor.with({ authorization: `Bearer ${body.token}` });
}

/** Connects programs to a database through a server, with one password of the page. */
export async function openDatabasesAt(
  admin: Client,
  database: ProcessGroup['database'],
  count: number,
): Promise<readonly pg.Client[]> {
  const { body } = await admin.post<Json>('terminal/databases/passwords/', database);
  const clients = Array.from(
    { length: count },
    () =>
      new pg.Client({
        host: '127.0.0.1',
        port: Number(body.port),
        user: String(body.username),
        password: String(body.password),
      }),
  );
  for (const client of clients) client.on('error', () => undefined);
  await Promise.all(clients.map((client) => client.connect()));
  return clients;
}

const make = async (admin: Client, path: string, body: Json) =>
  String((await admin.post<Json>(path, body)).body.id);

async function grantShell(
  admin: Client,
  { user, sshd }: { readonly user: string; readonly sshd: SshTarget },
): Promise<ProcessGroup['grant']> {
  const asset = await make(admin, 'assets/assets/', {
    hostname: 'box',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  });
  const account = await make(admin, 'assets/system-users/', {
    name: 'shell',
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
    sftp_root: 'home',
  });
  await make(admin, 'perms/asset-permissions/', {
    name: 'shells',
    users: [user],
    assets: [asset],
    system_users: [account],
  });
  return { asset, system_user: account };
}

async function grantDatabase(
  admin: Client,
  { user, port }: { readonly user: string; readonly port: number },
): Promise<ProcessGroup['database']> {
  const app = await make(admin, 'applications/database-apps/', {
    name: 'sales',
    type: 'postgresql',
    host: '127.0.0.1',
    port,
    database: 'sales',
  });
  const account = await make(admin, 'assets/system-users/', {
    name: 'queries',
    username: VAULT_ACCOUNT,
    login_mode: 'auto',
    protocol: 'postgresql',
    password: VAULT_PASSWORD,
  });
  await make(admin, 'perms/database-app-permissions/', {
    name: 'queries',
    users: [user],
    database_apps: [app],
    system_users: [account],
  });
  return { database_app: app, system_user: account };
}

/** Asks by a second connection, as client programs do, to cancel what a connection runs. */
export async function cancelByRequest(client: pg.Client): Promise<void> {
  const request = Buffer.alloc(16);
  const words = [
    16,
    80_877_102,
    Reflect.get(client, 'processID'),
    Reflect.get(client, 'secretKey'),
  ];
  for (const [at, word] of words.entries()) request.writeInt32BE(Number(word), at * 4);
  await once(connect(client.port, '127.0.0.1').resume().end(request), 'close');
}
