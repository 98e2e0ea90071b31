import {
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../server/src/testing/databases/postgres-server.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { type Figure, percentile } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import { echoKeys, endCommands, startLightTarget } from '../lib/light-target.ts';
import { echoOf, idleCost, statementsOf } from '../lib/process-costs.ts';
import { databaseSeconds, serverSeconds } from '../lib/processor.ts';
import { startServer } from '../lib/server.ts';
import { type Place, preparePgbench } from '../lib/statement-load.ts';
import type { World } from '../lib/world.ts';
import { granted } from './databases.ts';
import { openAndRun, prepareOpenings, together } from './openings.ts';

const COUNTS = [1, 2] as const;
const TURNS = 3;
const AT_ONCE = 8;
const OPENINGS = 160;
const REQUESTS = 800;
const WARM_UP = 40;

interface Load {
  readonly name: string;
  readonly amount: number;
  readonly run: (server: Prepared) => Promise<unknown>;
}

/** Work for any process: each opening is a connection, and the requests share 16. */
const LOADS: readonly Load[] = [
  {
    name: 'Openings over SSH, 8 at once',
    amount: OPENINGS,
    run: (server) => openAndRun({ port: server.sshPort, privateKey: server.privateKey }),
  },
  {
    name: 'Lists of assets, 8 at once',
    amount: REQUESTS,
    run: ({ clients }) => clients[Math.floor(Math.random() * clients.length)]?.get(LIST) ?? NONE,
  },
];
const LIST = 'assets/assets/?limit=15&offset=0';
const NONE = Promise.resolve();

type Prepared = Awaited<ReturnType<typeof prepare>>;

/**
 * The same load on a server of one process and on one of two, in turn, and the cost of idle
 * processes. On two cores the clients take what a second process could use: compare the CPU.
 */
export async function processes(world: World): Promise<Figure[]> {
  const target = await startLightTarget((session) => {
    endCommands(session);
    echoKeys(session);
  });
  const postgres = await startPostgres();
  const servers: Prepared[] = [];
  try {
    const place = {
      port: postgres.port,
      user: VAULT_ACCOUNT,
      password: VAULT_PASSWORD,
      database: 'sales',
    };
    await preparePgbench(place);
    for (const count of COUNTS) servers.push(await prepare(world, count, target, place));
    const figures: Figure[] = [];
    for (const load of LOADS) figures.push(...(await compare(load, servers)));
    figures.push(...(await statementsOf(servers)));
    for (const server of servers) figures.push(...(await echoOf(server)));
    return [...figures, ...(await idleCost(world))];
  } finally {
    for (const server of servers) await server.stop();
    await postgres.stop();
    await target.stop();
  }
}

async function prepare(
  world: World,
  count: number,
  target: Awaited<ReturnType<typeof startLightTarget>>,
  database: Place,
) {
  const server = await startServer(world.folder(), ADMIN_PASSWORD, {
    sshPort: await freePort(),
    environment: {
      SALLYPORT_PROCESSES: String(count),
      SALLYPORT_POSTGRESQL_PORT: String(await freePort()),
    },
  });
  const privateKey = await prepareOpenings(server, target);
  const clients: Client[] = [];
  for (let index = 0; index < AT_ONCE * 2; index++)
    clients.push(await signIn(server.url, 'admin', ADMIN_PASSWORD));
  const [first] = clients;
  if (!first) throw new Error('no client signed in');
  return {
    ...server,
    count,
    privateKey,
    clients,
    place: await granted(first, 'postgresql', database),
    async stop() {
      for (const client of clients) client.close();
      await server.stop();
    },
  };
}

async function compare(load: Load, servers: readonly Prepared[]): Promise<Figure[]> {
  const taken = servers.map((server) => ({
    server,
    rates: [] as number[],
    milliseconds: [] as number[],
  }));
  for (const { server } of taken) await together(() => load.run(server), WARM_UP, AT_ONCE);
  for (let turn = 0; turn < TURNS; turn++)
    for (const { server, rates, milliseconds } of taken) {
      const spent = () =>
        serverSeconds(server.pid, server.dataDirectory) + databaseSeconds(server.dataDirectory);
      const [before, began] = [spent(), performance.now()];
      await together(() => load.run(server), load.amount, AT_ONCE);
      rates.push(load.amount / ((performance.now() - began) / 1000));
      milliseconds.push(((spent() - before) / load.amount) * 1000);
    }
  const note = `median of ${TURNS} turns of ${load.amount}`;
  const figures = taken.flatMap(({ server: { count }, rates, milliseconds }): Figure[] => {
    const what = `${load.name}, ${count === 1 ? '1 process' : `${count} processes`}`;
    return [
      { name: what, value: percentile(rates, 0.5), unit: '/s', note },
      { name: `${what}, CPU of each`, value: percentile(milliseconds, 0.5), unit: 'ms' },
    ];
  });
  const [one, two] = taken.map(({ rates }) => percentile(rates, 0.5));
  return [
    ...figures,
    {
      name: `${load.name}, 2 processes to 1`,
      value: ((two ?? Number.NaN) / (one ?? Number.NaN)) * 100,
      unit: '%',
    },
  ];
}
