import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { networkOf } from '../../../platform/network-of.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { accountKey, accountKeyOf } from './place.ts';

/** Factor of the limit for one address over all names: many users may share an office's address. */
const PLACE_FACTOR = 10;
/** Factor of the limit for one name over all unknown addresses: a botnet has many of them. */
const ACCOUNT_FACTOR = 3;
/**
 * Stands for all addresses when counting wrong second factors. An attacker who guesses codes knows
 * the password and has many addresses.
 */
export const EVERYWHERE = '*';

/** Failed attempts within the time of the limit. */
export interface Failures {
  /** Failures of the name from the address. */
  readonly own: number;
  readonly at_place: number;
  readonly of_account: number;
  /** True if the account has signed in from the address. */
  readonly is_known: boolean;
}
const NO_FAILURES: Failures = { own: 0, at_place: 0, of_account: 0, is_known: false };

/** A lock of a name, or of an address for the names that never signed in there. */
export type Lock = 'name' | 'address';

export interface Lockout {
  /**
   * Starts a password check, or returns what is locked. The returned function ends the check.
   */
  enter(username: string, remoteAddress: string): Promise<(() => void) | Lock>;
  /**
   * Returns true if failures of this name lock it here. For users who proved a password, a key or a
   * sign-in: names that others try at the address do not count.
   */
  isNameLocked(username: string, remoteAddress: string): Promise<boolean>;
  /**
   * Returns `name` if this name is locked, from this address or from unknown ones; `address` if
   * failures of other names lock this address. Decides from the row of {@link failuresOf}.
   */
  lockBy(username: string, failures: Failures): Lock | undefined;
  /** Counts a failure; returns the remaining attempts of the name from this address. */
  failed(username: string, remoteAddress: string): Promise<number>;
  /** Returns true if too many wrong second factors of this name were tried, from any address. */
  isSecondBlocked(username: string): Promise<boolean>;
  /** Counts a wrong second factor for the name and the address. */
  secondFailed(username: string, remoteAddress: string): Promise<void>;
  /** Resets all failures of a name. */
  unblock(username: string): Promise<void>;
  /**
   * Call after a new password: resets wrong passwords. Wrong second factors stay counted, because
   * otherwise mailed links would give new guesses.
   */
  passwordRenewed(username: string): Promise<void>;
  minutes(): number;
}

/** A later time was written by a clock that was ahead, and must lock no account for as long. */
const recentOf = (settings: SettingsService): Sql =>
  sql`date_last between now() - make_interval(
    mins => ${settings.get('SECURITY_LOGIN_LIMIT_TIME')}) and now() + interval '1 minute'`;

/** Condition: the account with alias `t` is locked, from one address or from unknown ones. */
export function isLockedOut(settings: SettingsService): Sql {
  const limit = settings.get('SECURITY_LOGIN_LIMIT_COUNT');
  return sql`exists (
    select 1 from login_attempt a
    where a.username = ${accountKeyOf(sql`t.username`)} and a.${recentOf(settings)}
    having max(a.failures) >= ${limit}
      or coalesce(sum(least(a.failures, ${limit}))
        filter (where a.remote_addr <> ${EVERYWHERE}), 0) >= ${limit * ACCOUNT_FACTOR})`;
}

/** The end of a query on `login_attempt` that groups the addresses locked for unknown names. */
export const isAddressFull = (settings: SettingsService): Sql => sql`
  where remote_addr <> ${EVERYWHERE} and ${recentOf(settings)}
  group by remote_addr
  having sum(failures) >= ${settings.get('SECURITY_LOGIN_LIMIT_COUNT') * PLACE_FACTOR}`;

/** Reads the failures that decide whether a name or an address is locked: one row. */
export function failuresOf(
  settings: SettingsService,
  username: string,
  remoteAddress: string,
): Sql<Failures> {
  const [key, place] = [accountKey(username), networkOf(remoteAddress)];
  return sql<Failures>`
    select coalesce(sum(failures)
        filter (where username = ${key} and remote_addr = ${place}), 0)::integer as own,
      coalesce(sum(failures) filter (where remote_addr = ${place}), 0)::integer
        as at_place,
      coalesce(sum(least(failures, ${settings.get('SECURITY_LOGIN_LIMIT_COUNT')}))
        filter (where username = ${key} and remote_addr <> ${EVERYWHERE}), 0)::integer
        as of_account,
      exists (
        select 1 from known_place k join account a on a.id = k.user_id
        where k.place = ${place} and ${accountKeyOf(sql`a.username`)} = ${key}) as is_known
    from login_attempt
    where (username = ${key} or remote_addr = ${place}) and ${recentOf(settings)}`;
}

