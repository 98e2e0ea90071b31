import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../server/src/platform/db/database.ts';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { exampleOf, startProxy } from '../../server/src/testing/proxies.ts';
import { startSshd } from '../../server/src/testing/ssh/sshd.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { type Client, signIn } from './http.ts';
import { type BenchServer, startServer } from './server.ts';
import type { World } from './world.ts';

/** One bastion of two servers behind HAProxy, as the operator guide has it, before a real sshd. */
export interface TwoServers {
  /** Address of the proxy. */
  readonly url: string;
  readonly one: BenchServer;
  readonly two: BenchServer;
  readonly database: Database;
  readonly admin: Client;
  readonly ids: { readonly asset: string; readonly system_user: string };
  /** Starts the first server again, which was killed. */
  again(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a database, two servers and a proxy. */
export async function startTwoServers(world: World): Promise<TwoServers> {
  const folder = world.folder();
  const place = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o711 });
    return path;
  };
  const embedded = await startEmbedded(place('database'));
  const environment = {
    SALLYPORT_DATABASE_URL: embedded.url,
    SALLYPORT_SECRET_KEY: randomBytes(32).toString('hex'),
    SALLYPORT_TRUSTED_PROXIES: '127.0.0.1',
  };
  const [first, second] = [place('one'), place('two')];
  let one = await startServer(first, ADMIN_PASSWORD, { environment });
  const two = await startServer(second, ADMIN_PASSWORD, { environment });
  const sshd = await startSshd();
  const port = await freePort();
  const hosts = [one, two].map(({ url }) => new URL(url).host);
  const proxy = await startProxy('haproxy', await configuration(port, hosts), folder, port);
  const url = `http://127.0.0.1:${port}`;
  const admin = await signIn(url, 'admin', ADMIN_PASSWORD);
  const make = async (path: string, body: unknown) =>
    (await admin.post<{ id: string }>(path, body)).id;
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
  const database = openDatabase(embedded.url, 4);
  const running = new Set([one, two]);
  return {
    url,
    one,
    two,
    database,
    admin,
    ids: { asset, system_user: account },
    async again() {
      running.delete(one);
      one = await startServer(first, ADMIN_PASSWORD, { environment });
      running.add(one);
    },
    async stop() {
      admin.close();
      await proxy.stop();
      await Promise.all([...running].map((server) => server.stop()));
      await database.close();
      await embedded.stop();
      await sshd.stop();
    },
  };
}

/**
 * The example of the guide for the console, with the addresses of this run and without its part for
 * SSH.
 */
async function configuration(
  port: number,
  [first = '', second = '']: readonly string[],
): Promise<string> {
  const [http = ''] = (await exampleOf('Several servers', 'haproxy')).split('\nlisten ssh');
  return http
    .replace('bind :443 ssl crt /etc/ssl/bastion.pem', `bind 127.0.0.1:${port}`)
    .replaceAll('10.0.0.11:8080', first)
    .replaceAll('10.0.0.12:8080', second);
}
