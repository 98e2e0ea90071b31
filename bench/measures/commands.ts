import { removeFinishedSessions } from '../../server/src/features/sessions/index.ts';
import type { Db } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { addCommands } from '../generate/commands.ts';
import { ADMIN_PASSWORD, SIZES } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import { Random } from '../lib/random.ts';
import type { World } from '../lib/world.ts';

const REQUESTS = 60;
const WARM_UP = 6;
const LONGEST_MILLISECONDS = 10_000;
const BUDGET = atMost(50);
const MIB = 1024 * 1024;
/** Days after which retention deletes sessions; the oldest are a year old. */
const KEPT_DAYS = 350;

const LIST = 'terminal/commands/?limit=15';
type Known = { readonly random: Random; readonly sessions: readonly string[] };
const WEEK = 7 * 86_400_000;
const LISTS: readonly (readonly [string, (known: Known) => string])[] = [
  ['first page', () => LIST],
  ['any page up to 10,000', ({ random }) => `${LIST}&offset=${random.below(667) * 15}`],
  [
    'last seven days',
    ({ random }) =>
      `${LIST}&offset=${random.below(20) * 15}&date_from=${new Date(Date.now() - WEEK).toISOString()}`,
  ],
  ['of one session', ({ random, sessions }) => `${LIST}&session_id=${random.of(sessions)}`],
  ['search of a common word', ({ random }) => `${LIST}&search=${random.of(['tail', 'systemctl'])}`],
  [
    'search of an identifier',
    ({ random }) => `${LIST}&search=cart-${random.below(65_536).toString(16).padStart(4, '0')}`,
  ],
  ['search of nothing that exists', ({ random }) => `${LIST}&search=nowhere${random.below(1_000)}`],
];

/** Lists and searches of the commands of a year, and their retention. */
export async function commands(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
  const { db } = database;
  let client: Client | undefined;
  try {
    const began = performance.now();
    await addCommands(db, SIZES);
    world.say(`  commands: ${Math.round(performance.now() - began)} ms`);
    const { rows } = await sql<{ session: string }>`
      select session from command tablesample system (0.1) repeatable (1) limit 200`.execute(db);
    const known = { random: new Random(11), sessions: rows.map(({ session }) => session) };
    client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    const figures: Figure[] = [];
    for (const [name, path] of LISTS)
      figures.push(...latency(`Commands, ${name}`, await ask(client, () => path(known)), BUDGET));
    return [...figures, ...(await sizes(db)), ...(await retention(db))];
  } finally {
    client?.close();
    await database.close();
  }
}

async function ask(client: Client, path: () => string): Promise<number[]> {
  const samples: number[] = [];
  const began = performance.now();
  for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
    const { milliseconds } = await client.timed(path(), [200, 503]);
    if (turn >= 0) samples.push(milliseconds);
    if (samples.length > 0 && performance.now() - began > LONGEST_MILLISECONDS) break;
  }
  return samples;
}

async function sizes(db: Db): Promise<Figure[]> {
  const { rows } = await sql<{ rows: number; indexes: number; amount: number }>`
    select pg_table_size('command')::float8 as rows, pg_indexes_size('command')::float8 as indexes,
      (select reltuples::float8 from pg_class where oid = 'command'::regclass) as amount`.execute(
    db,
  );
  const { rows: table = 0, indexes = 0, amount = 0 } = rows[0] ?? {};
  return [
    {
      name: 'Table of the commands',
      value: table / MIB,
      unit: 'MiB',
      note: `${amount} rows, estimated`,
    },
    { name: 'Indexes of the commands', value: indexes / MIB, unit: 'MiB' },
  ];
}

/** Deletes the oldest sessions as the nightly job does, and rolls back: others use the data. */
async function retention(db: Db): Promise<Figure[]> {
  const tx = await db.begin();
  try {
    // Ten million rows are counted in more than a minute on a busy machine.
    await sql`set local statement_timeout = 0`.execute(tx);
    const count = () => sql<{ n: number }>`select count(*)::int as n from command`.execute(tx);
    const { rows: before } = await count();
    const began = performance.now();
    const sessions = await removeFinishedSessions(tx, KEPT_DAYS);
    const seconds = (performance.now() - began) / 1_000;
    const { rows: after } = await count();
    const gone = (before[0]?.n ?? 0) - (after[0]?.n ?? 0);
    const note = `${sessions} sessions with ${gone} commands, rolled back`;
    return [{ name: 'Retention of the oldest days', value: seconds, unit: 's', note }];
  } finally {
    await tx.rollback();
  }
}
