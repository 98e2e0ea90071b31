import { createGrants } from '../../server/src/features/perms/grants/service.ts';
import type { Database } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { ROOT_USER, SIZES, USER_PASSWORD, usernameOf } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { FixedQuery } from '../lib/fixed-query.ts';
import { type Client, signIn } from '../lib/http.ts';
import { Random } from '../lib/random.ts';
import type { BenchServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

const BUDGET = atMost(9.99);
const LIST_BUDGET = atMost(50);
const SEARCH_BUDGET = atMost(25);
const PEOPLE = 30;
const ROUNDS = 3;
/** Time limit of a series: figures far from their budget need fewer samples. */
const LONGEST_MILLISECONDS = 10_000;
const SEARCHES = ['web-prod', 'db', 'sh', '0042', 'queue-dev hk'];

/** A signed-in user with a granted asset, an account on it, and a granted node. */
interface Person {
  readonly id: string;
  readonly username: string;
  readonly client: Client;
  readonly asset: string;
  readonly account: string;
  readonly node: string;
}

/**
 * Measures the check of a connection and the pages of the user area for many users. One user
 * is granted everything.
 */
export async function grants(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
  const people: Person[] = [];
  const fixed = new FixedQuery(database);
  try {
    const { rows } = await sql<{
      id: string;
    }>`select id from asset order by hostname limit 1000`.execute(database.db);
    const strangers = rows.map(({ id }) => id);
    for (
      let number = 1;
      people.length < PEOPLE && number <= SIZES.users;
      number += number === 1 ? 4 : 23
    ) {
      const person = await meet(server, usernameOf(number));
      if (person) people.push(person);
    }
    const figures = [
      ...fixed.compare(
        latency(
          'Connection check, in the service',
          await serviceChecks(database, people, strangers, fixed),
          BUDGET,
          `${people.length} people, granted and not granted in turn`,
        ),
      ),
      ...fixed.compare(
        latency('Connection check, over HTTP', await httpChecks(people, strangers, fixed), BUDGET),
      ),
      ...(await pages(
        people,
        fixed,
        'My assets, first page',
        () => 'perms/users/assets/?limit=15',
      )),
      ...(await pages(
        people,
        fixed,
        'My assets, search',
        ({ random }) => `perms/users/assets/?limit=15&search=${random.of(SEARCHES)}`,
        SEARCH_BUDGET,
      )),
      ...(await pages(
        people,
        fixed,
        'My assets, on a node with all below',
        ({ person }) => `perms/users/assets/?limit=15&all=1&node=${person.node}`,
        LIST_BUDGET,
      )),
      ...(await pages(
        people,
        fixed,
        'My tree, first level',
        () => 'perms/users/nodes/children/tree/',
      )),
      ...(await afterChange(database, people, fixed)),
    ];
    return [...fixed.figures(), ...figures];
  } finally {
    for (const { client } of people) client.close();
    await database.close();
  }
}

async function meet(server: BenchServer, username: string): Promise<Person | undefined> {
  const client = await signIn(server.url, username, USER_PASSWORD);
  const { id } = await client.get<{ id: string }>('users/profile/');
  const { results } = await client.get<{ results: { id: string }[] }>(
    'perms/users/assets/?limit=15&offset=0',
  );
  for (const asset of results) {
    const accounts = await client.get<{ id: string }[]>(
      `perms/users/assets/${asset.id}/system-users/`,
    );
    const nodes = await client.get<{ meta: { node: { id: string; key: string } } }[]>(
      'perms/users/nodes/children/tree/',
    );
    const node = nodes.find(({ meta }) => meta.node.key.includes(':'))?.meta.node.id;
    if (accounts[0] && node)
      return { id, username, client, asset: asset.id, account: accounts[0].id, node };
  }
  client.close();
  return undefined;
}

async function serviceChecks(
  { db }: Database,
  people: readonly Person[],
  strangers: readonly string[],
  fixed: FixedQuery,
): Promise<number[]> {
  const service = createGrants(db);
  const random = new Random(3);
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS * 2; round++) {
    for (const { id, asset, account } of people) {
      await fixed.ask();
      const isGranted = round % 2 === 0;
      const began = performance.now();
      const isFound = await service.check(id, isGranted ? asset : random.of(strangers), account);
      samples.push(performance.now() - began);
      if (isGranted && !isFound) throw new Error('a granted connection was refused');
    }
  }
  return samples.slice(people.length);
}

async function httpChecks(
  people: readonly Person[],
  strangers: readonly string[],
  fixed: FixedQuery,
): Promise<number[]> {
  const random = new Random(5);
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { client, asset, account, username } of people) {
      const check = (id: string) =>
        `perms/asset-permissions/user/validate/?asset_id=${id}&system_user_id=${account}`;
      samples.push((await client.timed(check(asset), 200)).milliseconds);
      await fixed.ask();
      // The person who is granted everything is refused nothing.
      if (username !== ROOT_USER)
        samples.push((await client.timed(check(random.of(strangers)), [200, 403])).milliseconds);
    }
  }
  return samples.slice(people.length);
}

async function pages(
  people: readonly Person[],
  fixed: FixedQuery,
  name: string,
  path: (about: { person: Person; random: Random }) => string,
  budget = BUDGET,
): Promise<Figure[]> {
  const random = new Random(11);
  const everybody: number[] = [];
  const root: number[] = [];
  const began = performance.now();
  for (let round = 0; round < ROUNDS && performance.now() - began < LONGEST_MILLISECONDS; round++) {
    for (const person of people) {
      await fixed.ask();
      const { milliseconds } = await person.client.timed(path({ person, random }));
      everybody.push(milliseconds);
      if (person.username === ROOT_USER) root.push(milliseconds);
    }
  }
  const [first] = people;
  // One person asks as often as all others together.
  for (
    let turn = 0;
    first && turn < PEOPLE * 2 && performance.now() - began < LONGEST_MILLISECONDS;
    turn++
  )
    root.push((await first.client.timed(path({ person: first, random }))).milliseconds);
  return fixed.compare([
    ...latency(name, everybody, budget),
    ...latency(`${name}, granted the root`, root, budget),
  ]);
}

/** The first page right after a permission changed: nothing that was remembered may be used. */
async function afterChange(
  { db }: Database,
  people: readonly Person[],
  fixed: FixedQuery,
): Promise<Figure[]> {
  const page: number[] = [];
  const tree: number[] = [];
  const began = performance.now();
  for (let round = 0; round < ROUNDS && performance.now() - began < LONGEST_MILLISECONDS; round++) {
    await sql`update grant_version set version = version + 1`.execute(db);
    for (const { client } of people) {
      await fixed.ask();
      page.push((await client.timed('perms/users/assets/?limit=15')).milliseconds);
      tree.push((await client.timed('perms/users/nodes/children/tree/')).milliseconds);
    }
  }
  return fixed.compare([
    ...latency('My assets, first page after a change to permissions', page, SEARCH_BUDGET),
    ...latency('My tree, first level after a change to permissions', tree, LIST_BUDGET),
  ]);
}
