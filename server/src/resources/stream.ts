import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { ResourceServices, Sql } from './hooks.ts';

/** Rows that are held in memory at once while a long list is written out. */
const BATCH = 250;

/** The rows of a query batch after batch, as they were at its beginning, each batch finished by what its caller does with it. */
export async function* streamRows<Row, Out>(
  { db, longReads }: Pick<ResourceServices, 'db' | 'longReads'>,
  query: Sql,
  finish: (rows: Row[], tx: Tx) => Promise<Out[]> | Out[],
): AsyncGenerator<Out[]> {
  const leave = await longReads.enter();
  const tx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
    .catch((error: unknown) => {
      leave();
      throw error;
    });
  try {
    await sql`declare batch no scroll cursor for ${query}`.execute(tx);
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(BATCH)} from batch`.execute(tx);
      if (rows.length === 0) return;
      yield await finish(rows, tx);
    }
  } finally {
    // Also when the client went away in the middle: the query ends with the transaction. Where the session has ended before, nothing is left to take back.
    await tx
      .rollback()
      .execute()
      .catch(() => undefined);
    leave();
  }
}
