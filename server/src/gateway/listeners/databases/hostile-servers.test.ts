import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import { freePort } from '../../../testing/free-port.ts';
import type { HostileDatabase } from '../../../testing/hostile/hostile-server.ts';
import { MYSQL_ATTACKS } from '../../../testing/hostile/mysql.ts';
import { POSTGRESQL_ATTACKS } from '../../../testing/hostile/postgresql.ts';
import { REDIS_ATTACKS } from '../../../testing/hostile/redis.ts';
import {
  type AttackOutcome,
  attackListener,
  attackWorkspace,
} from '../../../testing/hostile/run-attack.ts';

/** Attacks at a time: most wait for a timeout. */
const AT_ONCE = 12;
/** Bytes that one attack may send before its session ends, besides those in network buffers. */
const MAX_TAKEN = 64 * 1024 * 1024;
/** Characters of a message to the browser. */
const MAX_MESSAGE = 1024 * 1024;

type Run = () => Promise<AttackOutcome>;

let world: DatabaseWorld;
const waiting: (() => Promise<void>)[] = [];
const outcomes = new Map<string, Promise<AttackOutcome>>();

/** Queues an attack, which runs as soon as fewer than `AT_ONCE` run. */
function queue(key: string, run: Run): void {
  const { promise, resolve, reject } = Promise.withResolvers<AttackOutcome>();
  // The test of the attack reports it.
  promise.catch(() => undefined);
  outcomes.set(key, promise);
  waiting.push(() => run().then(resolve, reject));
}

const TYPES = [
  ['postgresql', POSTGRESQL_ATTACKS],
  ['mysql', MYSQL_ATTACKS],
  ['redis', REDIS_ATTACKS],
] as const satisfies readonly (readonly [string, readonly HostileDatabase[]])[];

beforeAll(async () => {
  const [postgresqlPort, mysqlPort] = [await freePort(), await freePort()];
  world = await startDatabaseWorld({ postgresqlPort, mysqlPort });
  for (const [type, attacks] of TYPES)
    for (const attack of attacks) {
      queue(`${type} workspace ${attack.name}`, () => attackWorkspace(world, type, attack));
      if (type !== 'redis')
        queue(`${type} listener ${attack.name}`, () => attackListener(world, type, attack));
    }
  const next = async () => {
    for (let run = waiting.shift(); run; run = waiting.shift()) await run();
  };
  for (let at = 0; at < AT_ONCE; at++) void next();
});
afterAll(async () => {
  await Promise.allSettled(outcomes.values());
  await world?.stop();
});

const outcomeOf = (key: string): Promise<AttackOutcome> => {
  const outcome = outcomes.get(key);
  if (!outcome) throw new Error(`no attack ${key}`);
  return outcome;
};

describe.each(TYPES)('%s', (type, attacks) => {
  it.each(attacks)('ends a workspace with $workspace when the server $name', async (attack) => {
    const { reason, taken, longest } = await outcomeOf(`${type} workspace ${attack.name}`);
    expect(reason).toBe(attack.workspace);
    if (!attack.floods) expect(taken).toBeLessThan(MAX_TAKEN);
    expect(longest).toBeLessThan(MAX_MESSAGE);
  });

  if (type !== 'redis')
    it.each(attacks)(
      'ends the session of a client program with $listener when the server $name',
      async (attack) => {
        const { reason, taken } = await outcomeOf(`${type} listener ${attack.name}`);
        expect(reason).toBe(attack.listener);
        if (!attack.floods) expect(taken).toBeLessThan(MAX_TAKEN);
      },
    );
});

it('serves other users during and after all attacks, without a defect in the log', async () => {
  await Promise.allSettled(outcomes.values());
  expect((await world.test.visitor.get('/api/health/')).status).toBe(200);
  expect(world.test.log()).not.toContain('could not be opened');
});
