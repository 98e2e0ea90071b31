import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Rows per statement. */
const BATCH = 1_000;

/** Deletes kept objects that are older than these days. Returns their number. */
export async function dropDeleted(days: number, db: Db): Promise<number> {
  let dropped = 0;
  for (;;) {
    const { rows } = await sql`
      delete from deleted_object where id in (
        select id from deleted_object
        where date_deleted <= now() - make_interval(days => ${days}) limit ${BATCH})
      returning id`.execute(db);
    dropped += rows.length;
    if (rows.length < BATCH) return dropped;
  }
}
