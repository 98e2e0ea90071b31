import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

const readZone = async (db: Db | Tx) => {
  const { rows } = await sql<{ zone: string | null; is_done: boolean }>`
    select zone, counted_from = '-infinity' as is_done from session_zone`.execute(db);
  return rows[0];
};

/** Returns the zone as the database names it, or UTC: Node may know newer zones. */
async function knownZone(zone: string, db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select name from pg_timezone_names where lower(name) = lower(${zone})`.execute(db);
  return rows[0]?.name ?? 'UTC';
}

/**
 * Counts by days of a time zone from now on. After a change of the zone, the kept days are counted
 * again: the newest hour here, older ones by `countOlderSessions`. Returns true when all are
 * counted.
 */
export async function countInZone(zone: string, db: Db): Promise<boolean> {
  const counted = await readZone(db);
  if (counted?.zone?.toLowerCase() === zone.toLowerCase()) return counted.is_done;
  const known = await knownZone(zone, db);
  return db.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    // Another server may have counted while this one waited for the lock.
    await sql`lock table session in share row exclusive mode`.execute(tx);
    const latest = await readZone(tx);
    if (latest?.zone === known) return latest.is_done;
    const { rows } = await sql<{ is_done: boolean }>`
      select session_days_rebuild(${known}) as is_done`.execute(tx);
    return rows[0]?.is_done === true;
  });
}

/** Counts older sessions in steps that other servers can share, until all are counted. */
export async function countOlderSessions(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rows } = await sql<{ is_done: boolean }>`
      select session_days_step() as is_done`.execute(db);
    if (rows[0]?.is_done) return;
  }
}

/** Deletes days that the dashboard no longer shows. Returns the number of rows. */
export async function forgetDays(db: Db): Promise<number> {
  const { rows } = await sql<{
    removed: number;
  }>`select session_days_forget()::integer as removed`.execute(db);
  return rows[0]?.removed ?? 0;
}
