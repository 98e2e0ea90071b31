import { setTimeout as wait } from 'node:timers/promises';
import { tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { HAS_LEFT, RETURN_SECONDS } from './pending.ts';

/**
 * Records that the page of a pending sign-in was closed.
 * @returns true if it was open before
 */
async function keepLeaving(ticket: string, db: Db): Promise<boolean> {
  const { rowCount } = await sql`
    update pending_sign_in set date_left = now()
    where token_digest = ${tokenDigest(ticket)} and date_left is null
      and date_expired > now()`.execute(db);
  return rowCount > 0;
}

/** Returns true if the page of a pending sign-in was closed and not reopened. */
async function hasLeft(ticket: string, tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pending_sign_in p
    where p.token_digest = ${tokenDigest(ticket)} and ${HAS_LEFT} for update of p`.execute(tx);
  return rows.length > 0;
}

/**
 * Creates a function that records the closing of a sign-in's page. It drops the sign-in unless the
 * page returns within {@link RETURN_SECONDS}.
 */
export function createLeave(
  db: Db,
  drop: (ticket: string, tx: Tx) => Promise<void>,
): (ticket: string) => Promise<void> {
  async function giveUp(ticket: string): Promise<void> {
    await wait((RETURN_SECONDS + 1) * 1_000, undefined, { ref: false });
    await db.transaction(async (tx) => {
      if (await hasLeft(ticket, tx)) await drop(ticket, tx);
    });
  }
  return async (ticket) => {
    // If this server stops before, the next cleanup drops the sign-in and notifies its reviewers.
    if (await keepLeaving(ticket, db)) void giveUp(ticket).catch(() => undefined);
  };
}
