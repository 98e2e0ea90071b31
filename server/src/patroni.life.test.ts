import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from './platform/db/database.ts';
import { unique } from './testing/builders.ts';
import type { Client, Json } from './testing/client.ts';
import { type PatroniCluster, startPatroniCluster } from './testing/databases/patroni-cluster.ts';
import { until } from './testing/poll.ts';
import { bearer } from './testing/sign-in.ts';
import { type CanaryWorld, startCanaryWorld } from './testing/terminals/canary-world.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

let cluster: PatroniCluster;
/** Names both nodes; `balanced` names HAProxy. */
let world: CanaryWorld;
let balanced: TestProgram;
let admins: readonly Client[];
beforeAll(async () => {
  cluster = await startPatroniCluster();
  const secretKey = randomBytes(32).toString('hex');
  world = await startCanaryWorld(cluster.url, { secretKey });
  balanced = await startTestProgram({ secretKey, databaseUrl: cluster.proxyUrl });
  admins = [world.admin, await bearer(balanced)];
});
afterAll(async () => {
  await balanced?.stop();
  await world?.stop();
  await cluster?.stop();
});

/** Calls `write` again and again. Stops with the longest time between two successes, in ms. */
function repeat(write: () => Promise<boolean>) {
  let isOver = false;
  let longest = 0;
  let successes = 0;
  const ended = (async () => {
    let last = performance.now();
    while (!isOver) {
      if (await write()) {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
        successes++;
      }
      await sleep(20);
    }
  })();
  return {
    count: () => successes,
    async stop() {
      isOver = true;
      await ended;
      return longest;
    },
  };
}

/** Runs `fault` while people, and a client without Sallyport, write. Returns their gaps in ms. */
async function underLoad(fault: () => Promise<void>) {
  const acknowledged: string[] = [];
  const api = admins.map((admin) =>
    repeat(async () => {
      const name = unique('label');
      const { status } = await admin.post('assets/labels/', { name, value: 'x' });
      if (status === 201) acknowledged.push(name);
      return status === 201;
    }),
  );
  const { pool, close } = openDatabase(cluster.url, 1);
  const bare = repeat(() =>
    pool.query("select set_config('sallyport.bare', txid_current()::text, true)").then(
      () => true,
      () => false,
    ),
  );
  const all = [...api, bare];
  const rounds = async (count: number, what: string) => {
    const from = all.map((one) => one.count());
    await until(() => all.every((one, index) => one.count() >= (from[index] ?? 0) + count), what);
  };
  await rounds(5, 'writes before the fault');
  await fault();
  await rounds(5, 'writes after the fault');
  const [nodes = 0, proxy = 0, client = 0] = await Promise.all(all.map((one) => one.stop()));
  await close();
  const rows = await cluster.query<{ name: string }>(
    'select name from label where name = any($1)',
    [acknowledged],
  );
  return { nodes, proxy, client, lost: acknowledged.length - rows.length };
}

const rounded = (gaps: object) =>
  JSON.stringify(gaps, (_key, value) => (typeof value === 'number' ? Math.round(value) : value));

/** Runs a drill with an open session, which must lose no command. */
async function drill(title: string, fault: () => Promise<void>) {
  const terminal = await world.open();
  await terminal.type('before');
  const gaps = await underLoad(fault);
  await terminal.type('after');
  await terminal.exit();
  const ended = () =>
    cluster.query('select from session_digest where session = $1', [terminal.session]);
  await until(async () => (await ended()).length === 1, 'the digest of the session');
  const commands = await cluster.query<{ input: string }>(
    'select input from command where session = $1 order by sequence',
    [terminal.session],
  );
  expect(commands.map(({ input }) => input)).toEqual(['echo before', 'echo after', 'exit']);
  const { body } = await world.admin.post<Json>('audits/verify/', {});
  expect(body).toMatchObject({ intact: true, sessions: { wrong: 0 } });
  process.stdout.write(`${title}: longest gaps in ms ${rounded(gaps)}\n`);
  expect(gaps.lost).toBe(0);
  return gaps;
}

it('costs a planned switchover no more than a bare client plus a second', async () => {
  const before = await cluster.leader();
  const gaps = await drill('switchover', () => cluster.switchOver());
  expect(await cluster.leader()).not.toBe(before);
  expect(gaps.nodes - gaps.client).toBeLessThan(1_000);
});

it('loses nothing when the machine of the primary dies, which rejoins afterwards', async () => {
  const dead = await cluster.leader();
  await drill('kill -9', async () => {
    await cluster.kill(dead);
    await until(async () => (await cluster.leader()) !== dead, 'another primary', 240_000);
  });
  await cluster.rejoin(dead);
  await drill('switchover to the machine that rejoined', () => cluster.switchOver());
  expect(await cluster.leader()).toBe(dead);
});
