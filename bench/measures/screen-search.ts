import type { ScreenMatches } from '@sallyport/contract';
import { sql } from '../../server/src/platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../server/src/testing/builders.ts';
import { addScreens, PHRASES } from '../generate/screens.ts';
import { ADMIN_PASSWORD, SIZES } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import type { World } from '../lib/world.ts';

const REQUESTS = 30;
const WARM_UP = 2;
const LONGEST_MILLISECONDS = 15_000;
const BUDGET = atMost(300);
const MIB = 1024 * 1024;

const SEARCHES: readonly (readonly [string, string])[] = [
  ...Object.entries(PHRASES).map(([where, { text }]) => [where, text] as const),
  ['in no session, of common words', 'denied permission in production'],
  ['in no session', 'nowhere to be seen'],
];

/**
 * Search of screens by an auditor of the default organization, and by one of an organization with
 * one of a hundred sessions. The sizes are those of the tables.
 */
export async function screenSearch(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
  const { db } = database;
  const clients: Client[] = [];
  try {
    // The job deletes text that the setting does not allow.
    const admin = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    clients.push(admin);
    await admin.patch('settings/setting/', { terminal: { TERMINAL_RECORDING_INDEX: 'all' } });
    const began = performance.now();
    const known = await sql<{ is_full: boolean }>`
      select count(*) >= ${SIZES.screens}::bigint as is_full from screen_index`.execute(db);
    if (!known.rows[0]?.is_full) {
      await addScreens(db, SIZES.screens);
      world.say(`  screens of ${SIZES.screens}: ${Math.round(performance.now() - began)} ms`);
    }
    const organization = await buildOrganization(db);
    await sql`update session set org_id = ${organization} where id in (
      select session from screen_text where hashtext(session::text) % 100 = 0)`.execute(db);
    const whole = await buildUser(db, { role: 'Auditor' });
    const auditor = await buildUser(db, { memberOf: [{ organization, role: 'Auditor' }] });
    const figures: Figure[] = [];
    for (const [who, { username, password }, of] of [
      ['auditor of all', whole, ''],
      ['auditor of few', auditor, organization],
    ] as const) {
      const client = await signIn(server.url, username, password, of);
      clients.push(client);
      for (const [where, phrase] of SEARCHES)
        figures.push(...(await ask(client, `Phrase ${where}, ${who}`, phrase)));
    }
    return [...figures, ...(await sizes(db))];
  } finally {
    for (const client of clients) client.close();
    await database.close();
  }
}

async function ask(client: Client, name: string, phrase: string): Promise<Figure[]> {
  const samples: number[] = [];
  let matches = 0;
  const began = performance.now();
  for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
    const { milliseconds, text } = await client.timed(
      `terminal/screen-search/?q=${encodeURIComponent(phrase)}`,
      [200, 503],
    );
    matches = (JSON.parse(text) as Partial<ScreenMatches>).matches?.length ?? -1;
    if (turn >= 0) samples.push(milliseconds);
    if (samples.length > 0 && performance.now() - began > LONGEST_MILLISECONDS) break;
  }
  return latency(name, samples, BUDGET, `${matches} matches`);
}

async function sizes(db: Parameters<typeof addScreens>[0]): Promise<Figure[]> {
  const { rows } = await sql<{ text: number; indexes: number; letters: number }>`
    select pg_table_size('screen_text') as text, pg_indexes_size('screen_text') as indexes,
      (select sum(octet_length(text)) from screen_text) as letters`.execute(db);
  const { text = 0, indexes = 0, letters = 0 } = rows[0] ?? {};
  return [
    { name: 'Text on the screens', value: Number(letters) / MIB, unit: 'MiB' },
    { name: 'Table of the text', value: Number(text) / MIB, unit: 'MiB' },
    { name: 'Indexes of the text', value: Number(indexes) / MIB, unit: 'MiB' },
  ];
}
