import { createHash } from 'node:crypto';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { executePrepared, sql } from '../../../platform/db/sql.ts';
import type { Origin } from '../sign-in-sessions/origin.ts';

/** Seconds within which the key of a device opens its connection. */
const LIFE_SECONDS = 60;
/** Maximum unused keys of a device; a new one replaces the oldest. */
const MAX_KEYS = 50;

/** A device that has proved its key, with facts of its sign-in. */
export interface KnownDevice {
  readonly user_id: string;
  readonly mfa_verified: Date | null;
  readonly origin: Origin | null;
}

const digestOf = (publicKey: Buffer): Buffer => createHash('sha256').update(publicKey).digest();

/**
 * Lets the key of a signed-in device open one SSH connection from an address. Returns when the key
 * expires.
 */
export async function storeDeviceKey(
  publicKey: Buffer,
  device: { readonly sessionId: string; readonly remoteAddress: string },
  tx: Tx,
): Promise<Date> {
  const dateExpired = new Date(databaseClock.now() + LIFE_SECONDS * 1_000);
  // Serializes requests of a device, so that parallel ones cannot exceed the limit together.
  await sql`select 1 from web_session where id = ${device.sessionId} for update`.execute(tx);
  await sql`
    delete from device_ssh_key where date_expired <= now() or (session_id = ${device.sessionId}
      and digest not in (select digest from device_ssh_key
        where session_id = ${device.sessionId} order by date_expired desc
        limit ${MAX_KEYS - 1}))`.execute(tx);
  await sql`
    insert into device_ssh_key (digest, session_id, remote_addr, date_expired)
    values (${digestOf(publicKey)}, ${device.sessionId}, ${device.remoteAddress},
      ${dateExpired})`.execute(tx);
  return dateExpired;
}

/** Returns true if a device of the user offers the key. Proves nothing. */
export async function isDeviceKey(username: string, publicKey: Buffer, db: Db): Promise<boolean> {
  const rows = await executePrepared(
    sql`
      select 1 from device_ssh_key k join web_session s on s.id = k.session_id
      where k.digest = ${digestOf(publicKey)} and s.user_id = account_named(${username})
        and k.date_expired > now()`,
    db,
  );
  return rows.length > 0;
}

/**
 * Takes the key of a device, after the connection has proved that it holds the private key.
 * Undefined if the key is unknown, used, expired, of another user or from another address, or if
 * the device is signed out. A key opens one connection.
 */
export async function takeDeviceKey(
  username: string,
  publicKey: Buffer,
  remoteAddress: string,
  db: Db,
): Promise<KnownDevice | undefined> {
  const { rows } = await sql<KnownDevice>`
    delete from device_ssh_key k using web_session s
    where k.digest = ${digestOf(publicKey)} and k.remote_addr = ${remoteAddress}
      and k.date_expired > now() and s.id = k.session_id and s.date_expired > now()
      and s.user_id = account_named(${username})
    returning s.user_id, s.mfa_verified, s.origin`.execute(db);
  return rows[0];
}
