import { openBucket } from './bucket.ts';
import { openLocalStorage } from './local-storage.ts';
import { createRecordings, type Recordings } from './recordings.ts';
import { openSpool } from './spool.ts';

/**
 * Opens recordings whose spool and storage are one folder of this server's disk. Creates the folder
 * if necessary.
 * @throws StorageError
 */
export async function openLocalRecordings(folder: string): Promise<Recordings> {
  return createRecordings({
    spool: await openSpool(folder),
    storage: await openLocalStorage(folder),
    openBucket,
  });
}
