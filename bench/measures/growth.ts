import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RESOURCES, type Resource } from '../../contract/src/index.ts';
import { ADMIN_PASSWORD, ROOT_USER, USER_PASSWORD } from '../generate/sizes.ts';
import { atMost, type Figure, percentile, writeNumber } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import { databaseSeconds, serverSeconds } from '../lib/processor.ts';
import { type BenchServer, startServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

/** Installations by their assets, as shares of the generator's usual size. */
const SMALL = [
  { assets: 1_000, scale: 0.01 },
  { assets: 10_000, scale: 0.1 },
  { assets: 100_000, scale: 1 },
];
const LARGE = { assets: 1_000_000, scale: 10 };
const MOST_SESSIONS = 1_000_000;

const PAGE = 15;
const WARM_UP = 3;
const ROUNDS = 4;
const REQUESTS = 5;
const MOST_WAITS = 60;
const PAUSE_MILLISECONDS = 1_000;
/** Lists with fewer rows than this have no distant pages. */
const FEWEST_ROWS = 300;

/**
 * Exponent of the growth of the cost with the rows. 0.16 is three times the cost for a thousand
 * times the rows; O(log n) is 0.1 there, and O(n) is 1.
 */
const SLOPE = atMost(0.16);
/** Costs below this many milliseconds of CPU count as this: they are the noise of the machine. */
const LEAST_COST = 4;

interface Installation {
  readonly assets: number;
  readonly server: BenchServer;
  readonly admin: Client;
  readonly person: Client;
  readonly someone: Client;
}

/** A request, with the path for one installation; undefined where it does not apply. */
interface Request {
  readonly name: string;
  path(installation: Installation): Promise<string | undefined>;
  readonly client?: 'admin' | 'person' | 'someone';
}

/**
 * Fits the cost of each list over installations of different sizes and fails on a slope above
 * O(log n). All servers run at once, and their requests alternate.
 */
export async function growth(world: World): Promise<Figure[]> {
  const sizes = world.isLong ? [...SMALL, LARGE] : SMALL;
  const installations: Installation[] = [];
  try {
    for (const size of sizes) installations.push(await open(world, size));
    const figures: Figure[] = [];
    for (const request of requests().filter(({ name }) => name.includes(world.stage))) {
      const costs = await costsOf(request, installations);
      if (costs.length < 2) continue;
      const figure = figureOf(request.name, costs);
      world.say(`  ${figure.name}: ${writeNumber(figure.value)} (${figure.note})`);
      figures.push(figure);
    }
    return figures;
  } finally {
    for (const { admin, person, someone, server } of installations) {
      for (const client of [admin, person, someone]) client.close();
      await server.stop();
    }
  }
}

async function open(world: World, { assets, scale }: (typeof SMALL)[number]) {
  const folder = world.bigFolder ? join(world.bigFolder, `growth-${assets}`) : world.folder();
  await fill(resolve(folder), scale);
  const server = await startServer(folder, ADMIN_PASSWORD);
  const signedIn = (name: string, password: string) => signIn(server.url, name, password);
  return {
    assets,
    server,
    admin: await signedIn('admin', ADMIN_PASSWORD),
    person: await signedIn(ROOT_USER, USER_PASSWORD),
    someone: await signedIn('user0005', USER_PASSWORD),
  };
}

/** The generator reads its size from the environment of its process. */
async function fill(folder: string, scale: number): Promise<void> {
  const child = spawn(
    process.execPath,
    [resolve(import.meta.dirname, '../generate.ts'), '--data-dir', folder],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        SALLYPORT_BENCH_SCALE: String(scale),
        SALLYPORT_BENCH_SESSIONS: String(Math.min(MOST_SESSIONS, 1_000_000 * scale)),
      },
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the generator ended with ${code}`);
}

/** Every list of the console, and the pages of the user area. */
function requests(): Request[] {
  const fixed = (name: string, path: string, client?: Request['client']): Request => ({
    name,
    path: async () => path,
    ...(client && { client }),
  });
  const mine = 'perms/users/assets/';
  const lists = RESOURCES.filter(({ parent }) => !parent);
  return [
    ...lists.flatMap((resource) => pagesOf(nameOf(resource), `${resource.path}/`)),
    ...pagesOf('Sessions, finished', 'terminal/sessions/?is_finished=1'),
    fixed('Assets, common word', `assets/assets/?limit=${PAGE}&search=prod`),
    fixed('Assets, nothing found', `assets/assets/?limit=${PAGE}&search=nowhere`),
    fixed('Sessions, common word', `terminal/sessions/?limit=${PAGE}&search=web-prod`),
    fixed('Vault, common word', `assets/asset-users/?limit=${PAGE}&search=prod`),
    ...pagesOf('My assets, root', mine, 'person'),
    fixed('My assets, root, one name', `${mine}?limit=${PAGE}&search=000123`, 'person'),
    fixed('My assets, root, common word', `${mine}?limit=${PAGE}&search=prod`, 'person'),
    ...pagesOf('My assets, some', mine, 'someone'),
    fixed('My assets, some, common word', `${mine}?limit=${PAGE}&search=prod`, 'someone'),
    fixed('My tree', 'perms/users/nodes/children/tree/', 'person'),
    fixed('Tree', 'assets/nodes/children/tree/'),
    fixed('Search over everything', 'search/?q=prod'),
    fixed('Needs attention', 'common/attention/'),
  ];
}

const nameOf = ({ title }: Resource): string => title.en;

/** The first page of a list, and the middle and the last where it is long. */
function pagesOf(name: string, path: string, client: Request['client'] = 'admin'): Request[] {
  const at = (offset: number) =>
    `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}&offset=${offset}`;
  const far =
    (offsetOf: (count: number) => number): Request['path'] =>
    async (installation) => {
      const { count } = await installation[client].get<{ count: number }>(at(0));
      return count < FEWEST_ROWS ? undefined : at(offsetOf(count));
    };
  return [
    { name: `${name}, first page`, path: async () => at(0), client },
    { name: `${name}, middle page`, path: far((count) => Math.floor(count / 2)), client },
    { name: `${name}, last page`, path: far((count) => count - PAGE), client },
  ];
}

interface Cost {
  readonly assets: number;
  /** Milliseconds of CPU of one request, with the database. */
  readonly processor: number;
  readonly milliseconds: number;
}

async function costsOf(request: Request, installations: readonly Installation[]) {
  const targets = await Promise.all(
    installations.map(async (installation) => ({
      installation,
      path: await request.path(installation),
      samples: [] as Cost[],
    })),
  );
  const taken = targets.flatMap((one) =>
    one.path === undefined ? [] : [{ ...one, path: one.path }],
  );
  for (const { installation, path } of taken)
    await untilReady(installation[request.client ?? 'admin'], path);
  for (let round = 0; round <= ROUNDS; round++)
    for (const { installation, path, samples } of taken) {
      const client = installation[request.client ?? 'admin'];
      const cost = await costOf(installation, client, path, round === 0 ? WARM_UP : REQUESTS);
      if (round > 0) samples.push(cost);
    }
  return taken.map(({ installation: { assets }, samples }) => ({
    assets,
    processor: Math.min(...samples.map(({ processor }) => processor)),
    milliseconds: Math.min(...samples.map(({ milliseconds }) => milliseconds)),
  }));
}

/** Waits for counts that a server reads once, in the background. */
async function untilReady(client: Client, path: string): Promise<void> {
  for (let turn = 0; turn < MOST_WAITS; turn++) {
    const { text } = await client.timed(path, [200, 503]);
    if (!text.includes('"busy"')) return;
    await sleep(PAUSE_MILLISECONDS);
  }
}

async function costOf(
  { assets, server }: Installation,
  client: Client,
  path: string,
  requests: number,
): Promise<Cost> {
  const spent = () =>
    serverSeconds(server.pid, server.dataDirectory) + databaseSeconds(server.dataDirectory);
  const before = spent();
  const times: number[] = [];
  for (let turn = 0; turn < requests; turn++) times.push((await client.timed(path)).milliseconds);
  const processor = ((spent() - before) * 1_000) / requests;
  return { assets, processor, milliseconds: percentile(times, 0.5) };
}

function figureOf(name: string, costs: readonly Cost[]): Figure {
  const written = (of: (cost: Cost) => number) =>
    costs.map((cost) => of(cost).toFixed(1)).join(' / ');
  return {
    name: `${name}, slope`,
    value: slopeOf(costs),
    unit: '',
    budget: SLOPE,
    note:
      `${costs.map(({ assets }) => assets.toLocaleString('en')).join(' / ')} assets: ` +
      `${written(({ processor }) => processor)} ms of CPU, ` +
      `${written(({ milliseconds }) => milliseconds)} ms`,
  };
}

/** The exponent of a power of the rows, fitted by least squares. */
export function slopeOf(costs: readonly Pick<Cost, 'assets' | 'processor'>[]): number {
  const points = costs.map(({ assets, processor }) => ({
    x: Math.log(assets),
    y: Math.log(Math.max(processor, LEAST_COST)),
  }));
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const along = mean((point) => (point.x - x) * (point.y - y));
  return along / mean((point) => (point.x - x) ** 2);
}
