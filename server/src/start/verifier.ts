import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createAuditChains } from '../features/audits/chain.ts';
import { createVerifier, type Verifier } from '../features/audits/verification.ts';
import { holderOf } from '../features/servers/holder.ts';
import { PEERS } from '../features/servers/index.ts';
import { addressOf } from '../features/servers/store.ts';
import { checkSessions } from '../features/sessions/check-sessions.ts';
import { shareRecordings } from '../features/sessions/recordings-elsewhere.ts';
import { createCommandIndexes } from '../features/sessions/stored-commands/storages.ts';
import { createStoredCommands } from '../features/sessions/stored-commands/texts.ts';
import { connectStorages } from '../features/storages/replay-storages.ts';
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
