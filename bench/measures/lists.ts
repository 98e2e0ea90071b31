import { ADMIN_PASSWORD, SIZES } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { FixedQuery } from '../lib/fixed-query.ts';
import { type Client, signIn } from '../lib/http.ts';
import { Random } from '../lib/random.ts';
import type { World } from '../lib/world.ts';

const REQUESTS = 120;
const WARM_UP = 10;
/** A list that is far from its budget need not be asked that often to be known. */
const LONGEST_MILLISECONDS = 6_000;
const FEWEST_REQUESTS = 20;
const BUDGET = atMost(50);

const KINDS = ['web', 'app', 'db', 'cache', 'queue', 'proxy', 'build', 'backup', 'search', 'mail'];
const STAGES = ['prod', 'stage', 'test', 'dev'];
const CITIES = ['bj', 'sh', 'gz', 'sz', 'hk', 'sg', 'fra', 'lon', 'nyc', 'sfo'];

const VAULT = 'assets/asset-users/?limit=15';
const VAULT_ORDERS = ['hostname', '-hostname', 'ip', '-ip'];

interface Known {
  readonly random: Random;
  readonly nodes: readonly string[];
  readonly users: readonly string[];
}

const LISTS: readonly (readonly [string, (known: Known) => string])[] = [
  ['Assets, first page', () => 'assets/assets/?limit=15&offset=0'],
  [
    'Assets, any page up to 10,000',
    ({ random }) =>
      `assets/assets/?limit=15&offset=${random.below(667) * 15}&order=${random.of(['hostname', '-hostname', 'ip'])}`,
  ],
  [
    'Assets, search of one server',
    ({ random }) =>
      `assets/assets/?limit=15&search=${String(random.below(SIZES.assets) + 1).padStart(6, '0')}`,
  ],
  [
    'Assets, search of two words (hundreds found)',
    ({ random }) =>
      `assets/assets/?limit=15&search=${random.of(KINDS)}-${random.of(STAGES)}%20${random.of(CITIES)}-`,
  ],
  [
    'Assets, search of a common word (tens of thousands found)',
    ({ random }) => `assets/assets/?limit=15&search=${random.of(STAGES)}`,
  ],
  [
    'Assets, search of two letters',
    ({ random }) => `assets/assets/?limit=15&search=${random.of(CITIES.slice(0, 6))}`,
  ],
  [
    'Assets, search of a whole word',
    ({ random }) =>
      `assets/assets/?limit=15&search=%3D${String(random.below(SIZES.assets) + 1).padStart(6, '0')}`,
  ],
  [
    'Assets, search of a phrase',
    ({ random }) => `assets/assets/?limit=15&search=%22${random.of(KINDS)}-${random.of(STAGES)}%22`,
  ],
  [
    'Assets, search of nothing that exists',
    ({ random }) => `assets/assets/?limit=15&search=nowhere${random.below(1_000)}`,
  ],
  [
    'Assets, on a node with all below',
    ({ random, nodes }) =>
      `assets/assets/?limit=15&all=1&node=${random.of(nodes)}&order=${random.of(['hostname', 'ip'])}`,
  ],
  [
    'Assets, filtered',
    ({ random }) =>
      `assets/assets/?limit=15&is_active=${random.of(['true', 'false'])}&platform__base=Unix`,
  ],
  ['Sessions, first page', () => 'terminal/sessions/?limit=15&is_finished=1'],
  [
    'Sessions, any page up to 10,000',
    ({ random }) => `terminal/sessions/?limit=15&offset=${random.below(667) * 15}`,
  ],
  [
    'Sessions, last seven days',
    ({ random }) =>
      `terminal/sessions/?limit=15&offset=${random.below(20) * 15}&date_from=${encodeURIComponent(new Date(Date.now() - 7 * 86_400_000).toISOString())}`,
  ],
  [
    'Sessions, search of a person',
    ({ random }) =>
      `terminal/sessions/?limit=15&search=user${String(random.below(1_000) + 1).padStart(4, '0')}`,
  ],
  [
    'Sessions, search of a common word (a hundred thousand found)',
    ({ random }) =>
      `terminal/sessions/?limit=15&search=${random.of(['web-prod', 'deploy', 'dba', 'backup'])}`,
  ],
  [
    'Sessions, search of two letters',
    ({ random }) => `terminal/sessions/?limit=15&search=${random.of(['bj', 'sh', 'hk', 'sg'])}`,
  ],
  [
    'Sessions, search of a server',
    ({ random }) =>
      `terminal/sessions/?limit=15&search=${random.of(KINDS)}%20${String(random.below(SIZES.assets) + 1).padStart(6, '0')}`,
  ],
  [
    'Sessions, of one user',
    ({ random, users }) =>
      `terminal/sessions/?limit=15&user_id=${random.of(users)}&order=-date_start`,
  ],
  [
    'Sessions, by another column',
    ({ random }) =>
      `terminal/sessions/?limit=15&order=${random.of(['user', '-user', 'asset', 'date_end', '-system_user'])}`,
  ],
  [
    'Users, any page',
    ({ random }) =>
      `users/users/?limit=15&offset=${random.below(60) * 15}&order=${random.of(['username', 'name', '-date_joined'])}`,
  ],
  ['Users, search', ({ random }) => `users/users/?limit=15&search=${random.below(100)}`],
  ['System users', () => 'assets/system-users/?limit=15'],
  [
    'Asset permissions, any page',
    ({ random }) => `perms/asset-permissions/?limit=15&offset=${random.below(300) * 15}`,
  ],
  [
    'Vault, any page up to 10,000',
    ({ random }) => `${VAULT}&offset=${random.below(667) * 15}&order=${random.of(VAULT_ORDERS)}`,
  ],
  [
    'Vault, any page',
    ({ random }) => `${VAULT}&offset=${random.below(20_000) * 15}&order=${random.of(VAULT_ORDERS)}`,
  ],
  ['Vault, first page', ({ random }) => `${VAULT}${random.of(['', '&latest=1'])}`],
  [
    'Vault, any page of those in use',
    ({ random }) =>
      `${VAULT}&latest=1&offset=${random.below(10_000) * 15}&order=${random.of(VAULT_ORDERS)}`,
  ],
  [
    'Vault, any page of one origin',
    ({ random }) =>
      `${VAULT}&backend=${random.of(['db', 'admin_user', 'system_user'])}&offset=${random.below(1_000) * 15}`,
  ],
  [
    'Vault, search of one server',
    ({ random }) => `${VAULT}&search=${String(random.below(SIZES.assets) + 1).padStart(6, '0')}`,
  ],
  [
    'Vault, search of two words (hundreds found)',
    ({ random }) =>
      `${VAULT}&search=${random.of(KINDS)}-${random.of(STAGES)}%20${random.of(CITIES)}-`,
  ],
  [
    'Vault, search of a common word (tens of thousands found)',
    ({ random }) => `${VAULT}&search=${random.of(STAGES)}`,
  ],
  [
    'Vault, search of a common word, any page up to 10,000',
    ({ random }) => `${VAULT}&search=${random.of(STAGES)}&offset=${random.below(667) * 15}`,
  ],
  [
    'Vault, of one username',
    ({ random }) =>
      `${VAULT}&username=${random.of(['root', 'deploy', 'oracle', 'nobody'])}&offset=${random.below(100) * 15}`,
  ],
  [
    'Vault, search of a username',
    ({ random }) => `${VAULT}&search=${random.of(['deploy', 'oracle', 'backup'])}`,
  ],
  ['Tree, one level', ({ random, nodes }) => `assets/nodes/children/tree/?id=${random.of(nodes)}`],
];

