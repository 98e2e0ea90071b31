import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

/** A key that ended up to so long ago is announced once more: the announcement of a server that was down is not lost. */
const ANNOUNCE_MINUTES = 5;

/** An access key as it is listed. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly date_created: Date;
  readonly date_expired: Date | null;
  readonly date_last_used: Date | null;
  readonly remote_addr: string;
}

/** The access keys of an account, newest first. */
export async function keysOf(userId: string, db: Db): Promise<readonly StoredKey[]> {
  const { rows } = await sql<StoredKey>`
    select id, name, is_active, date_created, date_expired, date_last_used, remote_addr from access_key
    where user_id = ${userId} order by date_created desc, id`.execute(db);
  return rows;
}

/** Deletes one key of an account, or all of them, and ends what they had opened; returns how many. The gateway hears of it on commit. */
export async function revokeAccessKeys(
  db: Db | Tx,
  userId: string,
  keyId?: string,
): Promise<number> {
  const { rows } = await sql`
    with gone as (delete from access_key where user_id = ${userId} and (${keyId ?? null}::uuid is null or id = ${keyId ?? null}::uuid) returning id)
    select pg_notify('signed_out', id::text) from gone`.execute(db);
  return rows.length;
}

/** Ends what keys had opened that are switched off. */
export async function endOpenedBy(keyIds: readonly string[], db: Db | Tx): Promise<void> {
  if (keyIds.length > 0)
    await sql`select pg_notify('signed_out', k::text) from unnest(${keyIds}::uuid[]) k`.execute(db);
}

/** Ends what keys had opened whose time is over. */
export async function endOpenedByExpired(db: Db): Promise<void> {
  await sql`
    select pg_notify('signed_out', id::text) from access_key
    where date_expired <= now() and date_expired > now() - make_interval(mins => ${ANNOUNCE_MINUTES})`.execute(
    db,
  );
}
