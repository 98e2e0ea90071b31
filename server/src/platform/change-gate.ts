import type { Tx } from './db/database.ts';
import { sql } from './db/sql.ts';

/** State of the error with which the database refuses a write without a decided change set. */
export const MUST_BE_PROPOSED = 'SP001';

/** Lets the transaction write what a change set in state `previewing` or `applying` contains. */
export async function writeByChangeSet(id: string, tx: Tx): Promise<void> {
  await sql`select set_config('sallyport.change_set', ${id}, true)`.execute(tx);
}

/**
 * Lets the transaction create the permission of a ticket for instant access, or change the
 * permission that a ticket gave.
 */
export async function writeByTicket(id: string, tx: Tx): Promise<void> {
  await sql`select set_config('sallyport.ticket', ${id}, true)`.execute(tx);
}
