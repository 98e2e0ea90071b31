import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { HeldReading, ToShut } from '../identity/index.ts';

/** Failed reads in a row from which they need attention. */
const FAILURES_WORTH_A_LOOK = 2;

/** The last reads of the directory. */
export interface Reading {
  /** Digest of the settings of the last applied read; blank before the first. */
  readonly digest: string;
  readonly date_read: Date | null;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly reason: string;
  readonly held_id: string | null;
  readonly held_digest: string | null;
  readonly date_held: Date | null;
  readonly held_of: number | null;
  readonly held_recent: number | null;
  /** When an administrator last confirmed a held read. */
  readonly date_confirmed: Date | null;
  readonly held: readonly ToShut[] | null;
}

/** Returns the last reads; `lock` locks them until the end of the transaction. */
export async function lastReading(on: Db | Tx, lock = false): Promise<Reading> {
  const { rows } = await sql<Reading>`
    select digest, date_read, failures, failing_since, reason, held_id, held_digest, date_held,
      held_of, held_recent, held, date_confirmed
    from directory_reading ${lock ? sql`for update` : sql``}`.execute(on);
  const [row] = rows;
  if (!row) throw new Error('the row of directory_reading is missing');
  return row;
}

/** Stores a read that was applied with some settings; it replaces a held one. */
export async function storeApplied(digest: string, tx: Tx): Promise<void> {
  await sql`
    update directory_reading set digest = ${digest}, date_read = now(), failures = 0,
      failing_since = null, reason = '', held_id = null, held_digest = null, date_held = null,
      held_of = null, held_recent = null, held = null`.execute(tx);
}

/** Stores that an administrator confirmed the held read, which was applied. */
export async function storeConfirmed(digest: string, tx: Tx): Promise<void> {
  await storeApplied(digest, tx);
  await sql`update directory_reading set date_confirmed = now()`.execute(tx);
}

/** Stores a read that waits for a confirmation. The same people keep the id of an earlier read. */
export async function storeHeld(
  { people, of, recent }: HeldReading,
  digest: string,
  tx: Tx,
): Promise<void> {
  const text = JSON.stringify(people);
  await sql`
    update directory_reading set date_read = now(), failures = 0, failing_since = null,
      reason = '', held_of = ${of}, held_recent = ${recent}, held = ${text}::jsonb,
      held_digest = ${digest},
      held_id = case when held = ${text}::jsonb then held_id else ${randomUUID()}::uuid end,
      date_held = case when held = ${text}::jsonb then date_held else now() end`.execute(tx);
}

export async function storeFailure(reason: string, db: Db): Promise<void> {
  await sql`
    update directory_reading set failures = failures + 1, reason = ${reason},
      failing_since = coalesce(failing_since, now())`.execute(db);
}

/** Returns failing reads, and a held read: both need attention. */
export async function readingAttention(db: Db): Promise<{
  readonly failingSince: Date | undefined;
  readonly held: { readonly people: readonly ToShut[]; readonly date: Date } | undefined;
}> {
  const { failures, failing_since: since, held, date_held: date } = await lastReading(db);
  return {
    failingSince: failures >= FAILURES_WORTH_A_LOOK && since ? since : undefined,
    held: held && date ? { people: held, date } : undefined,
  };
}
