import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import { SETUP_ROLE } from '../platform/db/roles.ts';

/** For the rest of a transaction the superuser, past all triggers and rights: for tests that forge what the program itself cannot change. */
export async function becomeSuperuser(tx: Tx): Promise<void> {
  await sql`set local role ${sql.id(SETUP_ROLE)}`.execute(tx);
  await sql`set local session_replication_role = replica`.execute(tx);
}
