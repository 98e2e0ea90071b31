import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Json } from '../client.ts';
import { until } from '../poll.ts';

/**
 * Waits for `count` file-log entries about a path, and returns them in order. The journal writes
 * entries shortly after the operation.
 */
export async function loggedFiles(db: Db, path: string, count: number): Promise<readonly Json[]> {
  const read = async () =>
    (
      await sql<Json>`
        select operate, filename, size, sha256, is_success, reason, account, remote_addr
          from ftp_log
        where filename like ${`%${path}%`} order by sequence`.execute(db)
    ).rows;
  await until(
    async () => (await read()).length >= count,
    `${count} entries of the log about ${path}`,
  );
  return read();
}
