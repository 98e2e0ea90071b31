import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { allOf } from '../../resources/read/scope.ts';
import { isOnline, TODAY, wasUsed } from '../assets/index.ts';

/** Pending changes of an organization above which the next reader merges them (migration 0270). */
const MOST_CHANGES = 1_000;

async function sumOf(organization: string, condition: Sql, db: Db): Promise<number> {
  const { rows } = await sql<{ sum: number; changes: number }>`
    select coalesce(sum(assets), 0)::integer as sum, count(*)::integer as changes from asset_tally
      where org_id = ${organization} and ${condition}`.execute(db);
  const { sum, changes } = rows[0] ?? { sum: 0, changes: 0 };
  if (changes > MOST_CHANGES) await sql`select asset_tally_gather(${organization})`.execute(db);
  return sum;
}

/** Counts the assets of an organization. */
export const countAssets = (organization: string, db: Db): Promise<number> =>
  sumOf(organization, sql`day is null`, db);

/** Counts the assets with a session of the organization in the last days. */
export const countUsedAssets = (organization: string, days: number, db: Db): Promise<number> =>
  sumOf(organization, sql`day > ${TODAY} - ${days}::integer`, db);

/** Rows of the lists of users, assets and sessions. */
export const TOP = 10;

/** A day in the time zone of the installation, with its first and last second and its counts. */
export interface Day {
  /** `2026-01-31` */
  readonly date: string;
  readonly from: Date;
  readonly to: Date;
  readonly sessions: number;
  readonly users: number;
  readonly assets: number;
}

/** The last days of an organization including today, oldest first. */
export async function lastDays(
  organization: string,
  days: number,
  db: Db,
): Promise<readonly Day[]> {
  const { rows } = await sql<Day>`
    select to_char(given.day, 'YYYY-MM-DD') as date, given.day::timestamp at time zone zone as from,
      ((given.day + 1)::timestamp at time zone zone) - interval '1 second' as to,
      coalesce(d.sessions, 0) as sessions, coalesce(d.users, 0) as users,
        coalesce(d.assets, 0) as assets
    from session_zone cross join lateral (select ${TODAY} - back as day
      from generate_series(0, ${days - 1}::integer) back) given
      left join session_day d on d.org_id = ${organization} and d.day = given.day
    order by given.day`.execute(db);
  return rows;
}

/**
 * Computes the sums of the finished days of a period, unless they are current. The following
 * functions read them.
 */
export async function sumFinishedDays(organization: string, days: number, db: Db): Promise<void> {
  await sql`select session_window_refresh(${organization}, ${days}::integer)`.execute(db);
}

/**
 * Counts the distinct users with a session in the last days, including deleted users. Requires
 * {@link sumFinishedDays}.
 */
