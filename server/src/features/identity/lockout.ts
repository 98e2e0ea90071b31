import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { SettingsService } from '../settings/service.ts';

/** Failures from one address, over all names, before it has to wait: many people may share an office's address. */
const ADDRESS_FACTOR = 10;
/** In place of an address: wrong second factors of a name from everywhere. Whoever gets to guess codes knows the password and has many addresses. */
const EVERYWHERE = '*';

export interface Lockout {
  /** Whether this name from this address, or this address at all, has failed too often. */
  isBlocked(username: string, remoteAddress: string): Promise<boolean>;
  /** Counts a failure; returns how many are left before the name is blocked from this address. */
  failed(username: string, remoteAddress: string): Promise<number>;
  /** Whether too many wrong second factors of this name were tried, from wherever. */
  isSecondBlocked(username: string): Promise<boolean>;
  /** Counts a wrong second factor, for the name and for the address. */
  secondFailed(username: string, remoteAddress: string): Promise<void>;
  succeeded(username: string, remoteAddress: string): Promise<void>;
  /** Forgets the failures of a name from everywhere. */
  unblock(username: string): Promise<void>;
  /** After a new password: forgets the wrong ones. Wrong second factors stay counted, or links by mail would buy new guesses. */
  passwordRenewed(username: string): Promise<void>;
  minutes(): number;
}

/** Limits attempts to sign in (identity reference §2.3): by name and address, by address alone, and for second factors by name alone. */
export function createLockout(db: Db, settings: SettingsService): Lockout {
  const limit = () => settings.get('SECURITY_LOGIN_LIMIT_COUNT');
  const minutes = () => settings.get('SECURITY_LOGIN_LIMIT_TIME');
  const nameOf = (username: string) => username.slice(0, 128).toLowerCase();
  const recent = () => sql`date_last > now() - make_interval(mins => ${minutes()})`;
  const count = async (username: string, place: string): Promise<number> => {
    const { rows } = await sql<{ failures: number }>`
      insert into login_attempt as known (username, remote_addr, failures) values (${nameOf(username)}, ${place}, 1)
      on conflict (username, remote_addr) do update set date_last = now(), failures = case when known.${recent()} then known.failures + 1 else 1 end
      returning failures`.execute(db);
    return Math.max(0, limit() - (rows[0]?.failures ?? 0));
  };
  return {
    minutes,
    async isBlocked(username, remoteAddress) {
      const { rows } = await sql<{ own: number; address: number }>`
        select coalesce(sum(failures) filter (where username = ${nameOf(username)}), 0) as own, coalesce(sum(failures), 0) as address
        from login_attempt where remote_addr = ${remoteAddress} and ${recent()}`.execute(db);
      const { own = 0, address = 0 } = rows[0] ?? {};
      return own >= limit() || address >= limit() * ADDRESS_FACTOR;
    },
    failed: count,
    async isSecondBlocked(username) {
      const { rows } = await sql`
        select 1 from login_attempt where username = ${nameOf(username)} and remote_addr = ${EVERYWHERE} and failures >= ${limit()} and ${recent()}`.execute(
        db,
      );
      return rows.length > 0;
    },
    async secondFailed(username, remoteAddress) {
      await count(username, EVERYWHERE);
      await count(username, remoteAddress);
    },
    async succeeded(username, remoteAddress) {
      await sql`delete from login_attempt where username = ${nameOf(username)} and remote_addr in (${remoteAddress}, ${EVERYWHERE})`.execute(db);
    },
    async unblock(username) {
      await sql`delete from login_attempt where username = ${nameOf(username)}`.execute(db);
    },
    async passwordRenewed(username) {
      await sql`delete from login_attempt where username = ${nameOf(username)} and remote_addr <> ${EVERYWHERE}`.execute(db);
    },
  };
}
