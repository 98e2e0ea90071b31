import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateSshKeyPair } from '@sallyport/ssh';
import { sql } from '../../server/src/platform/db/sql.ts';
import { buildAsset } from '../../server/src/testing/builders.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { type PrivateHost, startPrivateHost } from '../../server/src/testing/hosts/private-host.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import { type BenchServer, startServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

/** Real hosts: each an sshd in separate namespaces, with its own accounts. */
const HOSTS = 100;
const AT_ONCE = 5;
const ASSETS = 1_000;
const DEAD = 100;
const POLL_MS = 200;
const MOST_MS = 300_000;

interface Run {
  readonly seconds: number;
  /** Most resident memory while it ran, in MiB. */
  readonly memory: number;
}

/**
 * Work on many servers: each asset is reached over SSH at one of a hundred sshds, which work on the
 * same machine.
 */
export async function ops(world: World): Promise<Figure[]> {
  const key = generateSshKeyPair('bench');
  const hosts = await startHosts(key.public.trim(), world);
  const silent = await startSilent();
  const server = await startServer(world.folder(), ADMIN_PASSWORD);
  try {
    const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    const make = async (path: string, body: unknown) =>
      (await client.post<{ id: string }>(path, body)).id;
    const adminUser = await make('assets/admin-users/', {
      name: 'bench',
      username: 'admin',
      private_key: key.private,
    });
    const account = await make('assets/system-users/', {
      name: 'bench',
      username: 'plain',
      private_key: key.private,
      auto_push: false,
    });
    const { id: me } = await client.get<{ id: string }>('users/profile/');
    const assets = await makeAssets(server, hosts, adminUser);
    await make('perms/asset-permissions/', {
      name: 'bench',
      users: [me],
      assets,
      system_users: [account],
    });

    const command = await measured(server, async () => {
      const { id } = await client.post<{ id: string }>('ops/command-executions/', {
        hosts: assets,
        run_as: account,
        command: 'uname -a; id',
      });
      const { failed_amount: failed } = await over<{ is_finished: boolean; failed_amount: number }>(
        client,
        `ops/command-executions/${id}/?fields!=result,hosts`,
      );
      if (failed > 0) throw new Error(`the command failed on ${failed} hosts`);
    });
    await makeDead(server, assets.slice(0, DEAD), silent);
    const [root] = await client.get<readonly { id: string }[]>('assets/nodes/?key=1');
    const connectivity = await measured(server, async () => {
      const { task } = await client.post<{ task: string }>(`assets/nodes/${root?.id}/tasks/`, {
        action: 'test',
      });
      await over(client, `common/jobs/${task}/`);
      const { stat } = await client.get<{ stat: { failed: number } }>(
        `ops/adhoc-executions/${task}/`,
      );
      if (stat.failed !== DEAD)
        throw new Error(`${stat.failed} hosts instead of ${DEAD} could not be reached`);
    });
    const pushed = await make('assets/system-users/', {
      name: 'pushed',
      username: 'benchpush',
      login_mode: 'auto',
      auto_push: true,
      auto_generate_key: true,
      sudo: '/usr/bin/id',
    });
    const push = await measured(server, async () => {
      // One asset of each host.
      await make('perms/asset-permissions/', {
        name: 'pushed',
        assets: assets.slice(-HOSTS),
        system_users: [pushed],
      });
      const rows = () =>
        client.get<readonly { state: string }[]>(`assets/system-users/${pushed}/pushes/`);
      await until(async () => {
        const results = await rows();
        const failed = results.filter(
          ({ state }) => state === 'failed' || state === 'skipped',
        ).length;
        if (failed > 0) throw new Error(`${failed} accounts were not pushed`);
        return results.length === HOSTS && results.every(({ state }) => state === 'done');
      });
    });
    client.close();
    const way = `${HOSTS} real sshds on the same machine, ${ASSETS / HOSTS} assets each; 50 at a time`;
    return [
      {
        name: `A command on ${ASSETS} hosts`,
        value: command.seconds,
        unit: 's',
        budget: atMost(30),
        note: way,
      },
      {
        name: 'Memory of the server during it, most',
        value: command.memory,
        unit: 'MiB',
        budget: atMost(300),
        note: 'resident',
      },
      {
        name: `Connectivity of ${ASSETS} hosts, ${DEAD} of them dead`,
        value: connectivity.seconds,
        unit: 's',
        budget: atMost(40),
        note: 'half of the dead ones refuse, half take the connection and say nothing',
      },
      { name: 'Memory of the server during it, most', value: connectivity.memory, unit: 'MiB' },
      {
        name: `Push of an account to ${HOSTS} hosts`,
        value: push.seconds,
        unit: 's',
        note: 'from the permission to the last account with home, password, key and sudo rule; the 2 s in which bindings are gathered included',
      },
      { name: 'Memory of the server during it, most', value: push.memory, unit: 'MiB' },
    ];
  } finally {
    await server.stop();
    silent.close();
    await Promise.all(hosts.map((host) => host.stop()));
  }
}

/** Starts hosts whose accounts `admin` and `plain` take one key. */
async function startHosts(publicKey: string, { say }: World): Promise<readonly PrivateHost[]> {
  const hosts: PrivateHost[] = [];
  while (hosts.length < HOSTS) {
    hosts.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => startPrivateHost()))));
    if (hosts.length % 25 === 0) say(`  ${hosts.length} hosts`);
  }
  for (const host of hosts)
    await host.inside(
      `for name in admin plain; do echo '${publicKey}' >>/home/$name/.ssh/authorized_keys; done`,
    );
  return hosts;
}

