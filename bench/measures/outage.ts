import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { until } from '../../server/src/testing/poll.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import type { Worker } from '../lib/outage-clients.ts';
import { startOutageWorld } from '../lib/outage-world.ts';
import type { World } from '../lib/world.ts';

/** Before and after the database is away. */
const AROUND_MS = 5_000;
const PAUSE_MS = 1_000;
const SETTLED_MS = 60_000;
/** Reasons of sessions that their users have ended. */
const TRUE_REASONS = ['session_finished', 'connect_target_closed'];

interface Drill {
  readonly seconds: number;
  /** A second server of the installation keeps its connection to the database. */
  readonly hasOtherServer: boolean;
}
const DRILLS: readonly Drill[] = [
  { seconds: 10, hasOtherServer: false },
  { seconds: 60, hasOtherServer: false },
  { seconds: 75, hasOtherServer: true },
];

/** Sessions while the database is away: 10 and 60 s, and 75 s for one of two servers. */
export async function outage(world: World): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const drill of DRILLS)
    if (world.stage === '' || world.stage === String(drill.seconds))
      figures.push(...(await run(world, drill)));
  return figures;
}

async function run(world: World, { seconds, hasOtherServer }: Drill): Promise<Figure[]> {
  const { workers, proxy, direct, stop } = await startOutageWorld(world, hasOtherServer);
  try {
    const situation = hasOtherServer
      ? `one of two servers without the database for ${seconds} s`
      : `database away for ${seconds} s`;
    world.say(`  ${workers.length} clients work; ${situation}`);
    const working = workUntil(performance.now() + 2 * AROUND_MS + seconds * 1000, workers);
    await sleep(AROUND_MS);
    proxy.cut();
    await sleep(seconds * 1000);
    proxy.restore();
    const { times, failures } = await working;
    const lost = workers.filter(({ isOpen }) => !isOpen).length;
    for (const failure of failures) world.say(`  ${failure}`);
    for (const worker of workers) await worker.close();

    const live = () => count(direct, 'select count(*) from session where not is_finished');
    await until(async () => (await live()) === 0, 'no row is open', SETTLED_MS).catch(
      () => undefined,
    );
    const answered = workers.flatMap((worker) => worker.answered);
    const missing = await missingOf(direct, answered);
    for (const text of missing.slice(0, 5)) world.say(`  missing: ${text}`);
    const none = (name: string, value: number, note?: string): Figure => ({
      name: `${name}, ${situation}`,
      value,
      unit: '',
      budget: atMost(0),
      ...(note !== undefined && { note }),
    });
    return [
      none('Sessions lost', lost, `of ${workers.length}`),
      none(
        'Commands, statements and uploads missing',
        missing.length,
        `of ${answered.length} that were answered`,
      ),
      none('Rows left open', await live()),
      none('Sessions with a false reason', await countFalseReasons(world, direct)),
      {
        name: `Answer of a command or statement, p95, ${situation}`,
        value: percentile(times, 0.95),
        unit: 'ms',
      },
    ];
  } finally {
    await stop();
  }
}

/** Lets every client work until `end`, with a pause after each command. */
async function workUntil(end: number, workers: readonly Worker[]) {
  const times: number[] = [];
  const failures = new Set<string>();
  await Promise.all(
    workers.map(async (worker) => {
      for (let number = 1; performance.now() < end && worker.isOpen; number++) {
        const began = performance.now();
        await worker
          .work(number)
          .catch((error: unknown) =>
            failures.add(error instanceof Error ? error.message : String(error)),
          );
        times.push(performance.now() - began);
        await sleep(PAUSE_MS);
      }
    }),
  );
  return { times, failures };
}

const count = async (direct: pg.Client, text: string) =>
  Number((await direct.query<{ count: string }>(text)).rows[0]?.count);

/** Answered commands and uploads that the logs do not have. */
async function missingOf(direct: pg.Client, answered: readonly string[]): Promise<string[]> {
  const column = async (text: string) =>
    (await direct.query<{ value: string }>(text)).rows.map(({ value }) => value);
  const commands = new Set(await column('select input as value from command'));
  const files = new Set(
    (await column("select filename as value from ftp_log where operate = 'Upload'")).map((path) =>
      path.split('/').at(-1),
    ),
  );
  return answered.filter((text) =>
    text.startsWith('/') ? !files.has(text.split('/').at(-1)) : !commands.has(text),
  );
}

async function countFalseReasons(world: World, direct: pg.Client): Promise<number> {
  const { rows } = await direct.query<{ end_reason: string; count: string }>(
    'select end_reason, count(*) from session where end_reason <> all ($1::text[]) group by 1',
    [TRUE_REASONS],
  );
  for (const row of rows) world.say(`  ended with ${row.end_reason}: ${row.count}`);
  return rows.reduce((sum, row) => sum + Number(row.count), 0);
}
