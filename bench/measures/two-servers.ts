import { setTimeout as sleep } from 'node:timers/promises';
import { beginSignIn } from '../../server/src/features/identity/sign-in-sessions/store.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { buildUser } from '../../server/src/testing/builders.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { BenchPerson, type Kept } from '../lib/person.ts';
import { Random } from '../lib/random.ts';
import { startTwoServers, type TwoServers } from '../lib/two-servers.ts';
import type { World } from '../lib/world.ts';

const PEOPLE = 200;
const SECONDS = 600;
const SHORT_SECONDS = 60;
/** Terminals that are opened at the same time before the time begins. */
const ARRIVING = 8;
/** A recording is durable a second after its bytes were shown. */
const DURABLE_MS = 1000;
const INTERRUPTED_SECONDS = 180;
const RECOVERED_MS = 120_000;

/**
 * 200 people with terminals and pages on two servers for ten minutes, of which one is killed
 * halfway; `--stage short` takes one minute.
 */
export async function twoServers(world: World): Promise<Figure[]> {
  const seconds = world.stage === 'short' ? SHORT_SECONDS : SECONDS;
  const both = await startTwoServers(world);
  const people = await gather(both);
  try {
    const waiting = [...people];
    const arrive = async () => {
      for (let person = waiting.pop(); person; person = waiting.pop()) await person.open();
    };
    await Promise.all(Array.from({ length: ARRIVING }, arrive));
    const before = await holders(both);
    world.say(
      `  ${people.length} people are in, ${before.lost.size} of their terminals on the server that will be killed`,
    );
    const began = performance.now();
    const end = began + seconds * 1000;
    const working = Promise.all(people.map((person) => person.work(end)));
    await sleep((seconds * 1000) / 2);
    const killed = performance.now();
    await both.one.kill();
    for (const person of people) person.noteKill(killed);
    const interrupted = await interruptedAfter(both, before.lost, killed);
    await working;
    const cut = [...before.kept].filter((session) =>
      people.some((person) => person.lost.has(session)),
    );
    await Promise.all(people.map((person) => person.leave()));
    await both.again();
    const missing = await missingCommands(
      both,
      people.flatMap(({ kept }) => kept),
      killed,
    );
    const unkept = await missingChanges(
      both,
      people.flatMap(({ changes }) => changes),
    );
    const failures = people.flatMap((person) => person.failures);
    for (const failure of new Set(failures)) world.say(`  ${failure}`);
    const times = people.flatMap((person) => person.times);
    const back = people.flatMap((person) => person.reopened);
    return [
      {
        name: 'People who were signed out',
        value: people.filter(({ wasSignedOut }) => wasSignedOut).length,
        unit: '',
        budget: atMost(0),
        note: `${PEOPLE} people for ${seconds} s`,
      },
      {
        name: 'Requests that failed otherwise',
        value: failures.length,
        unit: '',
        budget: atMost(0),
      },
      {
        name: 'Requests that broke off with the killed server, and were sent again',
        value: people.reduce((sum, { repeated }) => sum + repeated, 0),
        unit: '',
      },
      {
        name: 'Terminals of the other server that ended',
        value: cut.length,
        unit: '',
        budget: atMost(0),
        note: `of ${before.kept.size}`,
      },
      {
        name: 'Changes that were confirmed and are missing',
        value: unkept,
        unit: '',
        budget: atMost(0),
        note: `of ${people.reduce((sum, { changes }) => sum + changes.length, 0)}`,
      },
      {
        name: 'Commands that were shown and are in no recording',
        value: missing.lost,
        unit: '',
        budget: atMost(0),
        note: `of ${missing.of}, a second before the kill at the latest`,
      },
      {
        name: 'Recordings that are not complete two minutes after the work',
        value: missing.incomplete,
        unit: '',
        budget: atMost(0),
      },
      {
        name: 'Sessions of the killed server are marked after',
        value: interrupted,
        unit: 's',
        budget: atMost(INTERRUPTED_SECONDS),
      },
      {
        name: 'A new terminal after the kill, p50',
        value: percentile(back, 0.5),
        unit: 'ms',
        note: `${back.length} terminals were opened again`,
      },
      { name: 'A new terminal after the kill, p95', value: percentile(back, 0.95), unit: 'ms' },
      {
        name: 'Page, p50',
        value: percentile(times, 0.5),
        unit: 'ms',
        note: 'through HAProxy; those who ask share the cores with the servers',
      },
      { name: 'Page, p95', value: percentile(times, 0.95), unit: 'ms' },
      { name: 'Memory of the server that stayed', value: both.two.memory(), unit: 'MiB' },
    ];
  } finally {
    await Promise.allSettled(people.map((person) => person.leave()));
    await both.stop();
  }
}

