import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateSshKeyPair, ssh2 } from '@sallyport/ssh';
import pg from 'pg';
import { embeddedUrl } from '../../server/src/platform/db/embedded.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atLeast, atMost, type Budget, type Figure, percentile } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import { type LightTarget, startLightTarget } from '../lib/light-target.ts';
import { databaseSeconds, processorSeconds } from '../lib/processor.ts';
import { type BenchServer, startServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

/** Openings of one batch, and how many of them count the statements. */
const OPENINGS = 240;
const COUNTED = 40;
const BATCHES = 3;
const WARM_UP = 40;
/** More than the burst of an address. All come from one address within a few seconds. */
const WITH_RIGHT_KEY = 400;

/** A batch of openings. */
interface Batch {
  readonly perSecond: number;
  /** CPU milliseconds of one opening. */
  readonly node: number;
  readonly database: number;
}

/** A server of one version, and the batches that it has opened. */
interface Version {
  readonly name: string;
  readonly server: BenchServer;
  readonly open: () => Promise<void>;
  readonly batches: ReadonlyMap<number, Batch[]>;
}

/**
 * Connections with a key that run `true` and end, from one address and without `sshd`. An earlier
 * version (`--before`) opens the same sessions in turn.
 */
export async function openings(world: World): Promise<Figure[]> {
  const target = await startLightTarget();
  const versions: Version[] = [];
  try {
    const now = await startVersion(world, 'Openings', target);
    versions.push(now);
    if (world.before)
      versions.push(await startVersion(world, 'Openings before', target, world.before));
    for (let turn = 0; turn < BATCHES; turn++)
      for (const { server, open, batches } of versions)
        for (const [atOnce, into] of batches) into.push(await batch(server, open, atOnce));
    const statements = await countStatements(now.server, now.open);
    const refused = await together(
      () =>
        now.open().then(
          () => 0,
          () => 1,
        ),
      WITH_RIGHT_KEY,
      8,
    );
    return [
      ...versions.flatMap(({ name, batches }) =>
        [...batches].flatMap(([atOnce, taken]) => figuresOf(name, atOnce, taken)),
      ),
      ...versions.slice(1).flatMap((before) => ratiosOf(now, before)),
      {
        name: 'SQL statements of an opening and its end',
        value: statements,
        unit: 'statements',
        budget: atMost(8),
        note: 'those of an idle server subtracted',
      },
      {
        name: `Refused of ${WITH_RIGHT_KEY} openings with a right key from one address`,
        value: refused.reduce((sum, one) => sum + one, 0),
        unit: '',
        budget: atMost(0),
      },
    ];
  } finally {
    for (const { server } of versions) await server.stop();
    await target.stop();
  }
}

async function startVersion(
  world: World,
  name: string,
  target: LightTarget,
  root?: string,
): Promise<Version> {
  const server = await startServer(world.folder(), ADMIN_PASSWORD, {
    sshPort: await freePort(),
    ...(root && { root }),
    // Sampling the event loop a hundred times a second costs CPU that belongs to no opening.
    environment: { SALLYPORT_TEST_LOOP_DELAY: '' },
  });
  const privateKey = await prepareOpenings(server, target);
  let opened = 0;
  // Earlier versions limit the connections of one address.
  const address = () => (root ? `127.0.1.${1 + (opened++ % 200)}` : '127.0.0.1');
  const open = () => openAndRun({ port: server.sshPort, privateKey, address: address() });
  await together(open, WARM_UP, 4);
  return { name, server, open, batches: new Map([1, 8].map((atOnce) => [atOnce, []])) };
}

const medianOf = (taken: readonly Batch[], of: (one: Batch) => number) =>
  percentile(taken.map(of), 0.5);
const wholeCost = (one: Batch) => one.node + one.database;

function figuresOf(name: string, atOnce: number, taken: readonly Batch[]): Figure[] {
  const what = `${name}, ${atOnce} at once`;
  // The budgets are for this version.
  const budgeted = (budget: Budget) => (name === 'Openings' ? { budget } : {});
  return [
    {
      name: what,
      value: medianOf(taken, (one) => one.perSecond),
      unit: '/s',
      ...budgeted(atLeast(atOnce === 1 ? 45 : 120)),
      note: `key, command and end; median of ${BATCHES} batches of ${OPENINGS}`,
    },
    { name: `${what}, CPU of Node`, value: medianOf(taken, (one) => one.node), unit: 'ms' },
    {
      name: `${what}, CPU of PostgreSQL`,
      value: medianOf(taken, (one) => one.database),
      unit: 'ms',
    },
    {
      name: `${what}, CPU`,
      value: medianOf(taken, wholeCost),
      unit: 'ms',
      ...budgeted(atMost(8)),
    },
  ];
}

function ratiosOf(now: Version, before: Version): Figure[] {
  return [...now.batches].map(([atOnce, taken]) => ({
    name: `Openings, ${atOnce} at once, CPU to that before`,
    value:
      (medianOf(taken, wholeCost) / medianOf(before.batches.get(atOnce) ?? [], wholeCost)) * 100,
    unit: '%',
  }));
}

/** Creates target, account and permission for the administrator; returns their key. */
export async function prepareOpenings(
  server: BenchServer,
  target: { readonly port: number; readonly username: string; readonly privateKey: string },
): Promise<string> {
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const asset = await make('assets/assets/', {
    hostname: 'target',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${target.port}`],
  });
  const account = await make('assets/system-users/', {
    name: 'target',
    username: target.username,
    private_key: target.privateKey,
    auto_push: false,
  });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  await make('perms/asset-permissions/', {
    name: 'target',
    users: [me],
    assets: [asset],
    system_users: [account],
  });
  const key = generateSshKeyPair('bench');
  await client.put('users/profile/public-key/', {
    public_key: key.public,
    password: ADMIN_PASSWORD,
  });
  client.close();
  return key.private;
}

/** Connects, runs a command and disconnects. @throws Error when the connection is refused */
export function openAndRun({
  port,
  privateKey,
  address = '127.0.0.1',
}: {
  readonly port: number;
  readonly privateKey: string;
  /** Address of the client. */
  readonly address?: string;
}): Promise<void> {
  const client = new ssh2.Client();
  return new Promise((done, fail) => {
    let code: unknown;
    client.once('error', fail);
    client.once('close', () => (code === 0 ? done() : fail(new Error(`exit code ${code}`))));
    client.once('ready', () =>
      client.exec('true', (error, channel) => {
        if (error) return fail(error);
        channel.on('exit', (status: unknown) => {
          code = status;
        });
        channel.once('close', () => client.end());
        return channel.resume();
      }),
    );
    client.connect({
      sock: connect({ host: '127.0.0.1', localAddress: address, port, noDelay: true }),
      username: 'admin@target@target',
      algorithms: { kex: ['curve25519-sha256'] },
      privateKey,
    });
  });
}

/** Runs `work` `count` times, `atOnce` at the same time. */
export async function together<T>(
  work: () => Promise<T>,
  count: number,
  atOnce: number,
): Promise<T[]> {
  const results: T[] = [];
  let left = count;
  const one = async () => {
    while (left-- > 0) results.push(await work());
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return results;
}

async function batch(
  server: BenchServer,
  open: () => Promise<void>,
  atOnce: number,
): Promise<Batch> {
  const before = [processorSeconds(server.pid), databaseSeconds(server.dataDirectory)] as const;
  const began = performance.now();
  await together(open, OPENINGS, atOnce);
  const seconds = (performance.now() - began) / 1000;
  // The cost includes the end of the last sessions.
  await sleep(1000);
  const each = (after: number, from: number) => ((after - from) / OPENINGS) * 1000;
  return {
    perSecond: OPENINGS / seconds,
    node: each(processorSeconds(server.pid), before[0]),
    database: each(databaseSeconds(server.dataDirectory), before[1]),
  };
}

/** Counts the statements in PostgreSQL's log for one opening; subtracts those of an idle server. */
async function countStatements(server: BenchServer, open: () => Promise<void>): Promise<number> {
  const setup = new pg.Client({ connectionString: embeddedUrl(server.dataDirectory, 'setup') });
  await setup.connect();
  const logged = async (value: 'all' | 'none') => {
    await setup.query(`alter system set log_statement = '${value}'`);
    await setup.query('select pg_reload_conf()');
    await sleep(500);
  };
  const count = () =>
    readFileSync(join(server.dataDirectory, 'postgres.log'), 'utf8').match(
      /LOG: {2}(statement|execute)/g,
    )?.length ?? 0;
  try {
    await logged('all');
    const during = async (work: () => Promise<unknown>) => {
      const [before, began] = [count(), performance.now()];
      await work();
      await sleep(1500);
      return { amount: count() - before, milliseconds: performance.now() - began };
    };
    const idle = await during(() => sleep(5000));
    const busy = await during(() => together(open, COUNTED, 1));
    return (busy.amount - (idle.amount / idle.milliseconds) * busy.milliseconds) / COUNTED;
  } finally {
    await logged('none');
    await setup.end();
  }
}
