import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, StartError } from '../config.ts';
import {
  createAuditChains,
  createVerifier,
  seenHeads,
  type Verifier,
} from '../features/audits/index.ts';
import { addressOf, PEERS, processOf, serverIdOf } from '../features/servers/index.ts';
import {
  checkSessions,
  createCommandIndexes,
  createStoredCommands,
  shareRecordings,
} from '../features/sessions/index.ts';
import { connectStorages } from '../features/storages/index.ts';
import { readOutside } from '../features/witness/index.ts';
import { openDataKeys } from '../platform/crypto/data-keys.ts';
import type { Vault } from '../platform/crypto/vault.ts';
import { type Database, type Db, openDatabase } from '../platform/db/database.ts';
import { embeddedUrl, startEmbedded } from '../platform/db/embedded.ts';
import { isCurrent } from '../platform/db/migrate.ts';
import { assertNotMoved } from '../platform/db/moved.ts';
import { createPeerChannel } from '../platform/peers/channel.ts';
import { claimFolder, isClaimed } from '../platform/process/folder-lock.ts';
import { openLocalRecordings } from '../platform/storage/local-storage.ts';
import { settleFailover } from './settle-failover.ts';

/** The database of an operator command. */
export interface OpenedDatabase extends Database {
  readonly url: string;
}

/**
 * Uses the database of a running server, or starts the embedded one meanwhile.
 *
 * @throws StartError if there is no database, or one of another version
 */
export async function withDatabase<T>(
  config: Config,
  work: (database: OpenedDatabase) => Promise<T>,
): Promise<T> {
  if (!config.databaseUrl) assertDatabaseIn(config.dataDirectory);
  const release =
    config.databaseUrl || isClaimed(config.dataDirectory)
      ? undefined
      : claimFolder(config.dataDirectory);
  const embedded = release ? await startEmbedded(config.dataDirectory) : undefined;
  const url = config.databaseUrl ?? embedded?.url ?? embeddedUrl(config.dataDirectory);
  const database = openDatabase(url, 3);
  try {
    await assertCurrent(database);
    return await work({ ...database, url });
  } finally {
    await database.close();
    await embedded?.stop();
    release?.();
  }
}

/** Commands never create a database. @throws StartError that names a folder with one */
export function assertDatabaseIn(folder: string): void {
  const holds = (directory: string) => existsSync(join(directory, 'postgres', 'PG_VERSION'));
  if (holds(folder)) return;
  const isDemo = folder.endsWith('-demo');
  const hint =
    !isDemo && holds(`${folder}-demo`)
      ? `The one with sample data is in ${folder}-demo: add --demo to the command.`
      : isDemo && holds(folder.slice(0, -'-demo'.length))
        ? `There is one in ${folder.slice(0, -'-demo'.length)}: leave --demo out.`
        : "Name the folder of the server, for example SALLYPORT_DATA_DIR='/var/lib/sallyport'.";
  throw new StartError(
    `There is no database in ${folder}, and a command does not make one. ${hint}`,
  );
}

/** Only the server runs migrations. @throws StartError */
async function assertCurrent({ pool }: Database): Promise<void> {
  await assertNotMoved(pool);
  if (!(await isCurrent(pool)))
    throw new StartError(
      'This database belongs to another version of Sallyport. Start the server once; it brings the database up to date.',
    );
}

/**
 * Opens the verifier for the operator's commands, which run without the program. @throws StartError
 * without the secret key
 */
export async function openVerifier(db: Db, config: Config): Promise<Verifier> {
  const { vault } = await openDataKeys(db, config);
  const { dataDirectory: directory } = config;
  const chains = createAuditChains({ db, vault, directory, seen: () => seenHeads(directory) });
  const settle = () => settleFailover(db, config, chains);
  const verifier = createVerifier({ db, vault, chains, settle });
  const { shared, stored } = await openSessions(db, config, vault);
  verifier.compareOutside(() => readOutside(db, vault));
  verifier.compareSessions((until) =>
    checkSessions({ db, recordings: shared, stored, vault }, until),
  );
  return verifier;
}

/** Opens recordings of all servers and command storages for the operator's commands. */
export async function openSessions(db: Db, config: Config, vault: Vault) {
  const recordings = await openLocalRecordings(
    join(config.dataDirectory, 'recordings'),
    vault.files,
  );
  connectStorages(recordings, db, vault);
  const isOwn = (server: string) => processOf(server).server === serverIdOf(config);
  const shared = shareRecordings(recordings, {
    channel: createPeerChannel(vault.keysFor(PEERS)),
    isElsewhere: (server) => config.databaseUrl !== undefined && server !== null && !isOwn(server),
    find: async (server) => (server === null || isOwn(server) ? undefined : addressOf(db, server)),
  });
  const stored = createStoredCommands({ db, indexes: createCommandIndexes(vault) });
  return { shared, stored };
}
