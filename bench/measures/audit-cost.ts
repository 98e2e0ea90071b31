import type { Db } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import { startServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

const ROUNDS = 24;
const CHANGES = 50;

/**
 * The same change with and without its entry in the operate log, alternating, so that other load on
 * the machine affects both.
 */
export async function auditCost(world: World): Promise<Figure[]> {
  const server = await startServer(world.folder(), ADMIN_PASSWORD);
  const database = openRunning(server.dataDirectory);
  try {
    const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    const { id } = await client.post<{ id: string }>('assets/labels/', {
      name: 'bench',
      value: 'audit',
    });
    await forgetEntries(database.db);
    const written: number[] = [];
    const unwritten: number[] = [];
    await change(client, id, -1, []);
    for (let round = 0; round < ROUNDS; round++) {
      const isWritten = round % 2 === 0;
      await sql
        .raw(`alter table operate_log ${isWritten ? 'disable' : 'enable'} trigger a_bench_forgets`)
        .execute(database.db);
      await change(client, id, round, isWritten ? written : unwritten);
    }
    client.close();
    await assertWritten(database.db, (ROUNDS / 2) * CHANGES);
    const [withEntry, without] = [percentile(written, 0.5), percentile(unwritten, 0.5)];
    return [
      { name: 'Change of a label with its entry, p50', value: withEntry, unit: 'ms' },
      {
        name: 'Change of a label without an entry, p50',
        value: without,
        unit: 'ms',
        note: 'the database drops the entry before it is numbered, digested and stored',
      },
      {
        name: 'Cost of the entry',
        value: (100 * (withEntry - without)) / without,
        unit: '%',
        budget: atMost(10),
        note: `${ROUNDS * CHANGES} changes over HTTP`,
      },
    ];
  } finally {
    await database.close();
    await server.stop();
  }
}

/** Prepares dropping entries: a trigger that comes before the one that continues the chain. */
async function forgetEntries(db: Db): Promise<void> {
  await sql`create function bench_forgets() returns trigger language plpgsql as $$ begin return null; end $$`.execute(
    db,
  );
  await sql`create trigger a_bench_forgets before insert on operate_log for each row execute function bench_forgets()`.execute(
    db,
  );
}

async function change(client: Client, id: string, round: number, samples: number[]): Promise<void> {
  for (let turn = 0; turn < CHANGES; turn++) {
    const began = performance.now();
    await client.patch(`assets/labels/${id}/`, { comment: `round ${round}, turn ${turn}` });
    samples.push(performance.now() - began);
  }
}

async function assertWritten(db: Db, least: number): Promise<void> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from operate_log where resource_type = 'label'`.execute(db);
  const count = rows[0]?.count ?? 0;
  if (count < least || count >= 2 * least)
    throw new Error(`${count} entries were written instead of ${least} and a few`);
}
