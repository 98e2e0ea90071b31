import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Core } from '../module.ts';
import { openBus } from '../platform/bus/bus.ts';
import { type Database, isSuperuser, openDatabase } from '../platform/db/database.ts';
import type { EmbeddedDatabase } from '../platform/db/embedded.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createJobs } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { openLocalRecordings } from '../platform/storage/local-recordings.ts';
import type { OpenedFolder } from './open-folder.ts';
import { waitForDatabase } from './wait-for-database.ts';

/** The services of all modules, and those of the program alone. */
export interface OpenedCore {
  readonly core: Core;
  readonly database: Database;
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
  const { vault, undo } = folder;
  const embedded = await folder.embedded;
  const url = config.databaseUrl ?? embedded?.url ?? '';
  const database = openDatabase(url, config.databasePoolSize);
  undo.add(() => database.close());
  if (!embedded) {
    await waitForDatabase(database.pool, config.databaseWaitSeconds, log);
    if (await isSuperuser(database.pool))
      log.warn(
        'the role of SALLYPORT_DATABASE_URL is a superuser of PostgreSQL: give Sallyport a role without that right, which owns its database',
      );
  }
  const applied = await migrate(database.pool);
  if (applied.length > 0)
    log.info(
      { migrations: applied.length, newest: applied.at(-1) },
      'the database was brought up to date',
    );
  const bus = await openBus(url, database.pool, log);
  undo.add(() => bus.close());
  const jobs = createJobs({ pool: database.pool, db: database.db, bus, vault, log });
  const recordings = await openLocalRecordings(join(config.dataDirectory, 'recordings'));
  const stopping = new AbortController();
  return {
    core: {
      config,
      log,
      db: database.db,
      pool: database.pool,
      bus,
      vault,
      jobs,
      recordings,
      applied,
      stopping: stopping.signal,
    },
    database,
    lost: embedded?.lost,
    beginToStop: () => stopping.abort(),
  };
}
