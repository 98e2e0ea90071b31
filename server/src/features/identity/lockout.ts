import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { SettingsService } from '../settings/service.ts';

/** Failures from one address, over all names, before it has to wait: many people may share an office's address. */
const ADDRESS_FACTOR = 10;

export interface Lockout {
  /** Whether this name from this address, or this address at all, has failed too often. */
  isBlocked(username: string, remoteAddress: string): Promise<boolean>;
  /** Counts a failure; returns how many are left before the name is blocked from this address. */
  failed(username: string, remoteAddress: string): Promise<number>;
  succeeded(username: string, remoteAddress: string): Promise<void>;
  /** Forgets the failures of a name from everywhere. */
  unblock(username: string): Promise<void>;
  minutes(): number;
}

/** Limits attempts to sign in (identity reference §2.3): by name and address, and by address alone. */
export function createLockout(db: Db, settings: SettingsService): Lockout {
  const limit = () => settings.get('SECURITY_LOGIN_LIMIT_COUNT');
  const minutes = () => settings.get('SECURITY_LOGIN_LIMIT_TIME');
  const nameOf = (username: string) => username.slice(0, 128).toLowerCase();
  const recent = () => sql`date_last > now() - make_interval(mins => ${minutes()})`;
  return {
    minutes,
    async isBlocked(username, remoteAddress) {
      const { rows } = await sql<{ own: number; address: number }>`
        select coalesce(sum(failures) filter (where username = ${nameOf(username)}), 0) as own, coalesce(sum(failures), 0) as address
        from login_attempt where remote_addr = ${remoteAddress} and ${recent()}`.execute(db);
      const { own = 0, address = 0 } = rows[0] ?? {};
      return own >= limit() || address >= limit() * ADDRESS_FACTOR;
    },
    async failed(username, remoteAddress) {
      const { rows } = await sql<{ failures: number }>`
        insert into login_attempt as known (username, remote_addr, failures) values (${nameOf(username)}, ${remoteAddress}, 1)
        on conflict (username, remote_addr) do update set date_last = now(), failures = case when known.${recent()} then known.failures + 1 else 1 end
        returning failures`.execute(db);
      return Math.max(0, limit() - (rows[0]?.failures ?? 0));
    },
    async succeeded(username, remoteAddress) {
      await sql`delete from login_attempt where username = ${nameOf(username)} and remote_addr = ${remoteAddress}`.execute(db);
    },
    async unblock(username) {
      await sql`delete from login_attempt where username = ${nameOf(username)}`.execute(db);
    },
  };
}
