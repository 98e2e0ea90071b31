import type { Db, Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { isSamePublicKey } from '../../../platform/ssh-keys.ts';

/** An SSH key of a user, in JSON. */
export interface UserSshKey {
  readonly id: string;
  readonly line: string;
  readonly isExpired: boolean;
  /** False if a use within the last minute is stored. */
  readonly isUseNew: boolean;
}

/** The SSH keys of an account as an array; a column of a query. */
export const sshKeysOf = (account: Sql) => sql`(
  select coalesce(json_agg(json_build_object('id', k.id, 'line', k.public_key,
      'isExpired', coalesce(k.date_expired <= now(), false),
      'isUseNew', coalesce(k.date_last_used < now() - interval '1 minute', true))), '[]')
  from ssh_key k where k.user_id = ${account})`;

/** Returns the key that a client offers in wire format. */
export const offeredKey = (
  keys: readonly UserSshKey[],
  publicKey: Buffer,
): UserSshKey | undefined => keys.find(({ line }) => isSamePublicKey(line, publicKey));

/** Stores the use of a key. */
export async function noteUse(id: string, remoteAddress: string, db: Db): Promise<void> {
  await sql`
    update ssh_key set date_last_used = now(), remote_addr = ${remoteAddress}
    where id = ${id}`.execute(db);
}

/** Deletes one key of an account; its owner's profile loses it too. */
export async function deleteSshKey(userId: string, id: string, tx: Tx): Promise<void> {
  await sql`
    with gone as (
      delete from ssh_key where user_id = ${userId} and id = ${id} returning is_profile)
    update account set public_key = null
    where id = ${userId} and exists (select from gone where is_profile)`.execute(tx);
}

/** Deletes all keys of an account. */
export async function deleteAllSshKeys(userId: string, tx: Tx): Promise<void> {
  await sql`
    with gone as (delete from ssh_key where user_id = ${userId})
    update account set public_key = null where id = ${userId}`.execute(tx);
}
