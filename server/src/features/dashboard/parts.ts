import {
  asset,
  type DashboardIndex,
  type DashboardPart,
  formatDatetime,
  type Language,
  session,
  user,
} from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { countRows } from '../../resources/read/count.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import {
  countAssets,
  countLoginUsers,
  countOnlineUsers,
  countOpenSessions,
  type Day,
  divide,
  latestSessions,
  topOf,
} from './store.ts';

const UNITS = [
  { unit: 'year', seconds: 31_536_000 },
  { unit: 'month', seconds: 2_592_000 },
  { unit: 'week', seconds: 604_800 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/**
 * Formats the time since a date in its largest unit: “5 minutes ago”. A future date is 0 seconds
 * ago.
 */
function timeSince(date: Date, now: Date, language: Language): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - date.getTime()) / 1000));
  const { unit, seconds: length } = UNITS.find((one) => seconds >= one.seconds) ?? UNITS[6];
  return new Intl.RelativeTimeFormat(language === 'zh' ? 'zh-CN' : 'en').format(
    -Math.floor(seconds / length),
    unit,
  );
}

/** Rows of the short list of top users. */
const FEW = 5;
const RESOURCES = { user, asset } as const;

type Kind = keyof typeof RESOURCES;

export interface DashboardServices {
  readonly db: Db;
  /** For numbers that may be some seconds old. */
  readonly replica: Db;
  readonly engines: Engines;
}

/** One request for the numbers of the dashboard. */
export interface Question extends DashboardServices {
  readonly context: Context;
  /** Number of days back from today. */
  readonly days: number;
  readonly isRequested: (part: DashboardPart) => boolean;
  /** Counts the users or assets in the lists of the caller, each kind once. */
  readonly countAll: (kind: Kind) => Promise<number>;
}

/** A part of the answer. */
export type Part = Partial<{ -readonly [Key in keyof DashboardIndex]: DashboardIndex[Key] }>;

const scopeIn = (
  { engines, context }: Pick<Question, 'engines' | 'context'>,
  resource: typeof user | typeof asset | typeof session,
) => scopeOf(engineOf(engines, resource), context);

const organizationOf = ({ context }: Question): string => context.actor.organization.id;

/** Writes a date in the time zone of the caller. */
export const writeDate = (date: Date, { zone }: Context): string => formatDatetime(date, zone);

/** Creates a function that counts each kind once. */
export function createCounter(
  { db, engines }: Pick<DashboardServices, 'db' | 'engines'>,
  context: Context,
): Question['countAll'] {
  const counted = new Map<Kind, Promise<number>>();
  const count = async (kind: Kind) =>
    kind === 'asset'
      ? countAssets(context.actor.organization.id, db)
      : (await countRows(db, 'account', scopeIn({ engines, context }, user))).count;
  return (kind) => {
    const number = counted.get(kind) ?? count(kind);
    counted.set(kind, number);
    return number;
  };
}

/** Total numbers of users, assets and sessions. */
export async function readTotals(question: Question): Promise<Part> {
  const { isRequested, countAll, db } = question;
  const isSelected = (part: DashboardPart) => isRequested('total_count') || isRequested(part);
  const [users, assets, onlineUsers, onlineSessions] = await Promise.all([
    isSelected('total_count_users') ? countAll('user') : undefined,
    isSelected('total_count_assets') ? countAll('asset') : undefined,
    isSelected('total_count_online_users')
      ? countOnlineUsers(scopeIn(question, user), organizationOf(question), db)
      : undefined,
    isSelected('total_count_online_sessions')
      ? countOpenSessions(scopeIn(question, session), db)
      : undefined,
  ]);
  return {
    ...(users !== undefined && { total_count_users: users }),
    ...(assets !== undefined && { total_count_assets: assets }),
    ...(onlineUsers !== undefined && { total_count_online_users: onlineUsers }),
    ...(onlineSessions !== undefined && { total_count_online_sessions: onlineSessions }),
  };
}

