import { randomPassword } from '../platform/crypto/password.ts';
import type { Logger } from '../platform/log.ts';
import type { Program } from '../program.ts';
import type { Bridge } from './database/bridge.ts';
import { CACHE_PLACE, lastDatabasePort, leadToDatabase, SHOP_PLACE } from './database/fill.ts';
import type { DemoProgram } from './database/program.ts';
import { startDemoRedis } from './database/redis.ts';
import { startDemoDatabase } from './database/start.ts';
import { PLAYGROUND_USERNAME } from './estate/fill-accounts.ts';
import { fillLicense } from './license.ts';
import { DEMO_PASSWORD, PEOPLE } from './people/people.ts';
import { fillSampleData } from './sample-data.ts';
import { lastPort, leadToTarget } from './target/place.ts';
import { startTarget } from './target/start.ts';

/** What the demo added to a program that runs. */
export interface Demo {
  /** Who can sign in with what, to be printed at the start. */
  readonly lines: readonly string[];
  /** Stops the sandboxed SSH server, the way to the demo's database and its Redis; call it after the program has stopped, so that sessions end for the program's reason. */
  stop(): Promise<void>;
}

/** Fills the sample data if it is not there, and starts what can be used: the sandboxed SSH server that the demo's own hosts lead to, a database, and a Redis where it is installed. */
export async function fillDemo(program: Program, dataDirectory: string, log: Logger): Promise<Demo> {
  const { vault, recordings } = program;
  const { db } = program.database;
  const began = performance.now();
  // A new password at every start: even when the stored one is lost, the demo's hosts can be used again.
  const password = randomPassword();
  const before = await lastPort(db);
  const target = await startTarget({ dataDirectory, port: before, username: PLAYGROUND_USERNAME, password });
  const databasePassword = randomPassword();
  let database: Bridge | undefined;
  let cache: DemoProgram | undefined;
  const stop = async () => {
    await cache?.stop();
    await database?.stop();
    await target.stop();
  };
  try {
    const { systemUserId, isNew } = await fillSampleData({ db, vault, recordings, port: target.port });
    if (isNew) await fillLicense(db, dataDirectory);
    if (isNew) log.info({ milliseconds: Math.round(performance.now() - began) }, 'the sample data is filled');
    await leadToTarget(db, vault, { before, port: target.port, systemUserId, password });
    database = await startDemoDatabase({ dataDirectory, port: await lastDatabasePort(db, SHOP_PLACE), password: databasePassword });
    await leadToDatabase(db, vault, SHOP_PLACE, { port: database.port, password: databasePassword });
    // The demo is whole without it: it is there where Redis is installed.
    cache = await startDemoRedis(dataDirectory, databasePassword, await lastDatabasePort(db, CACHE_PLACE)).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the Redis of the demo could not be started');
      return undefined;
    });
    if (cache) await leadToDatabase(db, vault, CACHE_PLACE, { port: cache.port, password: databasePassword });
  } catch (error) {
    await stop();
    throw error;
  }
  const names = PEOPLE.filter(({ canSignIn }) => canSignIn).map(({ username }) => username);
  return {
    lines: [
      `Sample accounts: ${names.join(' and ')}, both with the password ${DEMO_PASSWORD}.`,
      'demo may type in the shell of demo-shell and query the database demo-shop (and the Redis demo-cache where redis-server is installed); auditor looks at sessions and replays; admin does everything.',
    ],
    stop,
  };
}
