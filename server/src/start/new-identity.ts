import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, StartError } from '../config.ts';
import { serverIdOf, writeNewServerId } from '../features/servers/index.ts';
import { claimFolder } from '../platform/process/folder-lock.ts';

const JOURNAL = /^\.journal(-\d+)?$/;

/**
 * Makes the copy of a data folder another server of the installation. Sessions and journal of the
 * folder stay those of the original, which delivers them.
 *
 * @throws StartError with one sentence for the operator
 */
export async function giveNewIdentity(
  { dataDirectory, databaseUrl }: Config,
  say: (line: string) => void,
): Promise<void> {
  if (!existsSync(dataDirectory))
    throw new StartError(`The data folder ${dataDirectory} is not there.`);
  if (databaseUrl === undefined)
    throw new StartError(
      'The embedded database belongs to this data folder alone, so a copy of it shares its identity with no other server. To join an installation, name its database: SALLYPORT_DATABASE_URL',
    );
  const release = claimFolder(dataDirectory);
  try {
    const former = serverIdOf({ dataDirectory });
    // First: after a failure in between, the journal is unread rather than sent twice.
    await setJournalAside(join(dataDirectory, 'recordings'), former);
    const id = await writeNewServerId({ dataDirectory });
    say(`This server was ${former} and is now ${id}.`);
  } finally {
    release();
  }
}

async function setJournalAside(recordings: string, former: string): Promise<void> {
  const names = await readdir(recordings).catch(() => []);
  const suffix = former.replace(/[^\w.-]+/g, '_').slice(-100);
  for (const name of names.filter((one) => JOURNAL.test(one)))
    await rename(join(recordings, name), join(recordings, `.of-${suffix}${name}`));
}