/** Sessions, active users and active assets of each day. */
export function writeMetrics(days: readonly Day[], context: Context): Part {
  return {
    dates_metrics_date: days.map(({ date }) => date.slice(5)),
    dates_metrics_total_count_login: days.map(({ sessions }) => sessions),
    dates_metrics_total_count_active_users: days.map(({ users }) => users),
    dates_metrics_total_count_active_assets: days.map(({ assets }) => assets),
    dates_metrics_range: days.map(({ date, from, to }) => ({
      date,
      from: writeDate(from, context),
      to: writeDate(to, context),
    })),
  };
}

async function divideKind(kind: Kind, { days, context, countAll, db, engines }: Question) {
  const scope = scopeIn({ engines, context }, RESOURCES[kind]);
  const [all, divided] = await Promise.all([
    countAll(kind),
    divide(kind, { days, scope }, context, db),
  ]);
  return { ...divided, inactive: Math.max(0, all - divided.active) };
}

/** Users and assets divided into active, inactive and disabled ones. */
export async function readRings(question: Question): Promise<Part> {
  const { isRequested } = question;
  const [users, assets] = await Promise.all([
    isRequested('dates_total_count_users') ? divideKind('user', question) : undefined,
    isRequested('dates_total_count_assets') ? divideKind('asset', question) : undefined,
  ]);
  return {
    ...(users && {
      dates_total_count_active_users: users.active,
      dates_total_count_inactive_users: users.inactive,
      dates_total_count_disabled_users: users.disabled,
      dates_total_count_disabled_active_users: users.both,
    }),
    ...(assets && {
      dates_total_count_active_assets: assets.active,
      dates_total_count_inactive_assets: assets.inactive,
      dates_total_count_disabled_assets: assets.disabled,
      dates_total_count_disabled_active_assets: assets.both,
    }),
  };
}

/** Users who connected. */
export async function readLoginUsers(question: Question): Promise<Part> {
  const { isRequested, days, db } = question;
  if (!isRequested('dates_total_count')) return {};
  return {
    dates_total_count_login_users: await countLoginUsers(organizationOf(question), days, db),
  };
}

/** Counts the sessions of all days. */
export const writeLoginTimes = (days: readonly Day[]): Part => ({
  dates_total_count_login_times: days.reduce((sum, { sessions }) => sum + sessions, 0),
});

/** The users and assets with the most sessions. */
export async function readTops(question: Question): Promise<Part> {
  const { isRequested, days, context, db } = question;
  const organization = organizationOf(question);
  const [few, ten] = [
    isRequested('dates_login_times_top5_users'),
    isRequested('dates_login_times_top10_users'),
  ];
  const [users, assets] = await Promise.all([
    few || ten ? topOf('user', organization, days, db) : [],
    isRequested('dates_login_times_top10_assets')
      ? topOf('asset', organization, days, db)
      : undefined,
  ]);
  return {
    ...(few && {
      dates_login_times_top5_users: users
        .slice(0, FEW)
        .map(({ name, total }) => ({ user: name, total })),
    }),
    ...(ten && {
      dates_login_times_top10_users: users.map(({ id, name, total, last }) => ({
        user: name,
        user_id: id,
        total,
        last: writeDate(last, context),
      })),
    }),
    ...(assets && {
      dates_login_times_top10_assets: assets.map(({ id, name, total, last }) => ({
        asset: name,
        asset_id: id,
        total,
        last: writeDate(last, context),
      })),
    }),
  };
}

/** The latest sessions. */
export async function readLatest(question: Question): Promise<Part> {
  const { isRequested, context, db } = question;
  if (!isRequested('dates_login_record_top10_sessions')) return {};
  const now = new Date();
  const rows = await latestSessions(scopeIn(question, session), db);
  return {
    dates_login_record_top10_sessions: rows.map(
      ({ id, user, asset, isFinished, isEmergency, start }) => ({
        id,
        user,
        asset,
        is_finished: isFinished,
        is_emergency: isEmergency,
        date_start: writeDate(start, context),
        timesince: timeSince(start, now, context.language),
      }),
    ),
  };
}
