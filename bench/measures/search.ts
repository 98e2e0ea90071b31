import { Permission } from '@sallyport/contract';
import { ADMIN_PASSWORD, ROOT_USER, SIZES, USER_PASSWORD, usernameOf } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { FixedQuery } from '../lib/fixed-query.ts';
import { type Client, signIn } from '../lib/http.ts';
import { Random } from '../lib/random.ts';
import type { World } from '../lib/world.ts';

const REQUESTS = 80;
const WARM_UP = 8;
const BUDGET = atMost(50);

const padded = (random: Random) => String(random.below(SIZES.assets) + 1).padStart(6, '0');
const person = (random: Random) => usernameOf(random.below(1_000) + 1);

const SEARCHES: readonly (readonly [string, (random: Random) => string])[] = [
  ['one server', padded],
  ['a user, with sessions', person],
  ['a common word', (random) => random.of(['web', 'prod', 'deploy', 'stage', 'backup'])],
  [
    'two words',
    (random) =>
      `${random.of(['web', 'db', 'cache'])}-${random.of(['prod', 'test'])} ${random.of(['bj', 'fra', 'nyc'])}-`,
  ],
  ['two letters', (random) => random.of(['bj', 'sh', 'qz', 'db'])],
  ['one letter', (random) => random.of(['a', 'w', 'q'])],
  ['a command', (random) => random.of(['systemctl', 'df -h', 'tail'])],
  ['nothing that exists', (random) => `nowhere${random.below(1_000)}`],
  ['nothing', () => ''],
];

/**
 * The search of the palette, over all kinds at once: as an administrator, as a user with some
 * grants, and as one who is granted everything.
 */
export async function search(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
  const fixed = new FixedQuery(database);
  const figures: Figure[] = [];
  for (const [who, name, password] of [
    ['administrator', 'admin', ADMIN_PASSWORD],
    ['user', usernameOf(7), USER_PASSWORD],
    ['user granted the root', ROOT_USER, USER_PASSWORD],
  ] as const) {
    const client = await signIn(server.url, name, password);
    try {
      for (const [what, text] of who === 'administrator' ? SEARCHES : SEARCHES.slice(0, 5))
        figures.push(
          ...fixed.compare(
            latency(`Search for ${what}, ${who}`, await ask(client, fixed, text), BUDGET),
          ),
        );
      if (who === 'administrator')
        figures.push(
          ...fixed.compare(
            latency(
              'Search for an auditor’s kinds',
              await ask(client, fixed, person, Permission.AUDIT),
              BUDGET,
            ),
          ),
        );
    } finally {
      client.close();
    }
  }
  await database.close();
  return [...fixed.figures(), ...figures];
}

async function ask(
  client: Client,
  fixed: FixedQuery,
  text: (random: Random) => string,
  role?: number,
): Promise<number[]> {
  const random = new Random(11);
  const samples: number[] = [];
  for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
    const query = new URLSearchParams({
      q: text(random),
      ...(role !== undefined && { role: String(role) }),
    });
    await fixed.ask();
    const { milliseconds } = await client.timed(`search/?${query}`);
    if (turn >= 0) samples.push(milliseconds);
  }
  return samples;
}
