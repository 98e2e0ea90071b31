import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../platform/db/database.ts';
import { buildAsset, buildUser } from '../builders.ts';
import { Client, type Json } from '../client.ts';
import { ADMIN_PASSWORD, type Command, type useCommands } from '../command.ts';
import { freePort } from '../free-port.ts';
import { importLicense, LICENSE_PUBLIC_KEY } from '../license.ts';
import { startSshServer } from '../ssh/ssh-server.ts';
import { createTestDatabase } from '../test-database.ts';

/** Servers that a test stops or kills, with their database, user and target. */
export interface GatewayWorld {
  readonly db: ReturnType<typeof openDatabase>['db'];
  /** Port of the SSH listener of each server. */
  readonly port: number;
  /** Name of the user, the account and the asset, for SSH clients. */
  readonly login: string;
  readonly password: string;
  /** Folder of the target that the account may use. */
  readonly root: string;
  /** Path of the account's files in the API. */
  readonly files: string;
  /** The first server. */
  readonly first: RunningGateway;
  /** Starts the next server after the last one has ended. */
  begin(): Promise<RunningGateway>;
  stop(): Promise<void>;
}

interface RunningGateway {
  readonly command: Command;
  /** Signs in as the user. */
  readonly signIn: () => Promise<Client>;
}

const signIn = async (visitor: Client, username: string, password: string): Promise<Client> => {
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username,
    password,
  });
  return visitor.with({ authorization: `Bearer ${body.token}` });
};

/** Starts a server with a user who may use the files of one account. */
export async function startGatewayWorld(
  start: ReturnType<typeof useCommands>['start'],
): Promise<GatewayWorld> {
  const database = await createTestDatabase();
  const { db, close } = openDatabase(database.url, 3);
  const sshd = await startSshServer();
  const stop = async () => {
    await sshd.stop();
    await close();
    await database.drop();
  };
  const port = await freePort();
  const run = async () => {
    const command = start({
      SALLYPORT_DATABASE_URL: database.url,
      SALLYPORT_SECRET_KEY: 'a'.repeat(64),
      SALLYPORT_LICENSE_PUBLIC_KEY: LICENSE_PUBLIC_KEY,
      SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
      SALLYPORT_SSH_PORT: String(port),
    });
    return { command, visitor: new Client(await command.ready()) };
  };
  const { command, visitor } = await run();
  const admin = await signIn(visitor, 'admin', ADMIN_PASSWORD);
  await importLicense(admin);
  const user = await buildUser(db);
  const asset = await buildAsset(db, { hostname: 'files-01', port: sshd.port });
  const root = join(sshd.home, 'root');
  await mkdir(root);
  const account = await admin.post<Json>('assets/system-users/', {
    name: 'ops',
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
    sftp_root: root,
  });
  const granted = await admin.post('perms/asset-permissions/', {
    name: 'files',
    users: [user.id],
    assets: [asset],
    system_users: [account.body.id],
  });
  if (account.status !== 201 || granted.status !== 201)
    throw new Error(account.text + granted.text);
  const running = (of: Command, visits: Client): RunningGateway => ({
    command: of,
    signIn: () => signIn(visits, user.username, user.password),
  });
  return {
    db,
    port,
    login: `${user.username}@ops@files-01`,
    password: user.password,
    root,
    files: `files/${asset}/${String(account.body.id)}`,
    first: running(command, visitor),
    begin: async () => {
      const next = await run();
      return running(next.command, next.visitor);
    },
    stop,
  };
}
