import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly synced: boolean;
  readonly date_created: Date;
  readonly date_last_used: Date | null;
}

/** Returns the passkeys of an account, or only the one with `id`. */
export async function passkeysOf(
  userId: string,
  on: Db | Tx,
  id?: string,
): Promise<readonly PasskeyRow[]> {
  const { rows } = await sql<PasskeyRow>`
    select id, name, synced, date_created, date_last_used from passkey
    where user_id = ${userId} and (${id ?? null}::uuid is null or id = ${id ?? null}::uuid)
    order by date_created, id`.execute(on);
  return rows;
}

export async function renamePasskey(
  userId: string,
  id: string,
  name: string,
  db: Db,
): Promise<void> {
  await sql`update passkey set name = ${name} where id = ${id} and user_id = ${userId}`.execute(db);
}

export async function deletePasskey(userId: string, id: string, tx: Tx): Promise<void> {
  await sql`delete from passkey where id = ${id} and user_id = ${userId}`.execute(tx);
}

/** Records that a sign-in session proved the second factor now. */
export async function markProved(signInId: string, on: Db | Tx): Promise<void> {
  await sql`update web_session set mfa_verified = now() where id = ${signInId}::uuid`.execute(on);
}
