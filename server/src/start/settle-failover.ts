import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import {
  type AuditChains,
  createHeadWatch,
  instanceOf,
  isAnother,
  seenHeads,
} from '../features/audits/index.ts';
import type { Db } from '../platform/db/database.ts';
import { createLog } from '../platform/log.ts';
import { claimFolder, isClaimed } from '../platform/process/folder-lock.ts';

/** A running server compares the logs every five seconds. */
const WAIT_MS = 30_000;
const POLL_MS = 500;

/** Returns true if another database has taken over since this data folder compared the logs. */
async function isReplaced(db: Db, directory: string): Promise<boolean> {
  const known = seenHeads(directory)?.instance;
  const instance = known && (await instanceOf(db));
  return Boolean(known && instance && isAnother(known, instance));
}

/**
 * Declares a failover before a command verifies the logs, as the server does. A running server does
 * it itself; the command waits for it. Without one, the command locks the data folder and does it.
 */
export async function settleFailover(
  db: Db,
  { dataDirectory: directory, databaseUrl }: Config,
  chains: AuditChains,
): Promise<void> {
  // The embedded database has no standby, and the command has locked its folder already.
  if (!databaseUrl || !(await isReplaced(db, directory))) return;
  for (let waited = 0; isClaimed(directory); waited += POLL_MS) {
    // The verification then refuses, and says so.
    if (waited >= WAIT_MS) return;
    await delay(POLL_MS);
    if (!(await isReplaced(db, directory))) return;
  }
  const release = claimFolder(directory);
  try {
    const look = createHeadWatch({
      db,
      directory,
      // The command prints declared failovers and breaks itself.
      log: createLog('silent'),
      sealed: (log) => chains.sealed(log),
      accept: (logs, instance) => chains.sealAfterFailover(logs, instance),
    });
    await look();
  } finally {
    release();
  }
}
