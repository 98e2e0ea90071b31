import { accessSync, constants, mkdirSync } from 'node:fs';
import { type Config, StartError } from '../config.ts';
import { hasSecretKey, readMasterKeys } from '../platform/crypto/master-key.ts';
import { type EmbeddedDatabase, launchEmbedded, runningDatabase } from '../platform/db/embedded.ts';
import type { Logger } from '../platform/log.ts';
import { claimFolder } from '../platform/process/folder-lock.ts';
import { createUndo, type Lifetime, type Undo } from './lifetime.ts';
import { assertPortsAreFree } from './listen.ts';

/** A claimed data folder with the starting embedded PostgreSQL. */
export interface OpenedFolder {
  /** Undefined with an external database. */
  readonly embedded: Promise<EmbeddedDatabase> | undefined;
  readonly undo: Undo;
}

/** Connections of the embedded database: minimum, of each process without its pool, of commands. */
const MOST_CONNECTIONS = 100;
const SIDE_CONNECTIONS = 6;
const SPARE_CONNECTIONS = 20;

/**
 * Claims the data folder and starts its PostgreSQL without waiting, because loading the program
 * takes equally long.
 *
 * @throws StartError with one sentence for the operator
 */
export async function openFolder(
  config: Config,
  log: Logger,
  lifetime?: Lifetime,
): Promise<OpenedFolder> {
  const undo = createUndo(log);
  lifetime?.onStop(undo.run);
  // The parent has done the rest.
  if (config.worker) return { embedded: undefined, undo };
  try {
    prepareFolder(config);
    undo.add(claimFolder(config.dataDirectory));
    await assertPortsAreFree(config);
    // Fails before the database starts. The core opens the key, and creates the first one.
    if (config.secretKeyFile || hasSecretKey(config)) await readMasterKeys(config);
    if (config.databaseUrl !== undefined) return { embedded: undefined, undo };
    if (config.isDevelopment)
      return { embedded: Promise.resolve(runningDatabase(config.dataDirectory)), undo };
    const { ready, stop } = await launchEmbedded(config.dataDirectory, {
      maximumConnections: Math.max(
        MOST_CONNECTIONS,
        // During an upgrade twice as many processes run.
        2 * config.processes * (config.databasePoolSize + SIDE_CONNECTIONS) + SPARE_CONNECTIONS,
      ),
    });
    undo.add(stop);
    // The caller handles a failure when it awaits; until then it must not count as unhandled.
    ready.catch(() => undefined);
    return { embedded: ready, undo };
  } catch (error) {
    await undo.run();
    throw error;
  }
}

function prepareFolder(config: Config): void {
  try {
    mkdirSync(config.dataDirectory, { recursive: true, mode: 0o711 });
    accessSync(config.dataDirectory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `SALLYPORT_DATA_DIR: the folder ${config.dataDirectory} cannot be written (${(error as NodeJS.ErrnoException).code}). Give it to the account that runs Sallyport, or choose another: SALLYPORT_DATA_DIR='/var/lib/sallyport'`,
    );
  }
}
