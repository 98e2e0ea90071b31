import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createAuditChains, createVerifier, type Verifier } from '../features/audits/index.ts';
import { addressOf, holderOf, PEERS } from '../features/servers/index.ts';
import {
  checkSessions,
  createCommandIndexes,
  createStoredCommands,
  shareRecordings,
} from '../features/sessions/index.ts';
import { connectStorages } from '../features/storages/index.ts';
import { createVault, readSecretKey } from '../platform/crypto/vault.ts';
import type { Db } from '../platform/db/database.ts';
import { createPeerChannel } from '../platform/peers/channel.ts';
import { openLocalRecordings } from '../platform/storage/local-recordings.ts';

/**
 * Opens the verifier for the operator's commands, which run without the program. @throws StartError
 * without the secret key
 */
export async function openVerifier(db: Db, config: Config): Promise<Verifier> {
  const vault = createVault(readSecretKey(config));
  const verifier = createVerifier({
    db,
    vault,
    chains: createAuditChains({ db, vault, directory: config.dataDirectory }),
  });
  const recordings = await openLocalRecordings(join(config.dataDirectory, 'recordings'));
  connectStorages(recordings, db, vault);
  const own = holderOf(config);
  const shared = shareRecordings(recordings, {
    channel: createPeerChannel(vault.keyFor(PEERS)),
    isElsewhere: (server) => config.databaseUrl !== undefined && server !== null && server !== own,
    find: async (server) => (server === null || server === own ? undefined : addressOf(db, server)),
  });
  const stored = createStoredCommands({ db, indexes: createCommandIndexes(vault) });
  verifier.compareSessions((until) => checkSessions({ db, recordings: shared, stored }, until));
  return verifier;
}
