import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Config, StartError } from '../config.ts';
import { ensureServerId, holderOf } from '../features/servers/index.ts';
import type { Core } from '../module.ts';
import { openBus } from '../platform/bus/bus.ts';
import {
  CLOCKS_APART_MILLISECONDS,
  databaseClock,
  READ_CLOCK_MILLISECONDS,
} from '../platform/clock.ts';
import { openDataKeys } from '../platform/crypto/data-keys.ts';
import { followDataKeys } from '../platform/crypto/follow-data-keys.ts';
import { type Database, type Db, isSuperuser, openDatabase } from '../platform/db/database.ts';
import { type EmbeddedDatabase, embeddedUrl } from '../platform/db/embedded.ts';
import { migrate } from '../platform/db/migrate.ts';
import { assertNotMoved } from '../platform/db/moved.ts';
import { isTemporary, openClient } from '../platform/db/open-client.ts';
import { openStandby } from '../platform/db/standby.ts';
import { createJobs } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { openLocalRecordings } from '../platform/storage/local-storage.ts';
import type { Collected } from './create-modules.ts';
import type { OpenedFolder } from './open-folder.ts';

const RETRY_MS = 1_000;
/** Interval between log lines. */
const REPORT_MS = 10_000;
const EXAMPLE = "SALLYPORT_DATABASE_URL='postgresql://sallyport:secret@db.example.com/sallyport'";

/**
 * Waits until an external database answers, at most `seconds`: after a power failure it may come
 * up later than this server. Logs the reason at once and every ten seconds.
 *
 * @throws StartError with the reason
 */
async function waitForDatabase(url: string, seconds: number, log: Logger): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  let nextReport = 0;
  for (;;) {
    try {
      const client = await openClient(url, { application_name: 'sallyport start' });
      await client.end();
      return;
    } catch (error) {
      const reason = error instanceof Error ? error.message || error.name : String(error);
      const canRetry = isTemporary(error);
      const now = performance.now();
      if (!canRetry || now >= until)
        throw new StartError(
          `The database at SALLYPORT_DATABASE_URL does not answer: ${reason}. Example: ${EXAMPLE}`,
          canRetry,
        );
      if (now >= nextReport) {
        nextReport = now + REPORT_MS;
        const left = Math.ceil((until - now) / 1_000);
        log.warn({ reason, seconds: left }, 'waiting for the database');
      }
    }
    await sleep(RETRY_MS);
  }
}

/** Reads the clock of the database now and then. Returns a function that stops it. */
async function followDatabaseClock(pool: pg.Pool, log: Logger): Promise<() => void> {
  let isReported = false;
  const read = async () => {
    await databaseClock.read(pool).catch(() => undefined);
    const ahead = databaseClock.ahead ?? 0;
    const isApart = Math.abs(ahead) > CLOCKS_APART_MILLISECONDS;
    const seconds = Math.round(ahead / 1_000);
    if (isApart && !isReported)
      log.warn({ seconds }, 'the clocks of this server and the database differ: run NTP on both');
    if (!isApart && isReported) log.info({}, 'the clocks of this server and the database agree');
    isReported = isApart;
  };
  await read();
  const timer = setInterval(() => void read(), READ_CLOCK_MILLISECONDS).unref();
  return () => clearInterval(timer);
}

/** Opens the standby for reads; without one, the primary serves them. */
function openReplica(
  config: Config,
  primary: Db,
  log: Logger,
): { db: Db; isUsed: Core['isReplicaUsed']; close: () => Promise<void> } {
  const { databaseReadUrl: url, databaseReadLagSeconds: lagSeconds } = config;
  if (url === undefined)
    return {
      db: primary,
      isUsed: () => undefined,
      close: async () => undefined,
    };
  return openStandby({ url, poolSize: config.databasePoolSize, lagSeconds, primary, log });
}

/** The services of all modules, and those of the program alone. */
export interface OpenedCore {
  readonly core: Omit<Core, Collected>;
  readonly database: Database;
  /** Address of the database. */
  readonly databaseUrl: string;
  /** Settles when the embedded database dies. */
  readonly lost: EmbeddedDatabase['lost'] | undefined;
  readonly beginToStop: () => void;
}

/** Opens database, bus and recordings of a data folder. @throws StartError */
export async function openCore(
  config: Config,
  log: Logger,
  folder: OpenedFolder,
): Promise<OpenedCore> {
  const { undo } = folder;
  const embedded = await folder.embedded;
  const url = config.databaseUrl ?? embedded?.url ?? embeddedUrl(config.dataDirectory);
  const database = openDatabase(url, config.databasePoolSize);
  undo.add(() => database.close());
  if (!embedded) {
    await waitForDatabase(url, config.databaseWaitSeconds, log);
    if (await isSuperuser(database.pool))
      log.warn(
        'the role of SALLYPORT_DATABASE_URL is a superuser of PostgreSQL: give Sallyport a role without that right, which owns its database',
      );
  }
  await assertNotMoved(database.pool);
  const applied = await migrate(database.pool);
  if (applied.length > 0)
    log.info(
      { migrations: applied.length, newest: applied.at(-1) },
      'the database was brought up to date',
    );
  // Before the seals of the logs: with another key they look like forged ones.
  const keys = await openDataKeys(database.db, config, { canCreate: true });
  const { vault } = keys;
  const bus = await openBus(url, database.pool, log);
  undo.add(() => bus.close());
  await ensureServerId(database.db, config);
  const server = holderOf(config);
  undo.add(await followDataKeys(keys, { db: database.db, bus, log, server }));
  const jobs = createJobs({ pool: database.pool, db: database.db, bus, vault, log });
  const recordings = await openLocalRecordings(
    join(config.dataDirectory, 'recordings'),
    vault.files,
  );
  undo.add(await followDatabaseClock(database.pool, log));
  const replica = openReplica(config, database.db, log);
  undo.add(replica.close);
  const stopping = new AbortController();
  return {
    core: {
      config,
      log,
      db: database.db,
      pool: database.pool,
      replica: replica.db,
      isReplicaUsed: replica.isUsed,
      bus,
      vault,
      jobs,
      recordings,
      applied,
      stopping: stopping.signal,
    },
    database,
    databaseUrl: url,
    lost: embedded?.lost,
    beginToStop: () => stopping.abort(),
  };
}
