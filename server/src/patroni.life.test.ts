import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from './platform/db/database.ts';
import { unique } from './testing/builders.ts';
import type { Client, Json } from './testing/client.ts';
import { type PatroniCluster, startPatroniCluster } from './testing/databases/patroni-cluster.ts';
import { until } from './testing/poll.ts';
import { bearer } from './testing/sign-in.ts';
import {
  type CanaryTerminal,
  type CanaryWorld,
  startCanaryWorld,
} from './testing/terminals/canary-world.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

/** Longer than Patroni takes to notice a lost primary (`ttl`) and to promote the standby. */
const PATIENCE_MS = 240_000;

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

/** A client without Sallyport that writes. */
function startBareClient(url: string) {
  const { pool, close } = openDatabase(url, 1);
  const writes = repeat(() =>
    pool.query("select set_config('sallyport.bare', txid_current()::text, true)").then(
      () => true,
      () => false,
    ),
  );
  return {
    count: writes.count,
    async stop() {
      const longest = await writes.stop();
      await close();
      return longest;
    },
  };
}

const rounded = (gaps: object) =>
  JSON.stringify(gaps, (_key, value) => (typeof value === 'number' ? Math.round(value) : value));

describe.each([
  ['a synchronous standby', true],
  ['an asynchronous standby', false],
] as const)('a cluster with %s', (title, isSynchronous) => {
  let cluster: PatroniCluster;
  /** Names both nodes; `balanced` names HAProxy. */
  let world: CanaryWorld;
  let balanced: TestProgram;
  let admins: readonly Client[];
  beforeAll(async () => {
    cluster = await startPatroniCluster(isSynchronous);
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

  /** Counts acknowledged changes by their state: missing without a word, missing and listed. */
  async function account(acknowledged: readonly string[]) {
    const [row] = await cluster.query<{ silent: number; listed: number; wrong: number }>(
      `select count(*) filter (where label.id is null and lost.id is null)::int as silent,
        count(*) filter (where label.id is null and lost.id is not null)::int as listed,
        count(*) filter (where label.id is not null and lost.id is not null)::int as wrong
      from unnest($1::uuid[]) one left join label on label.id = one
        left join lost_change lost on lost.resource_id = one::text`,
      [acknowledged],
    );
    return row ?? { silent: -1, listed: -1, wrong: -1 };
  }

  /** Runs `fault` while people, and clients without Sallyport, write. Returns their gaps in ms. */
  async function underLoad(fault: () => Promise<void>) {
    const acknowledged: string[] = [];
    const people = admins.map((admin) =>
      repeat(async () => {
        const name = unique('label');
        const { status, body } = await admin.post<Json>('assets/labels/', { name, value: 'x' });
        if (status === 201) acknowledged.push(String(body.id));
        return status === 201;
      }),
    );
    const all = [...people, startBareClient(cluster.url), startBareClient(cluster.proxyUrl)];
    const rounds = async (count: number, what: string) => {
      const from = all.map((one) => one.count());
      const isDone = () => all.every((one, index) => one.count() >= (from[index] ?? 0) + count);
      await until(isDone, what, PATIENCE_MS);
    };
    await rounds(5, 'writes before the fault');
    await fault();
    await rounds(5, 'writes after the fault');
    const [nodes = 0, proxy = 0, bareNodes = 0, bareProxy = 0] = await Promise.all(
      all.map((one) => one.stop()),
    );
    const isListed = async () => (await account(acknowledged)).silent === 0;
    await until(isListed, 'each acknowledged change exists or is listed as lost', PATIENCE_MS);
    const changes = { acknowledged: acknowledged.length, ...(await account(acknowledged)) };
    return { nodes, bareNodes, proxy, bareProxy, ...changes };
  }

  /** Runs a drill with an open session, which must lose no command. */
  async function drill(name: string, fault: (type: CanaryTerminal['type']) => Promise<void>) {
    // A node that does not follow yet lacks even the tables, and Patroni may promote it.
    await cluster.follows(otherOf(await cluster.leader()));
    const terminal = await world.open();
    const typed: string[] = [];
    const type = async (line: string) => {
      await terminal.type(line);
      typed.push(`echo ${line}`);
    };
    await type('before');
    const result = await underLoad(() => fault(type));
    await type('after');
    await terminal.exit();
    const ended = () =>
      cluster.query('select from session_digest where session = $1', [terminal.session]);
    const isEnded = async () => (await ended()).length === 1;
    await until(isEnded, 'the digest of the session', PATIENCE_MS);
    const commands = await cluster.query<{ input: string }>(
      'select input from command where session = $1 order by sequence',
      [terminal.session],
    );
    expect(commands.map(({ input }) => input)).toEqual([...typed, 'exit']);
    for (const admin of admins) {
      const { body } = await admin.post<Json>('audits/verify/', {});
      expect(body).toMatchObject({ intact: true, sessions: { wrong: 0 } });
    }
    process.stdout.write(`${title}, ${name}: gaps in ms and changes ${rounded(result)}\n`);
    expect(result.wrong).toBe(0);
    if (isSynchronous) expect(result.listed).toBe(0);
    return result;
  }

  const becomesPrimary = (name: string) =>
    until(async () => (await cluster.leader()) === name, `${name} is the primary`, PATIENCE_MS);
  const otherOf = (name: string) => (name === 'db1' ? 'db2' : 'db1');

  it('costs a planned switchover no more than a bare client plus a second', async () => {
    const before = await cluster.leader();
    const gaps = await drill('switchover', () => cluster.switchOver());
    expect(await cluster.leader()).not.toBe(before);
    expect(gaps.nodes - gaps.bareNodes).toBeLessThan(1_000);
    expect(gaps.proxy - gaps.bareProxy).toBeLessThan(1_000);
    await cluster.follows(before);
  });

  it('loses nothing silently when the primary dies, which rejoins afterwards', async () => {
    const dead = await cluster.leader();
    await drill('kill -9', async () => {
      await cluster.kill(dead);
      await becomesPrimary(otherOf(dead));
    });
    await cluster.rejoin(dead);
    await drill('switchover to the node that rejoined', () => cluster.switchOver());
    expect(await cluster.leader()).toBe(dead);
    await cluster.follows(otherOf(dead));
  });

  it('continues when etcd is away until the primary gives up, and comes back', async () => {
    await drill('etcd away', async () => {
      const start = await cluster.stopEtcd();
      const isReadOnly = async () => (await cluster.primaries()).length === 0;
      await until(isReadOnly, 'Patroni demotes the primary', PATIENCE_MS);
      await start();
      await cluster.leader();
    });
    await cluster.follows(otherOf(await cluster.leader()));
  });

  it('loses nothing silently when the primary dies and its standby is 30 s behind', async () => {
    const dead = await cluster.leader();
    const { acknowledged, listed } = await drill('kill -9, standby 30 s behind', async (type) => {
      const heal = await cluster.delayStandby(30);
      await type('behind');
      await cluster.kill(dead);
      await becomesPrimary(otherOf(dead));
      await heal();
    });
    if (!isSynchronous) expect(listed).toBeGreaterThan(acknowledged / 2);
    await cluster.rejoin(dead);
  });

  it.each(['all', 'cluster'] as const)('outlives a primary cut off from %s', async (from) => {
    const cut = await cluster.leader();
    await drill(`partition of the primary from ${from}`, async () => {
      const heal = cluster.partition(cut, from);
      await becomesPrimary(otherOf(cut));
      await heal();
    });
    await cluster.follows(cut);
  });
});
