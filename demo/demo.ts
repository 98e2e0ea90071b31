import { randomPassword } from '../server/src/platform/crypto/password.ts';
import type { Logger } from '../server/src/platform/log.ts';
import type { Program } from '../server/src/program.ts';
import type { Bridge } from './database/bridge.ts';
import {
  CACHE_PLACE,
  lastDatabasePort,
  leadToDatabase,
  SHOP_PLACE,
  STORE_PLACE,
} from './database/fill.ts';
import { startDemoMariadb } from './database/mariadb.ts';
import type { DemoProgram } from './database/program.ts';
import { startDemoRedis } from './database/redis.ts';
import { startDemoDatabase } from './database/start.ts';
import { EMERGENCY_USERNAME, PLAYGROUND_USERNAME } from './estate/fill-accounts.ts';
import { languageOf, speak } from './language.ts';
import { deleteObjects } from './organization/delete-objects.ts';
import { ORGANIZATION_ADMINISTRATOR } from './organization/fill-organization.ts';
import { proposeChanges } from './organization/propose-changes.ts';
import { DEMO_PASSWORD, PEOPLE } from './people/people.ts';
import { fillSampleData } from './sample-data.ts';
import { lastPort, leadToTarget, sampleSystemUser } from './target/place.ts';
import { startTarget } from './target/start.ts';

/** The parts that the demo adds to a running program. */
export interface Demo {
  /** Accounts and passwords to print at the start. */
  readonly lines: readonly string[];
  /**
   * Stops the sandboxed SSH server and the demo databases. Call it after the program has stopped,
   * so that sessions end for the program's reason.
   */
  stop(): Promise<void>;
}

/** Demo databases that run as separate programs, with the packages to install. */
const PROGRAMS = [
  {
    place: CACHE_PLACE,
    name: 'demo-cache (Redis)',
    start: startDemoRedis,
    needs: 'Redis (apt-get install redis-server) for the database demo-cache',
  },
  {
    place: STORE_PLACE,
    name: 'demo-store (MariaDB)',
    start: startDemoMariadb,
    needs: 'MariaDB (apt-get install mariadb-server) for the database demo-store',
  },
] as const;

/**
 * Fills missing sample data, and starts the sandboxed SSH server and a database, also Redis and
 * MariaDB if installed.
 */
export async function fillDemo(
  program: Program,
  dataDirectory: string,
  log: Logger,
): Promise<Demo> {
  const { vault, recordings } = program;
  const { db } = program.database;
  const began = performance.now();
  speak(languageOf(process.env));
  // A new password per start makes the demo's hosts usable even if the stored one is lost.
  const [password, emergencyPassword] = [randomPassword(), randomPassword()];
  const before = await lastPort(db);
  const target = await startTarget({
    dataDirectory,
    port: before,
    accounts: [
      { username: PLAYGROUND_USERNAME, password },
      { username: EMERGENCY_USERNAME, password: emergencyPassword },
    ],
  });
  const databasePassword = randomPassword();
  let database: Bridge | undefined;
  const programs: DemoProgram[] = [];
  const missing: string[] = [];
  const stop = async () => {
    await Promise.all(programs.map((one) => one.stop()));
    await database?.stop();
    await target.stop();
  };
  try {
    const { systemUserId, isNew } = await fillSampleData({
      db,
      vault,
      recordings,
      port: target.port,
    });
    if (isNew) {
      await proposeChanges(program);
      await deleteObjects(program);
      const alerts = program.jobs.definitionOf('raise-alerts');
      if (alerts) await program.jobs.enqueue(alerts, undefined);
      log.info(
        { milliseconds: Math.round(performance.now() - began) },
        'the sample data is filled',
      );
    }
    const ops = await sampleSystemUser(db, EMERGENCY_USERNAME);
    const passwords = new Map([[systemUserId, password]]);
    if (ops) passwords.set(ops, emergencyPassword);
    await leadToTarget(db, vault, { before, port: target.port, passwords });
    database = await startDemoDatabase({
      dataDirectory,
      port: await lastDatabasePort(db, SHOP_PLACE),
      password: databasePassword,
    });
    await leadToDatabase(db, vault, SHOP_PLACE, {
      port: database.port,
      password: databasePassword,
    });
    // These databases are optional.
    for (const { place, start, needs } of PROGRAMS) {
      const last = await lastDatabasePort(db, place);
      const started = await start(dataDirectory, databasePassword, last).catch((error: unknown) => {
        log.warn({ error: String(error) }, `${place.name} of the demo could not be started`);
        return null;
      });
      if (started === undefined) missing.push(needs);
      if (!started) continue;
      programs.push(started);
      await leadToDatabase(db, vault, place, { port: started.port, password: databasePassword });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const names = PEOPLE.filter(({ canSignIn }) => canSignIn).map(({ username }) => username);
  const accounts = [...names, ORGANIZATION_ADMINISTRATOR].join(', ');
  return {
    lines: [
      `Sample accounts: ${accounts}, all with the password ${DEMO_PASSWORD}.`,
      `demo may type in the shell of demo-shell and query ${['demo-shop', ...PROGRAMS.filter(({ needs }) => !missing.includes(needs)).map(({ name }) => name)].join(', ')}; auditor looks at sessions and replays; ${ORGANIZATION_ADMINISTRATOR} administers an organization under change control; admin does everything.`,
      ...missing.map((needs) => `Not installed, so the demo goes without it: ${needs}.`),
    ],
    stop,
  };
}
