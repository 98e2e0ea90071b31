import { setTimeout as sleep } from 'node:timers/promises';
import { beginSignIn } from '../../server/src/features/identity/sign-in-sessions/store.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { openRunning } from '../lib/database.ts';
import { atLeast, atMost, type Figure, latency, percentile } from '../lib/figure.ts';
import { type Client, signedIn } from '../lib/http.ts';
import { Random } from '../lib/random.ts';
import type { BenchServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

const PEOPLE = 200;
const SECONDS = 60;
/** Seconds of the long run, for the growth of memory. */
const LONG_SECONDS = 600;
/** A user reads a page before opening the next one. */
const LOOKING_MILLISECONDS = { least: 500, most: 1_500 };
/** Seconds until memory has reached its working size. It is measured then and at the end. */
const SETTLING_SECONDS = 30;
const LONG_SETTLING_SECONDS = 120;
/** People who come in at the same moment, before the minute begins. */
const ARRIVING = 4;
const GROWTH_BUDGET = 10;

const SEARCHES = ['web-prod', 'db', 'sh', '0042', 'queue-dev hk'];
const KINDS = ['web', 'app', 'db', 'cache', 'proxy'];

/** Pages of the user area. */
const OWN_PAGES: readonly ((random: Random) => string)[] = [
  () => 'perms/users/assets/?limit=15',
  (random) => `perms/users/assets/?limit=15&offset=${random.below(4) * 15}`,
  (random) => `perms/users/assets/?limit=15&search=${random.of(SEARCHES)}`,
  () => 'perms/users/nodes/children/tree/',
  () => 'users/profile/',
];
/** Pages of administrators, one tenth of the users. */
const ADMIN_PAGES: readonly ((random: Random) => string)[] = [
  (random) => `assets/assets/?limit=15&offset=${random.below(100) * 15}`,
  (random) => `assets/assets/?limit=15&search=${random.of(KINDS)}-prod`,
  (random) => `terminal/sessions/?limit=15&offset=${random.below(100) * 15}`,
  (random) => `users/users/?limit=15&offset=${random.below(60) * 15}`,
  () => 'perms/asset-permissions/?limit=15',
  () => 'assets/nodes/children/tree/',
];

/**
 * Measures 200 users who browse lists at the same time, each on a separate connection, and the
 * memory of the server.
 */
export async function load(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const everybody = await signEverybodyIn(server);
  const seconds = world.isLong ? LONG_SECONDS : SECONDS;
  const arrivals = await arrive(everybody);
  const samples: number[] = [];
  const failures: string[] = [];
  const end = performance.now() + seconds * 1_000;
  const settling = world.isLong ? LONG_SETTLING_SECONDS : SETTLING_SECONDS;
  const watching = watchMemory(server, settling, seconds);
  try {
    await Promise.all(
      everybody.map(({ client, isAdmin }, number) =>
        browse(
          client,
          isAdmin ? ADMIN_PAGES : OWN_PAGES,
          new Random(number + 1),
          end,
          samples,
          failures,
        ),
      ),
    );
    const { early, late } = await watching;
    for (const failure of new Set(failures)) world.say(`  ${failure}`);
    return [
      {
        name: 'Requests that failed',
        value: failures.length,
        unit: '',
        budget: atMost(0),
        note: `${PEOPLE} people for ${seconds} s, ${LOOKING_MILLISECONDS.least} to ${LOOKING_MILLISECONDS.most} ms between pages`,
      },
      ...latency(
        'First pages of each',
        arrivals,
        undefined,
        `${ARRIVING} at once, nothing remembered of them`,
      ),
      {
        name: 'Requests answered',
        value: samples.length / seconds,
        unit: '/s',
        budget: atLeast(100),
      },
      {
        name: 'Page, p50',
        value: percentile(samples, 0.5),
        unit: 'ms',
        note: 'those who ask share the cores with the server',
      },
      { name: 'Page, p95', value: percentile(samples, 0.95), unit: 'ms' },
      { name: 'Page, p99', value: percentile(samples, 0.99), unit: 'ms' },
      {
        name: `Memory after ${settling} s`,
        value: early,
        unit: 'MiB',
        note: 'median of five, resident',
      },
      {
        name: `Memory growth until ${seconds} s`,
        value: (100 * (late - early)) / early,
        unit: '%',
        budget: atMost(GROWTH_BUDGET),
        ...(!world.isLong && { note: 'ten minutes with --long' }),
      },
    ];
  } finally {
    for (const { client } of everybody) client.close();
  }
}

interface Person {
  readonly client: Client;
  readonly isAdmin: boolean;
}

/** Creates sign-ins in the database: the API limits attempts from one address. */
async function signEverybodyIn(server: BenchServer): Promise<Person[]> {
  const database = openRunning(server.dataDirectory);
  try {
    const { rows } = await sql<{ id: string; role: string }>`
      select id, role from account where username like 'user%' or username = 'admin' order by role, username limit ${PEOPLE}`.execute(
      database.db,
    );
    const admin = rows.find(({ role }) => role === 'Admin');
    return await Promise.all(
      rows.map(async ({ id }, number) => {
        const isAdmin = number % 10 === 0 && admin !== undefined;
        const { token } = await beginSignIn(database.db, {
          userId: isAdmin ? admin.id : id,
          kind: 'bearer',
          from: { remoteAddress: '127.0.0.1', userAgent: 'bench' },
          seconds: 3_600,
        });
        return { client: await signedIn(server.url, token), isAdmin };
      }),
    );
  } finally {
    await database.close();
  }
}

/** Grants are computed at the first request of a user and cached. */
async function arrive(everybody: readonly Person[]): Promise<number[]> {
  const samples: number[] = [];
  const waiting = [...everybody];
  const next = async (): Promise<void> => {
    for (let person = waiting.pop(); person; person = waiting.pop()) {
      const pages = person.isAdmin ? ADMIN_PAGES : OWN_PAGES;
      for (const page of pages)
        samples.push((await person.client.timed(page(new Random(1)))).milliseconds);
    }
  };
  await Promise.all(Array.from({ length: ARRIVING }, next));
  return samples;
}

async function browse(
  client: Client,
  pages: readonly ((random: Random) => string)[],
  random: Random,
  end: number,
  samples: number[],
  failures: string[],
): Promise<void> {
  const pause = () =>
    sleep(
      LOOKING_MILLISECONDS.least +
        random.below(LOOKING_MILLISECONDS.most - LOOKING_MILLISECONDS.least),
    );
  // Users do not all start at the same moment.
  await sleep(random.below(LOOKING_MILLISECONDS.most));
  while (performance.now() < end) {
    try {
      samples.push((await client.timed(random.of(pages)(random))).milliseconds);
    } catch (error) {
      failures.push(String(error).slice(0, 200));
    }
    await pause();
  }
}

async function watchMemory(
  server: BenchServer,
  settling: number,
  seconds: number,
): Promise<{ early: number; late: number }> {
  const look = async () => {
    const seen: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      seen.push(server.memory());
      await sleep(1_000);
    }
    return percentile(seen, 0.5);
  };
  await sleep(settling * 1_000);
  const early = await look();
  await sleep(Math.max(0, seconds - settling - 12) * 1_000);
  return { early, late: await look() };
}
