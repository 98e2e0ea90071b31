import { freePort } from '../../server/src/testing/free-port.ts';
import { startSshd, type TestSshd } from '../../server/src/testing/ssh/sshd.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { type Client, signIn } from './http.ts';
import { type BenchServer, startServer } from './server.ts';
import type { World } from './world.ts';

/** A separate bastion in front of a real sshd, which the administrator may use. */
export interface TargetedServer {
  readonly server: BenchServer;
  readonly sshd: TestSshd;
  readonly client: Client;
  readonly ids: { readonly asset: string; readonly system_user: string };
  stop(): Promise<void>;
}

/** Starts both and sets up what a connection needs, through the API. */
export async function startTargeted(
  world: World,
  {
    withSsh = false,
    isInMemory = false,
    environment = {},
    watchesLoop = false,
  }: {
    readonly withSsh?: boolean;
    /** Puts the data folder in memory, where a synced write takes no time. */
    readonly isInMemory?: boolean;
    readonly environment?: Readonly<Record<string, string>>;
    readonly watchesLoop?: boolean;
  } = {},
): Promise<TargetedServer> {
  const sshd = await startSshd();
  const server = await startServer(world.folder(isInMemory), ADMIN_PASSWORD, {
    sshPort: withSsh ? await freePort() : 0,
    environment,
    watchesLoop,
  });
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const asset = await make('assets/assets/', {
    hostname: 'target',
    ip: sshd.host,
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  });
  const account = await make('assets/system-users/', {
    name: 'target',
    username: sshd.username,
    private_key: sshd.privateKey,
    auto_push: false,
  });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  await make('perms/asset-permissions/', {
    name: 'target',
    users: [me],
    assets: [asset],
    system_users: [account],
  });
  return {
    server,
    sshd,
    client,
    ids: { asset, system_user: account },
    async stop() {
      client.close();
      await server.stop();
      await sshd.stop();
    },
  };
}
