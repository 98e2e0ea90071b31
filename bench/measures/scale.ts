import { setTimeout as sleep } from 'node:timers/promises';
import { KEYSTROKES, keystrokes } from '../lib/echo.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { echoKeys, endCommands, startLightTarget } from '../lib/light-target.ts';
import {
  CLIENTS,
  type Installation,
  type Spent,
  startInstallation,
  startTargetDatabase,
} from '../lib/scale-world.ts';
import type { World } from '../lib/world.ts';
import { openAndRun, together } from './openings.ts';

const TURNS = 10;
/** Time in which the journals reach the database. */
const DRAIN_MS = 2_000;
const IDLE_MS = 60_000;
/** Percent of the CPU that an operation may take with two servers. */
const MOST = 105;
/** The work of a session for the computed rows. */
const SESSION = { seconds: 1_200, commandsPerMinute: 10, keysPerCommand: 12, pagesPerMinute: 2 };
const SIZES = [
  [1, 100],
  [2, 1_000],
  [4, 4_000],
  [8, 16_000],
] as const;
/** The default of `SALLYPORT_DATABASE_POOL`. */
const POOL = 10;

interface Operation {
  readonly name: string;
  /** Operations of each client in one turn. */
  readonly each: number;
  readonly run: (installation: Installation, client: number, each: number) => Promise<unknown>;
}

const OPERATIONS = {
  opening: {
    name: 'Opening over SSH, with a command and its end',
    each: 30,
    run({ sshPorts, privateKey }, client, each) {
      const port = sshPorts[client % sshPorts.length] ?? 0;
      return together(() => openAndRun({ port, privateKey }), each, 1);
    },
  },
  statement: {
    name: 'Statement over PostgreSQL',
    each: 600,
    run: ({ statements }, client, each) =>
      together(async () => statements[client]?.query('select 1 as one'), each, 1),
  },
  key: {
    name: 'Key in a terminal',
    each: KEYSTROKES,
    async run({ terminals, pid }, client) {
      const terminal = terminals[client];
      if (!terminal) throw new Error('no terminal');
      const listen = (onOutput: (bytes: Buffer) => void) => {
        terminal.onOutput = onOutput;
      };
      await keystrokes((key) => terminal.type(key), listen, pid);
    },
  },
  list: {
    name: 'List of assets',
    each: 150,
    run: ({ pages }, client, each) =>
      together(async () => pages[client]?.get('assets/assets/?limit=15'), each, 1),
  },
} satisfies Readonly<Record<string, Operation>>;

/** Costs of one operation: CPU in ms, and round trips to the database. */
type Cost = Spent;
type Costs = Readonly<Record<keyof typeof OPERATIONS | 'idle', Cost>>;

/**
 * Compares what an operation costs the servers and their database in an installation of one server
 * and in one of two. Each server has its own core, and one server works at a time. `--stage` names
 * one operation, such as `list`.
 */
export async function scale(world: World): Promise<Figure[]> {
  const ssh = await startLightTarget((session) => {
    endCommands(session);
    echoKeys(session);
  });
  const database = await startTargetDatabase(world);
  const installations: Installation[] = [];
  try {
    for (const count of [1, 2])
      installations.push(await startInstallation(world, count, { ssh, database }));
    const [one, two] = installations as [Installation, Installation];
    const idle = await Promise.all([idleCost(one), idleCost(two)]);
    const figures: Figure[] = [];
    const costs: Record<string, Cost> = { idle: idle[0] };
    for (const [key, operation] of Object.entries(OPERATIONS)) {
      if (world.stage !== '' && key !== world.stage) continue;
      const taken = await compare(operation, [one, two], idle);
      figures.push(...figuresOf(operation, taken));
      costs[key] = quietest(taken[0]);
    }
    return [
      ...figures,
      ...idleFigures(one, idle[0]),
      ...idleFigures(two, idle[1]),
      ...(world.stage === '' ? SIZES : []).flatMap(([servers, sessions]) =>
        needs(costs as Costs, servers, sessions),
      ),
    ];
  } finally {
    for (const one of installations) await one.stop();
    await database.stop();
    await ssh.stop();
  }
}

const difference = (after: Spent, before: Spent, divisor: number): Cost => ({
  server: ((after.server - before.server) / divisor) * 1_000,
  database: ((after.database - before.database) / divisor) * 1_000,
  turns: (after.turns - before.turns) / divisor,
});
const whole = ({ server, database }: Cost) => server + database;

/** Other load of the machine makes a turn more expensive, never cheaper. */
const quietest = (costs: readonly Cost[]): Cost =>
  costs.reduce((least, cost) => (whole(cost) < whole(least) ? cost : least));

