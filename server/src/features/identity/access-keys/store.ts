import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Keys that expired up to this long ago are announced again, in case a server was down. */
const ANNOUNCE_MINUTES = 5;

/** An access key without its secret. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly date_created: Date;
  readonly date_expired: Date | null;
  readonly date_last_used: Date | null;
  readonly remote_addr: string;
}

/** Returns the access keys of an account, newest first. */
export async function keysOf(userId: string, db: Db): Promise<readonly StoredKey[]> {
  const { rows } = await sql<StoredKey>`
    select id, name, is_active, date_created, date_expired, date_last_used, remote_addr
    from access_key
    where user_id = ${userId} order by date_created desc, id`.execute(db);
  return rows;
}

/**
 * Deletes one key of an account, or all of them, and ends the connections that they opened. Returns
 * the number of keys. The gateway is notified on commit.
 */
export async function revokeAccessKeys(
  db: Db | Tx,
  userId: string,
  keyId?: string,
): Promise<number> {
  const { rows } = await sql`
    with gone as (
      delete from access_key
      where user_id = ${userId}
        and (${keyId ?? null}::uuid is null or id = ${keyId ?? null}::uuid)
      returning id)
    select pg_notify('signed_out', id::text) from gone`.execute(db);
  return rows.length;
}

/** Ends connections that were opened with disabled keys. */
export async function endOpenedBy(keyIds: readonly string[], db: Db | Tx): Promise<void> {
  if (keyIds.length > 0)
    await sql`select pg_notify('signed_out', k::text) from unnest(${keyIds}::uuid[]) k`.execute(db);
}

/** Ends connections that were opened with expired keys. */
export async function endOpenedByExpired(db: Db): Promise<void> {
  await sql`
    select pg_notify('signed_out', id::text) from access_key
    where date_expired <= now()
      and date_expired > now() - make_interval(mins => ${ANNOUNCE_MINUTES})`.execute(db);
}