/**
 * Condition: another account is counted under the same key, such as `alice` next to
 * `alice@example.com`. A sign-in of one does not reset the failures of the other.
 */
const isShared = (username: string): Sql => sql`exists (
  select from account other
  where ${accountKeyOf(sql`other.username`)} = ${accountKey(username)}
    and other.username <> ${username})`;

/**
 * The `with` queries of a complete sign-in: they reset the failures of the account from its address
 * and remember the address, whose date of use is exact to an hour.
 */
export function succeededFrom(
  remoteAddress: string,
  { id, username }: { readonly id: string; readonly username: string },
): Sql {
  const place = networkOf(remoteAddress);
  return sql`
    forgiven as (
      delete from login_attempt
      where username = ${accountKey(username)} and remote_addr in (${place}, ${EVERYWHERE})
        and not ${isShared(username)}),
    place as (
      insert into known_place (user_id, place) values (${id}, ${place})
      on conflict (user_id, place) do update set date_used = now()
        where known_place.date_used < now() - interval '1 hour')`;
}

/**
 * Limits sign-in attempts: by name and address, by address, by name over unknown addresses, and for
 * second factors by name. `processes` is the number of processes that check passwords.
 */
export function createLockout(db: Db, settings: SettingsService, processes = 1): Lockout {
  const limit = () => settings.get('SECURITY_LOGIN_LIMIT_COUNT');
  const recent = () => recentOf(settings);
  // Running password checks per name: parallel attempts from many addresses would all start before
  // the first failure counts. The other processes may run as many.
  const running = new Map<string, number>();

  const count = async (username: string, place: string): Promise<void> => {
    await sql`
      insert into login_attempt as known (username, remote_addr, failures)
      values (${accountKey(username)}, ${place}, 1)
      on conflict (username, remote_addr) do update set date_last = now(),
        failures = case when known.${recent()} then known.failures + 1 else 1 end`.execute(db);
  };

  /** Returns the remaining attempts of the name at the address, and of the address. */
  const leftOf = (username: string, { own, at_place, of_account, is_known }: Failures) => {
    const ofAccount = is_known
      ? Number.POSITIVE_INFINITY
      : limit() * ACCOUNT_FACTOR -
        of_account -
        (running.get(accountKey(username)) ?? 0) * processes;
    // A user where the account has signed in before does not pay for the names that others try.
    const ofPlace = is_known ? Number.POSITIVE_INFINITY : limit() * PLACE_FACTOR - at_place;
    return { name: Math.min(limit() - own, ofAccount), place: ofPlace };
  };
  const left = async (username: string, remoteAddress: string) => {
    const { rows } = await failuresOf(settings, username, remoteAddress).execute(db);
    return leftOf(username, rows[0] ?? NO_FAILURES);
  };
  const lockAt = ({ name, place }: { readonly name: number; readonly place: number }) =>
    name <= 0 ? 'name' : place <= 0 ? 'address' : undefined;

  return {
    minutes: () => settings.get('SECURITY_LOGIN_LIMIT_TIME'),
    async enter(username, remoteAddress) {
      const lock = lockAt(await left(username, remoteAddress));
      if (lock) return lock;
      const key = accountKey(username);
      running.set(key, (running.get(key) ?? 0) + 1);
      let isRunning = true;
      return () => {
        if (!isRunning) return;
        isRunning = false;
        const others = (running.get(key) ?? 1) - 1;
        if (others > 0) running.set(key, others);
        else running.delete(key);
      };
    },
    isNameLocked: async (username, remoteAddress) =>
      lockAt(await left(username, remoteAddress)) === 'name',
    lockBy: (username, found) => lockAt(leftOf(username, found)),
    async failed(username, remoteAddress) {
      await count(username, networkOf(remoteAddress));
      return Math.max(0, (await left(username, remoteAddress)).name);
    },
    async isSecondBlocked(username) {
      const { rows } = await sql`
        select 1 from login_attempt
        where username = ${accountKey(username)} and remote_addr = ${EVERYWHERE}
          and failures >= ${limit()} and ${recent()}`.execute(db);
      return rows.length > 0;
    },
    async secondFailed(username, remoteAddress) {
      await count(username, EVERYWHERE);
      await count(username, networkOf(remoteAddress));
    },
    async unblock(username) {
      await sql`delete from login_attempt where username = ${accountKey(username)}`.execute(db);
    },
    async passwordRenewed(username) {
      await sql`
        delete from login_attempt
        where username = ${accountKey(username)}
          and remote_addr <> ${EVERYWHERE} and not ${isShared(username)}`.execute(db);
    },
  };
}
