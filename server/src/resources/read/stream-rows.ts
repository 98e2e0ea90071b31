import type { Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { ResourceServices } from '../hooks.ts';

/** Rows in memory at once while a long list is streamed. */
const BATCH = 250;

/** Yields the rows of a query in batches from one snapshot, each converted by `finish`. */
export async function* streamRows<Row, Out>(
  { db, longReads }: Pick<ResourceServices, 'db' | 'longReads'>,
  query: Sql,
  finish: (rows: Row[], tx: Tx) => Promise<Out[]> | Out[],
): AsyncGenerator<Out[]> {
  const leave = await longReads.enter();
  const tx = await db
    .begin({ isolation: 'repeatable read', access: 'read only' })
    .catch((error: unknown) => {
      leave();
      throw error;
    });
  try {
    for await (const rows of readInBatches<Row>(query, tx, BATCH)) yield await finish(rows, tx);
  } finally {
    // Runs even if the client disconnects: the query ends with the transaction. A lost session has
    // nothing to roll back.
    await tx.rollback();
    leave();
  }
}

/** Yields the rows of a query in batches, by a cursor; a transaction has one at a time. */
export async function* readInBatches<Row>(query: Sql, tx: Tx, size: number): AsyncGenerator<Row[]> {
  await sql`declare batch no scroll cursor for ${query}`.execute(tx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(size)} from batch`.execute(tx);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close batch`.execute(tx);
}
