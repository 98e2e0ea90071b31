import { randomInt } from 'node:crypto';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { networkOf } from '../../../platform/network-of.ts';
import type { Origin } from '../sign-in-sessions/origin.ts';

/** Consonants: no words, no look-alikes. Eight of them hold 34 bits (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
export const LIFE_SECONDS = 600;
/** Seconds between two polls of a device. */
export const POLL_SECONDS = 2;
/** Networks deliver polls unevenly. */
const EARLY_SECONDS = 1;
/** Maximum waiting sign-ins of one address; a new one replaces the oldest. */
const MAX_PER_PLACE = 50;

export interface NewDevice {
  readonly device: string;
  readonly expectedUser: string;
  readonly remoteAddress: string;
}

/** A sign-in that waits for its user. */
export interface WaitingDevice {
  readonly device: string;
  readonly expected_user: string;
  readonly remote_addr: string;
  readonly date_created: Date;
  readonly date_expired: Date;
}

/** A confirmed sign-in, with facts of the sign-in that confirmed it. */
export interface ConfirmedDevice {
  readonly user_id: string;
  readonly username: string;
  readonly name: string;
  readonly days: number;
  readonly mfa_verified: Date | null;
  readonly origin: Origin | null;
}

export type Polled =
  | { readonly state: 'pending' | 'slow_down' | 'denied' }
  | ({ readonly state: 'confirmed' } & ConfirmedDevice);

const newCode = () =>
  Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Writes a code as users read it: `BCDF-GHJK`. */
export const shownCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Reads a typed code: separators and case do not matter. Returns undefined for other texts. */
export function readCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[^A-Z]/g, '');
  return code.length === CODE_LENGTH ? code : undefined;
}

/** Begins a sign-in; returns the secret of the device, and the code for the user. */
export async function beginDevice(
  { device, expectedUser, remoteAddress }: NewDevice,
  db: Db,
): Promise<{ readonly secret: string; readonly code: string }> {
  const secret = randomToken();
  const place = networkOf(remoteAddress);
  await sql`
    delete from device_sign_in where device_digest in (
      select device_digest from device_sign_in where place = ${place}
      order by date_created desc offset ${MAX_PER_PLACE - 1})`.execute(db);
  for (;;) {
    const code = newCode();
    const { rowCount } = await sql`
      insert into device_sign_in
        (device_digest, user_code, device, expected_user, remote_addr, place, date_expired)
      values (${tokenDigest(secret)}, ${code}, ${device}, ${expectedUser}, ${remoteAddress},
        ${place}, now() + make_interval(secs => ${LIFE_SECONDS}))
      on conflict (user_code) do nothing`.execute(db);
    if (rowCount > 0) return { secret, code };
  }
}

/** Finds the waiting sign-in of a code. */
export async function waitingDevice(code: string, on: Db | Tx): Promise<WaitingDevice | undefined> {
  const { rows } = await sql<WaitingDevice>`
    select device, expected_user, remote_addr, date_created, date_expired from device_sign_in
    where user_code = ${code} and date_expired > now() and confirmed_by is null
      and not is_denied`.execute(on);
  return rows[0];
}

/** Confirms a waiting sign-in; returns false if it waits no longer. */
export async function confirmDevice(
  code: string,
  { loginId, days }: { readonly loginId: string; readonly days: number },
  tx: Tx,
): Promise<boolean> {
  const { rowCount } = await sql`
    update device_sign_in set confirmed_by = ${loginId}::uuid, days = ${days}
    where user_code = ${code} and date_expired > now() and confirmed_by is null
      and not is_denied`.execute(tx);
  return rowCount > 0;
}

/** Denies a waiting sign-in; returns false if it waits no longer. */
export async function denyDevice(code: string, db: Db): Promise<boolean> {
  const { rowCount } = await sql`
    update device_sign_in set is_denied = true
    where user_code = ${code} and date_expired > now() and confirmed_by is null
      and not is_denied`.execute(db);
  return rowCount > 0;
}

interface PolledRow extends Partial<ConfirmedDevice> {
  readonly is_denied: boolean;
  readonly is_early: boolean;
}

/**
 * Returns the state of a device's sign-in, and deletes it once decided: each decision is handed out
 * once. Returns undefined for an unknown or expired secret.
 */
export async function pollDevice(secret: string, tx: Tx): Promise<Polled | undefined> {
  const digest = tokenDigest(secret);
  const { rows } = await sql<PolledRow>`
    select d.is_denied, d.days, s.user_id, s.mfa_verified, s.origin, a.username, a.name,
      coalesce(d.date_polled > now() - make_interval(secs => ${POLL_SECONDS - EARLY_SECONDS}),
        false) as is_early
    from device_sign_in d
      left join web_session s on s.id = d.confirmed_by and s.date_expired > now()
      left join account a on a.id = s.user_id
    where d.device_digest = ${digest} and d.date_expired > now()
      and (d.confirmed_by is null or s.id is not null)
    for update of d`.execute(tx);
  const [row] = rows;
  if (!row) return undefined;
  const { is_denied, is_early, ...device } = row;
  if (is_denied || device.user_id) {
    await sql`delete from device_sign_in where device_digest = ${digest}`.execute(tx);
    return is_denied ? { state: 'denied' } : { state: 'confirmed', ...(device as ConfirmedDevice) };
  }
  await sql`
    update device_sign_in set date_polled = now() where device_digest = ${digest}`.execute(tx);
  return { state: is_early ? 'slow_down' : 'pending' };
}

/** Deletes expired sign-ins of devices; called periodically. */
export async function clearDevices(db: Db): Promise<void> {
  await sql`delete from device_sign_in where date_expired < now()`.execute(db);
}