/** A port that takes connections and says nothing. */
async function startSilent(): Promise<Server> {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  return silent;
}

async function makeAssets(
  server: BenchServer,
  hosts: readonly PrivateHost[],
  adminUser: string,
): Promise<readonly string[]> {
  const database = openRunning(server.dataDirectory);
  try {
    const ids: string[] = [];
    for (let at = 0; at < ASSETS; at += 1)
      ids.push(
        await buildAsset(database.db, {
          port: hosts[at % hosts.length]?.port ?? 0,
          hostname: `bench-${at}`,
        }),
      );
    await sql`update asset set admin_user_id = ${adminUser}`.execute(database.db);
    return ids;
  } finally {
    await database.close();
  }
}

/** Half of the assets lead to a closed port, half to a port that never answers. */
async function makeDead(
  server: BenchServer,
  ids: readonly string[],
  silent: Server,
): Promise<void> {
  const database = openRunning(server.dataDirectory);
  try {
    const ports = [await freePort(), (silent.address() as AddressInfo).port];
    for (const [index, port] of ports.entries()) {
      const some = ids.filter((_, at) => at % ports.length === index);
      await sql`update asset set protocols = ${[`ssh/${port}`]} where id = any (${some}::uuid[])`.execute(
        database.db,
      );
    }
  } finally {
    await database.close();
  }
}

/** Does something and watches the memory of the server. */
async function measured(server: BenchServer, work: () => Promise<void>): Promise<Run> {
  let memory = server.memory();
  const timer = setInterval(() => {
    memory = Math.max(memory, server.memory());
  }, POLL_MS);
  const began = performance.now();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return { seconds: (performance.now() - began) / 1_000, memory };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const late = performance.now() + MOST_MS;
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error('it took too long');
    await sleep(POLL_MS);
  }
}

/** Waits until a batch command or a job has ended. */
async function over<T extends object>(client: Client, path: string): Promise<T> {
  let row: T | undefined;
  await until(async () => {
    row = await client.get<T>(path);
    const { is_finished: isFinished, state } = row as {
      readonly is_finished?: boolean;
      readonly state?: string;
    };
    return isFinished ?? (state !== 'queued' && state !== 'running');
  });
  if (!row) throw new Error('there is no answer');
  return row;
}
