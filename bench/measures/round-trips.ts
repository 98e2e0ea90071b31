import { Writable } from 'node:stream';
import { readConfig } from '../../server/src/config.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { startProgram } from '../../server/src/program.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { countRoundTrips } from '../../server/src/testing/measures/round-trips.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atMost, type Figure } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import type { World } from '../lib/world.ts';

type Body = Record<string, unknown>;

/** One kind of object: how it is created, and another body that changes everything about it. */
interface Kind {
  readonly name: string;
  readonly path: string;
  readonly make: (turn: string) => Promise<Body>;
}

/**
 * Counts the round trips to the database for creating, updating and deleting one object, sign-in
 * and transaction included.
 */
export async function roundTrips(world: World): Promise<Figure[]> {
  const environment = {
    SALLYPORT_DATA_DIR: world.folder(),
    SALLYPORT_HTTP_PORT: String(await freePort()),
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_PROCESSES: '1',
  };
  const config = readConfig({ ...environment, SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD });
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // In this process, so that its questions can be counted.
  const program = await startProgram(config, createLog('error', nowhere));
  try {
    const client = await signIn(program.url.replace(/\/$/, ''), 'admin', ADMIN_PASSWORD);
    const figures: Figure[] = [];
    for (const kind of kinds(client)) figures.push(...(await measure(client, kind)));
    client.close();
    return figures;
  } finally {
    await program.stop();
  }
}

async function measure(client: Client, { name, path, make }: Kind): Promise<Figure[]> {
  let turn = 0;
  const bodies = await Promise.all(Array.from({ length: 12 }, (_, index) => make(String(index))));
  const next = (): Body => bodies[turn++ % bodies.length] ?? {};
  const ids: string[] = [];
  const create = await countRoundTrips(async () =>
    ids.push((await client.post<{ id: string }>(path, next())).id),
  );
  const [first = ''] = ids;
  const update = await countRoundTrips(() => client.put(`${path}${first}/`, next()));
  const remove = await countRoundTrips(() => client.delete(`${path}${ids.pop()}/`), ids.length);
  const figure = (verb: string, value: number, limit?: number): Figure => ({
    name: `${name}: ${verb}`,
    value,
    unit: 'round trips',
    ...(limit !== undefined && { budget: atMost(limit) }),
  });
  return [
    figure('create', create),
    figure('update, everything changes', update, name === 'Asset' ? 12 : undefined),
    figure('delete', remove),
  ];
}

function kinds(client: Client): Kind[] {
  const id = async (path: string, body: Body) => (await client.post<{ id: string }>(path, body)).id;
  const asset = async (turn: string): Promise<Body> => ({
    hostname: `bench-${turn}`,
    ip: `192.0.2.${turn}`,
    platform: Number(turn) % 2 === 0 ? 'Linux' : 'Unix',
    admin_user: await id('assets/admin-users/', { name: `root ${turn}`, username: 'root' }),
    domain: await id('assets/domains/', { name: `domain ${turn}` }),
    nodes: [await id('assets/nodes/', { value: `node ${turn}` })],
    labels: [await id('assets/labels/', { name: 'bench', value: turn })],
  });
  const user = async (turn: string): Promise<Body> => ({
    name: `Bench ${turn}`,
    username: `bench-${turn}`,
    email: `bench-${turn}@example.com`,
    groups: [await id('users/groups/', { name: `group ${turn}` })],
  });
  const permission = async (turn: string): Promise<Body> => ({
    name: `rule ${turn}`,
    users: [
      await id('users/users/', {
        name: `Granted ${turn}`,
        username: `granted-${turn}`,
        email: `granted-${turn}@example.com`,
      }),
    ],
    assets: [
      await id('assets/assets/', {
        hostname: `granted-${turn}`,
        ip: '192.0.2.1',
        platform: 'Linux',
      }),
    ],
    system_users: [
      await id('assets/system-users/', {
        name: `account ${turn}`,
        username: 'web',
        login_mode: 'manual',
      }),
    ],
  });
  return [
    { name: 'Asset', path: 'assets/assets/', make: asset },
    { name: 'User', path: 'users/users/', make: user },
    { name: 'Permission', path: 'perms/asset-permissions/', make: permission },
  ];
}