/**
 * The lists of the console, asked one request after the other on one connection, with the fixed
 * query between them.
 */
export async function lists(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
  const fixed = new FixedQuery(database);
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  try {
    const figures: Figure[] = [];
    const learned = await learn(client);
    for (const [name, path] of LISTS.filter(([name]) => name.includes(world.stage))) {
      const samples = await ask(client, fixed, path, { random: new Random(7), ...learned });
      figures.push(...fixed.compare(latency(name, samples, BUDGET)));
    }
    return [...fixed.figures(), ...figures];
  } finally {
    client.close();
    await database.close();
  }
}

async function ask(
  client: Client,
  fixed: FixedQuery,
  path: (known: Known) => string,
  known: Known,
): Promise<number[]> {
  const samples: number[] = [];
  const began = performance.now();
  for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
    await fixed.ask();
    // A list that takes too long is stopped with 503: its time counts.
    const { milliseconds } = await client.timed(path(known), [200, 503]);
    if (turn >= 0) samples.push(milliseconds);
    if (samples.length >= FEWEST_REQUESTS && performance.now() - began > LONGEST_MILLISECONDS)
      break;
  }
  return samples;
}

async function learn(client: Client): Promise<{ nodes: string[]; users: string[] }> {
  const ids = async (path: string) =>
    (await client.get<{ results: { id: string }[] }>(path)).results.map(({ id }) => id);
  return {
    nodes: await ids('assets/nodes/?limit=400'),
    users: await ids('users/users/?limit=200'),
  };
}