/** Costs of a second without work. */
async function idleCost(installation: Installation): Promise<Cost> {
  await sleep(DRAIN_MS);
  const [before, began] = [installation.spent(), performance.now()];
  await sleep(IDLE_MS);
  return difference(installation.spent(), before, (performance.now() - began) / 1_000);
}

/** Costs of one operation, without those of an idle installation. */
async function costOf(
  { each, run }: Operation,
  installation: Installation,
  idle: Cost,
): Promise<Cost> {
  const { servers } = installation;
  const [before, began] = [installation.spent(), performance.now()];
  // One server at a time: two busy cores share caches and slow each other, whatever they run.
  for (let server = 0; server < servers; server++) {
    const clients = Array.from({ length: CLIENTS }, (_, index) => index * servers + server);
    await Promise.all(clients.map((client) => run(installation, client, each)));
  }
  await sleep(DRAIN_MS);
  const amount = each * CLIENTS * servers;
  const seconds = (performance.now() - began) / 1_000;
  const cost = difference(installation.spent(), before, amount);
  const idleOf = (part: keyof Cost) => (idle[part] * seconds) / amount;
  return {
    server: cost.server - idleOf('server'),
    database: cost.database - idleOf('database'),
    turns: cost.turns - idleOf('turns'),
  };
}

type Pair<T> = readonly [T, T];

async function compare(
  operation: Operation,
  installations: Pair<Installation>,
  idle: Pair<Cost>,
): Promise<Pair<Cost[]>> {
  const taken: Pair<Cost[]> = [[], []];
  for (let turn = -1; turn < TURNS; turn++)
    for (const index of [0, 1] as const) {
      const cost = await costOf(operation, installations[index], idle[index]);
      // The first turn warms up.
      if (turn >= 0) taken[index].push(cost);
    }
  return taken;
}

function figuresOf({ name, each }: Operation, [one, two]: Pair<Cost[]>): Figure[] {
  return [
    {
      name: `${name}, CPU with two servers to that with one`,
      value: (whole(quietest(two)) / whole(quietest(one))) * 100,
      unit: '%',
      budget: atMost(MOST),
      note: `the quietest of ${TURNS} turns of ${each * CLIENTS} for each server`,
    },
    ...[one, two].flatMap((costs, index): Figure[] => {
      const what = `${name}, ${index === 0 ? 'one server' : 'two servers'}`;
      const { server, database } = quietest(costs);
      const turns = percentile(
        costs.map((cost) => cost.turns),
        0.5,
      );
      return [
        { name: `${what}, CPU of the servers`, value: server, unit: 'ms' },
        { name: `${what}, CPU of the database`, value: database, unit: 'ms' },
        { name: `${what}, database round trips`, value: turns, unit: '' },
      ];
    }),
  ];
}

const nameOf = (servers: number) => (servers === 1 ? 'one server' : `${servers} servers`);

function idleFigures({ servers, connections }: Installation, idle: Cost): Figure[] {
  const what = `Idle, ${nameOf(servers)}`;
  return [
    { name: `${what}, CPU of the servers`, value: idle.server * 0.06, unit: 's/min' },
    { name: `${what}, CPU of the database`, value: idle.database * 0.06, unit: 's/min' },
    { name: `${what}, database round trips`, value: idle.turns, unit: '/s' },
    { name: `${what}, database connections`, value: connections(), unit: '' },
  ];
}

/** Computes what live sessions need, from the costs with one server. */
function needs(costs: Costs, servers: number, sessions: number): Figure[] {
  const what = `Computed for ${nameOf(servers)} and ${sessions.toLocaleString('en')} sessions`;
  /** An idle installation may take more than a busy one. */
  const cost = (key: keyof Costs, part: keyof Cost) => Math.max(0, costs[key][part]);
  /** The costs of one second. */
  const of = (part: keyof Cost) =>
    servers * cost('idle', part) +
    sessions *
      (cost('opening', part) / SESSION.seconds +
        ((cost('statement', part) + cost('key', part) * SESSION.keysPerCommand) *
          SESSION.commandsPerMinute) /
          60 +
        (cost('list', part) * SESSION.pagesPerMinute) / 60);
  return [
    {
      name: `${what}, cores of the database`,
      value: of('database') / 1_000,
      unit: '',
      note: `sessions of ${SESSION.seconds / 60} minutes, ${SESSION.commandsPerMinute} commands of ${SESSION.keysPerCommand} keys and ${SESSION.pagesPerMinute} pages a minute`,
    },
    { name: `${what}, database round trips`, value: of('turns'), unit: '/s' },
    {
      name: `${what}, database connections`,
      value: servers * POOL,
      unit: '',
      note: 'one process for each server',
    },
    { name: `${what}, cores of all servers`, value: of('server') / 1_000, unit: '' },
  ];
}