export async function countLoginUsers(organization: string, days: number, db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce((select users from session_window
      where org_id = ${organization} and days = ${days}), 0) + (
      select count(*) from session_day_user d
        where d.org_id = ${organization} and d.day = ${TODAY} and not exists (
        select 1 from session_window_user w
          where w.org_id = ${organization} and w.days = ${days} and w.user_id = d.user_id))::integer
          as count`.execute(db);
  return rows[0]?.count ?? 0;
}

export interface Top {
  /** Empty if the sessions have no id. */
  readonly id: string;
  readonly name: string;
  readonly total: number;
  readonly last: Date;
}

const SOURCES = {
  user: {
    table: sql`session_day_user`,
    past: sql`session_window_user`,
    last: sql`session_last_user`,
    key: sql`user_id`,
  },
  asset: {
    table: sql`session_day_asset`,
    past: sql`session_window_asset`,
    last: sql`session_last_asset`,
    key: sql`asset_id`,
  },
} as const;

/** Maximum entries of today that are looked up one by one in the finished days. */
const MOST_OF_TODAY = 100;

/**
 * The users or assets with the most sessions in the last days, at most {@link TOP}. Requires {@link
 * sumFinishedDays}.
 * The tenth of the finished days is a lower bound for the result. An entry with few sessions today
 * therefore needs nearly as many in the finished days: the index returns those first. Entries with
 * many sessions today are looked up one by one. A join would read all sums, as new ones have no
 * statistics yet.
 */
export async function topOf(
  kind: keyof typeof SOURCES,
  organization: string,
  days: number,
  db: Db,
): Promise<readonly Top[]> {
  const { table, past, last, key } = SOURCES[kind];
  const finished = sql`${past} w where w.org_id = ${organization} and w.days = ${days}`;
  const { rows } = await sql<Top>`
    with today as materialized (
      select ${key} as id, sessions from ${table} where org_id = ${organization} and day = ${TODAY}
    ), busy as materialized (
      select id from today order by sessions desc limit ${MOST_OF_TODAY}
    ), bound as materialized (
      select coalesce((select w.sessions from ${finished} order by w.sessions desc,
        w.${key} offset ${TOP - 1} limit 1), 0)
        - coalesce((select sessions from today
          order by sessions desc offset ${MOST_OF_TODAY} limit 1), 0) as least
    ), top as (
      select found.id, sum(found.sessions)::integer as total from (
        select id, sessions from today
        union all
        select w.${key}, w.sessions from ${finished} and w.sessions >= (select least from bound)
        union all
        select busy.id, w.sessions from busy
          cross join lateral (select w.sessions from ${finished} and w.${key} = busy.id offset 0) w
        where w.sessions < (select least from bound)
      ) found group by 1 order by 2 desc, 1 limit ${TOP})
    select case when latest.has_id then top.id::text else '' end as id, latest.name, top.total,
      latest.last_start as last
    from top left join ${last} known on known.org_id = ${organization} and known.${key} = top.id
      join ${table} latest on latest.org_id = ${organization} and latest.${key} = top.id
        and latest.day = coalesce(known.day, (
        select max(d.day) from generate_series(0, ${days - 1}::integer) back
          join ${table} d on d.org_id = ${organization} and d.day = ${TODAY} - back
            and d.${key} = top.id))
    order by top.total desc, top.id`.execute(db);
  return rows;
}

export interface LatestRow {
  readonly id: string;
  readonly user: string;
  readonly asset: string;
  readonly isFinished: boolean;
  readonly isEmergency: boolean;
  readonly start: Date;
}

/** The sessions that started last, at most {@link TOP}. `scope` is a condition on sessions `t`. */
export async function latestSessions(scope: Sql, db: Db): Promise<readonly LatestRow[]> {
  const { rows } = await sql<LatestRow>`
    select t.id, t."user", t.asset, t.is_finished as "isFinished", t.is_emergency as "isEmergency",
      t.date_start as start
    from session t where ${scope} and not t.is_canary
    order by t.date_start desc, t.id desc limit ${TOP}`.execute(db);
  return rows;
}

/** Counts the rows of a table `t` that match a condition. */
async function countWhere(table: string, condition: Sql, db: Db): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::integer as count from ${sql.table(table)} t where ${condition}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Numbers of users or assets: with a session in the last days, disabled, and both. */
export interface Divided {
  readonly active: number;
  readonly disabled: number;
  readonly both: number;
}

/**
 * Up to this many disabled rows are looked up one by one. Beyond it, the used rows are read
 * instead.
 */
const MOST_LOOKED_UP = 5_000;

/**
 * Counts the disabled users or assets of a scope with a session in the last days, by one lookup per
 * row.
 */
async function countDisabledUsed(
  kind: 'user' | 'asset',
  { days, scope }: { readonly days: number; readonly scope: Sql },
  { actor }: Pick<Caller, 'actor'>,
  db: Db,
): Promise<number> {
  const [table, last, key] =
    kind === 'user'
      ? ['account', 'session_last_user', 'user_id']
      : ['asset', 'session_last_asset', 'asset_id'];
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (select t.id from ${sql.table(table)} t
      where ${scope} and not t.is_active offset 0) disabled cross join lateral (
      select 1 from ${sql.table(last)} used
      where used.org_id = ${actor.organization.id} and ${sql.ref(`used.${key}`)} = disabled.id
        and used.day > ${TODAY} - ${days}::integer limit 1) used`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Counts users or assets by use and state. `scope` is a condition on `t`.
 */
export async function divide(
  kind: 'user' | 'asset',
  { days, scope }: { readonly days: number; readonly scope: Sql },
  caller: Pick<Caller, 'actor'>,
  db: Db,
): Promise<Divided> {
  const table = kind === 'user' ? 'account' : 'asset';
  const count = (condition: Sql) => countWhere(table, allOf([scope, condition]), db);
  const [active, disabled] = await Promise.all([
    kind === 'asset'
      ? countUsedAssets(caller.actor.organization.id, days, db)
      : count(wasUsed(kind, days, caller)),
    count(sql`not t.is_active`),
  ]);
  const isMany = disabled > MOST_LOOKED_UP;
  const both = isMany
    ? await count(sql`not t.is_active and ${wasUsed(kind, days, caller)}`)
    : disabled && (await countDisabledUsed(kind, { days, scope }, caller, db));
  return { active, disabled, both };
}

/**
 * Counts the users with an open session in an organization. `scope` is a condition on users `t`.
 */
export const countOnlineUsers = (scope: Sql, organization: string, db: Db): Promise<number> =>
  countWhere('account', allOf([scope, isOnline(organization)]), db);

/** Counts the open sessions. `scope` is a condition on sessions `t`. */
export const countOpenSessions = (scope: Sql, db: Db): Promise<number> =>
  countWhere('session', sql`${scope} and not t.is_finished and not t.is_canary`, db);
