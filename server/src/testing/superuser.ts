import type { Tx } from '../platform/db/database.ts';
import { SETUP_ROLE } from '../platform/db/roles.ts';
import { sql } from '../platform/db/sql.ts';

/**
 * Becomes superuser for the rest of a transaction, without triggers and permission checks: tests
 * forge rows that the program cannot change.
 */
export async function becomeSuperuser(tx: Tx): Promise<void> {
  await sql`set local role ${sql.ref(SETUP_ROLE)}`.execute(tx);
  await sql`set local session_replication_role = replica`.execute(tx);
}
