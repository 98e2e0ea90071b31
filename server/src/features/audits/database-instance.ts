import { type Db, sqlState, type Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Identity of a database server: another timeline or system has taken over after a failover. */
export interface DatabaseInstance {
  readonly system: string;
  readonly timeline: string;
}

/** Returns true if another database has taken over since, so that a failover explains a gap. */
export const isAnother = (one: DatabaseInstance, other: DatabaseInstance): boolean =>
  one.system !== other.system || one.timeline !== other.timeline;

/** States the identity of a database in one line. */
export const inWords = ({ system, timeline }: DatabaseInstance) => `${system} timeline ${timeline}`;

/** Returns the system and the timeline of the database; null where it does not tell them. */
export async function instanceOf(db: Db | Tx): Promise<DatabaseInstance | null> {
  // A refused statement must not end the transaction.
  if (db.isTransaction) await sql`savepoint instance`.execute(db);
  try {
    const { rows } = await sql<DatabaseInstance>`
      select system_identifier::text as system,
        left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline
      from pg_control_system()`.execute(db);
    return rows[0] ?? null;
  } catch (error) {
    // Services that are no plain PostgreSQL lack the functions, or refuse them.
    if (!['42883', '42501', '0A000'].includes(sqlState(error)?.code ?? '')) throw error;
    if (db.isTransaction) await sql`rollback to savepoint instance`.execute(db);
    return null;
  }
}
