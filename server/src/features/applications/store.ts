import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';

/** Forgets the passwords of remote apps. */
export async function clearPasswords(ids: readonly string[], tx: Tx): Promise<void> {
  await sql`update remote_app set password = null where id = any (${ids}::uuid[])`.execute(tx);
}
