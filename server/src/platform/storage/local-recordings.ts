import { openBucket } from './bucket.ts';
import { openLocalStorage } from './local-storage.ts';
import { createRecordings, type Recordings } from './recordings.ts';
import { openSpool } from './spool.ts';

/** Recordings that grow and stay in one folder of this server's disk, which is made if it is not there. @throws StorageError */
export async function openLocalRecordings(folder: string): Promise<Recordings> {
  return createRecordings({
    spool: await openSpool(folder),
    storage: await openLocalStorage(folder),
    openBucket,
  });
}
