import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabasePassword } from '@sallyport/contract';
import { generateSshKeyPair } from '@sallyport/ssh';
import {
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../server/src/testing/databases/postgres-server.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { startSshServer } from '../../server/src/testing/ssh/ssh-server.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { signIn } from './http.ts';
import { countLines, startLightTarget } from './light-target.ts';
import { startServer } from './server.ts';
import type { World } from './world.ts';

/** Size of a compared block, and number of blocks in the file. */
export const BLOCK = 16 * 1024;
export const FILE_BLOCKS = 64;

export type UpgradeWorld = Awaited<ReturnType<typeof prepareUpgrade>>;

/** Starts a server, and targets for shells, files and statements of the administrator. */
export async function prepareUpgrade(world: World) {
  const [target, files, database] = await Promise.all([
    startLightTarget(countLines),
    startSshServer(),
    startPostgres(),
  ]);
  const server = await startServer(world.folder(), ADMIN_PASSWORD, {
    sshPort: await freePort(),
    environment: {
      // The default of the machine.
      SALLYPORT_PROCESSES: '',
      SALLYPORT_POSTGRESQL_PORT: String(await freePort()),
    },
  });
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  await client.patch('settings/setting/', { security: { SECURITY_MAX_SESSIONS: 400 } });
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  const grantAsset = async (
    name: string,
    { port, username, privateKey }: { port: number; username: string; privateKey: string },
  ) => {
    const asset = await make('assets/assets/', {
      hostname: name,
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: [`ssh/${port}`],
    });
    const account = await make('assets/system-users/', {
      name,
      username,
      private_key: privateKey,
      auto_push: false,
      sftp_root: '/',
    });
    await make('perms/asset-permissions/', {
      name,
      users: [me],
      assets: [asset],
      system_users: [account],
    });
    return { asset, system_user: account };
  };
  const shells = await grantAsset('target', target);
  await grantAsset('files', files);
  const app = await make('applications/database-apps/', {
    name: 'sales',
    type: 'postgresql',
    host: '127.0.0.1',
    port: database.port,
    database: 'sales',
  });
  const account = await make('assets/system-users/', {
    name: 'sales',
    username: VAULT_ACCOUNT,
    login_mode: 'auto',
    protocol: 'postgresql',
    password: VAULT_PASSWORD,
  });
  await make('perms/database-app-permissions/', {
    name: 'sales',
    users: [me],
    database_apps: [app],
    system_users: [account],
  });
  let password: Promise<DatabasePassword> | undefined;
  const content = randomBytes(BLOCK * FILE_BLOCKS);
  const path = join(files.home, 'counted');
  await writeFile(path, content);
  const key = generateSshKeyPair('bench');
  await client.put('users/profile/public-key/', {
    public_key: key.public,
    password: ADMIN_PASSWORD,
  });
  return {
    server,
    client,
    shells,
    /** The password that all clients share: a new password replaces the one before. */
    password: () => {
      password ??= client.post<DatabasePassword>('terminal/databases/passwords/', {
        database_app: app,
        system_user: account,
      });
      return password;
    },
    content,
    path,
    privateKey: key.private,
    async stop() {
      client.close();
      await server.stop();
      await Promise.all([target.stop(), files.stop(), database.stop()]);
    },
  };
}
