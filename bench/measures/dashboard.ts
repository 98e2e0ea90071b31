import { sql } from '../../server/src/platform/db/sql.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency, percentile } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import type { World } from '../lib/world.ts';

const REQUESTS = 120;
const WARM_UP = 10;
const BUDGET = atMost(50);

/** The first requests of the page, and one for all figures. */
const QUESTIONS: readonly (readonly [string, string])[] = [
  ['Totals of now', 'total_count=1'],
  [
    'Statistics of a week, as the page asks',
    'dates_metrics=1&dates_total_count_users=1&dates_total_count_assets=1&dates_login_times_top10_users=1&dates_login_times_top10_assets=1',
  ],
  ['Latest sessions', 'dates_login_record_top10_sessions=1'],
  ['Everything, a week', 'all=1'],
  ['Everything, a month', 'all=1&monthly=1'],
];

/**
 * `GET index/` in an organization with all sessions, and next to it a query that does not depend on
 * our code, so that runs on different machines compare.
 */
export async function dashboard(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  try {
    // Autovacuum would do the same within a minute.
    for (const table of [
      'session_day',
      'session_day_user',
      'session_day_asset',
      'session_last_user',
      'session_last_asset',
    ])
      await sql`vacuum analyze ${sql.table(table)}`.execute(database.db);
    const fixed: number[] = [];
    for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
      const began = performance.now();
      await sql`select count(*) from generate_series(1, 100000) n where n % 7 = 0`.execute(
        database.db,
      );
      if (turn >= 0) fixed.push(performance.now() - began);
    }
    const figures: Figure[] = [...latency('A fixed query, 100,000 numbers', fixed)];
    for (const [name, query] of QUESTIONS) {
      const samples: number[] = [];
      for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
        const { milliseconds } = await client.timed(`index/?${query}`);
        if (turn >= 0) samples.push(milliseconds);
      }
      figures.push(...latency(name, samples, BUDGET), {
        name: `${name}, to the fixed query`,
        value: percentile(samples, 0.5) / percentile(fixed, 0.5),
        unit: 'times',
      });
    }
    return figures;
  } finally {
    client.close();
    await database.close();
  }
}