async function gather({
  database: { db },
  admin,
  ids,
  url,
}: TwoServers): Promise<readonly BenchPerson[]> {
  const users = await Promise.all(Array.from({ length: PEOPLE }, () => buildUser(db)));
  await admin.post('perms/asset-permissions/', {
    name: 'everybody',
    users: users.map(({ id }) => id),
    assets: [ids.asset],
    system_users: [ids.system_user],
  });
  return Promise.all(
    users.map(async ({ id }, number) => {
      const { token } = await beginSignIn(db, {
        userId: id,
        kind: 'bearer',
        from: { remoteAddress: '127.0.0.1', userAgent: 'bench' },
        seconds: 36_000,
      });
      return new BenchPerson({ url, token, ids, random: new Random(number + 1) });
    }),
  );
}

/** The open sessions of both servers. */
async function holders({ database: { db } }: TwoServers): Promise<{
  readonly lost: ReadonlySet<string>;
  readonly kept: ReadonlySet<string>;
}> {
  const { rows } = await sql<{
    id: string;
    isLost: boolean;
  }>`select id, holder like ${'%/one'} as "isLost" from session where not is_finished`.execute(db);
  const of = (isLost: boolean) =>
    new Set(rows.filter((row) => row.isLost === isLost).map(({ id }) => id));
  return { lost: of(true), kept: of(false) };
}

/** Seconds until all of the sessions are marked as interrupted. */
async function interruptedAfter(
  { database: { db } }: TwoServers,
  sessions: ReadonlySet<string>,
  killed: number,
): Promise<number> {
  for (;;) {
    const { rows } = await sql<{
      open: number;
    }>`select count(*)::int as open from session where id = any(${[...sessions]}::uuid[]) and not is_finished`.execute(
      db,
    );
    const passed = (performance.now() - killed) / 1000;
    if (rows[0]?.open === 0 || passed > 3 * INTERRUPTED_SECONDS) return passed;
    await sleep(250);
  }
}

async function missingChanges(
  { database: { db } }: TwoServers,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from snippet where id = any(${[...ids]}::uuid[])`.execute(db);
  return ids.length - (rows[0]?.count ?? 0);
}

/** Reads all recordings, also those that the killed server has completed after its return. */
async function missingCommands(
  { database: { db }, admin }: TwoServers,
  kept: readonly Kept[],
  killed: number,
): Promise<{ readonly lost: number; readonly of: number; readonly incomplete: number }> {
  const counted = kept.filter(({ shownAt }) => shownAt > killed || shownAt < killed - DURABLE_MS);
  const end = performance.now() + RECOVERED_MS;
  let incomplete: ReadonlySet<string>;
  for (;;) {
    const { rows } = await sql<{
      id: string;
    }>`select id from session where replay_state = 'recording' or not is_finished`.execute(db);
    incomplete = new Set(rows.map(({ id }) => id));
    // The figures say so; without them a run of ten minutes would end without a verdict.
    if (incomplete.size === 0 || performance.now() > end) break;
    await sleep(250);
  }
  let lost = 0;
  for (const session of new Set(counted.map((one) => one.session))) {
    if (incomplete.has(session)) {
      lost += counted.filter((one) => one.session === session).length;
      continue;
    }
    const { text } = await admin.timed(`terminal/sessions/${session}/replay/download/`);
    const output = outputOf(text);
    lost += counted.filter((one) => one.session === session && !output.includes(one.mark)).length;
  }
  return { lost, of: counted.length, incomplete: incomplete.size };
}

/** Joins the output of a recording: a line of the file may begin in the middle of a word. */
function outputOf(recording: string): string {
  const lines = recording.split('\n').filter((line) => line.startsWith('['));
  return lines
    .flatMap((line) => {
      const [, kind, data] = JSON.parse(line) as [number, string, string];
      return kind === 'o' ? [data] : [];
    })
    .join('');
}
