import type { Db } from '../../platform/db/database.ts';
import { isDiskHanging } from '../../platform/db/silent-connection.ts';
import { sql } from '../../platform/db/sql.ts';
import { exhaustionOf } from '../../platform/exhausted.ts';
import {
  createWriteProbe,
  StorageError,
  type WriteProbe,
} from '../../platform/storage/recordings.ts';

/** Numbers that the database writes into a temporary file: about 1 MiB, and 16 MiB. */
const NUMBERS = 40_000;
const NUMBERS_TO_RECOVER = 640_000;

/**
 * Throws the error of a database that takes no changes. It stores a result larger than its memory
 * in the tablespace of its tables, so that it needs room there and leaves no row behind.
 */
async function tryWriting(db: Db, numbers: number): Promise<void> {
  await sql`do ${sql.raw(`$$ begin
    if current_setting('transaction_read_only')::boolean then
      raise exception 'cannot write in a read-only transaction' using errcode = '25006';
    end if;
    perform set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true);
    perform count(*) from generate_series(1, ${numbers});
  end $$`)}`.execute(db);
}

/**
 * Creates a probe of a database that answers and takes no changes. It returns `full`, `refused`
 * (read-only), `unavailable` (a failing disk) or `hanging`. A full database counts as full until it
 * has much more room than it lacked, so that health does not change to and fro.
 */
export function createDatabaseProbe(db: Db, patienceSeconds: () => number): WriteProbe {
  let wasFull = false;
  return createWriteProbe(['database'], {
    patienceSeconds,
    startsWell: true,
    async attemptIn() {
      try {
        await tryWriting(db, wasFull ? NUMBERS_TO_RECOVER : NUMBERS);
        wasFull = false;
      } catch (error) {
        const code = exhaustionOf(error);
        if (code === 'server_disk_full') {
          wasFull = true;
          throw new StorageError('full', 'the database has no room', error);
        }
        if (code === 'server_read_only')
          throw new StorageError('refused', 'the database is read-only', error);
        if (code === 'server_disk_failing')
          throw new StorageError('unavailable', 'the disk of the database fails', error);
        if (isDiskHanging(error))
          throw new StorageError('hanging', 'the database does not commit', error);
        // Other errors, such as an outage, are no answer about its disk.
      }
    },
  });
}
