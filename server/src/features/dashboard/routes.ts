import {
  asset,
  DASHBOARD_DAYS,
  DASHBOARD_PARTS,
  type DashboardIndex,
  type DashboardPart,
  type Fields,
  formatDatetime,
  Permission,
  session,
  text,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { countRows } from '../../resources/count.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/scope.ts';
import { EXAMPLE } from './example.ts';
import {
  countAssets,
  countLoginUsers,
  countOnlineUsers,
  countOpenSessions,
  type Day,
  divide,
  lastDays,
  latestSessions,
  sumFinishedDays,
  topOf,
} from './store.ts';
import { timeSince } from './time-since.ts';

/** Rows of the short list of top users. */
const FEW = 5;

/** Any value selects the part. */
const flag = (name: string) => text({ label: { en: name, zh: name }, max: 16, required: false });
const QUERY: Fields = Object.fromEntries(
  ['all', 'monthly', ...DASHBOARD_PARTS].map((name) => [name, flag(name)]),
);

const TOPS = [
  'dates_login_times_top5_users',
  'dates_login_times_top10_users',
  'dates_login_times_top10_assets',
] as const satisfies readonly DashboardPart[];

type Kind = 'user' | 'asset';
type CountAll = (kind: Kind) => Promise<number>;
const RESOURCES = { user, asset } as const;

type Answer = Partial<{ -readonly [Key in keyof DashboardIndex]: DashboardIndex[Key] }>;

/** Computes parts of the answer one after the other. */
async function inTurn(parts: readonly (() => Promise<Answer>)[]): Promise<Answer> {
  const answer: Answer = {};
  for (const part of parts) Object.assign(answer, await part());
  return answer;
}

/** Mounts `GET index/`, the numbers of the dashboard. */
export function mountIndex(
  app: FastifyInstance,
  { db, engines }: { readonly db: Db; readonly engines: Engines },
): void {
  const scope = (resource: typeof user | typeof asset | typeof session, context: Context) =>
    scopeOf(engineOf(engines, resource), context);

  /**
   * Creates a function that counts the users or assets in the lists of the caller. It counts each
   * kind once per request.
   */
  const counterOf = (context: Context): CountAll => {
    const counted = new Map<Kind, Promise<number>>();
    return (kind) => {
      const number =
        counted.get(kind) ??
        (kind === 'asset' ? countAssets(context.actor.organization.id, db) : countUsers(context));
      counted.set(kind, number);
      return number;
    };
  };
  const countUsers = async (context: Context) =>
    (await countRows(db, 'account', scope(user, context))).count;
  const divided = async (kind: Kind, days: number, context: Context, countAll: CountAll) =>
    divide(
      kind,
      { days, scope: scope(RESOURCES[kind], context), all: await countAll(kind) },
      context,
      db,
    );

  const write = (date: Date, { zone }: Context) => formatDatetime(date, zone);

  async function totals(
    isRequested: (part: DashboardPart) => boolean,
    context: Context,
    countAll: CountAll,
  ): Promise<Answer> {
    const { id } = context.actor.organization;
    const isSelected = (part: DashboardPart) => isRequested('total_count') || isRequested(part);
    return {
      ...(isSelected('total_count_users') && { total_count_users: await countAll('user') }),
      ...(isSelected('total_count_assets') && { total_count_assets: await countAll('asset') }),
      ...(isSelected('total_count_online_users') && {
        total_count_online_users: await countOnlineUsers(scope(user, context), id, db),
      }),
      ...(isSelected('total_count_online_sessions') && {
        total_count_online_sessions: await countOpenSessions(scope(session, context), db),
      }),
    };
  }

  function metrics(days: readonly Day[], context: Context): Answer {
    return {
      dates_metrics_date: days.map(({ date }) => date.slice(5)),
      dates_metrics_total_count_login: days.map(({ sessions }) => sessions),
      dates_metrics_total_count_active_users: days.map(({ users }) => users),
      dates_metrics_total_count_active_assets: days.map(({ assets }) => assets),
      dates_metrics_range: days.map(({ date, from, to }) => ({
        date,
        from: write(from, context),
        to: write(to, context),
      })),
    };
  }

  async function rings(
    isRequested: (part: DashboardPart) => boolean,
    days: number,
    context: Context,
    countAll: CountAll,
  ): Promise<Answer> {
    const [users, assets] = await Promise.all([
      isRequested('dates_total_count_users') ? divided('user', days, context, countAll) : undefined,
      isRequested('dates_total_count_assets')
        ? divided('asset', days, context, countAll)
        : undefined,
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

  const logins = async (
    days: readonly Day[],
    organization: string,
    back: number,
  ): Promise<Answer> => ({
    dates_total_count_login_users: await countLoginUsers(organization, back, db),
    dates_total_count_login_times: days.reduce((sum, { sessions }) => sum + sessions, 0),
  });

  async function tops(
    isRequested: (part: DashboardPart) => boolean,
    days: number,
    context: Context,
  ): Promise<Answer> {
    const { id: organization } = context.actor.organization;
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
          last: write(last, context),
        })),
      }),
      ...(assets && {
        dates_login_times_top10_assets: assets.map(({ id, name, total, last }) => ({
          asset: name,
          asset_id: id,
          total,
          last: write(last, context),
        })),
      }),
    };
  }

  async function latest(context: Context): Promise<Answer> {
    const now = new Date();
    const rows = await latestSessions(scope(session, context), db);
    return {
      dates_login_record_top10_sessions: rows.map(
        ({ id, user, asset, isFinished, isEmergency, start }) => ({
          id,
          user,
          asset,
          is_finished: isFinished,
          is_emergency: isEmergency,
          date_start: write(start, context),
          timesince: timeSince(start, now, context.language),
        }),
      ),
    };
  }

  route(app, {
    method: 'GET',
    url: '/api/v1/index/',
    access: Permission.AUDIT,
    summary:
      'The numbers of the dashboard in the current organization. Each part is asked for by a parameter with any value, `all` asks for all of them; days are the last week, or with `monthly` the last 30 days, of the time zone of the installation.',
    query: QUERY,
    answer: samples<DashboardIndex>(EXAMPLE, {}),
    async handler(context): Promise<DashboardIndex> {
      const isSet = (name: string) => (context.query.get(name) ?? '') !== '';
      const isRequested = (part: DashboardPart) => isSet('all') || isSet(part);
      const back = isSet('monthly') ? DASHBOARD_DAYS.month : DASHBOARD_DAYS.week;
      const { id: organization } = context.actor.organization;
      const countAll = counterOf(context);
      const isTotal =
        !isSet('all') && !DASHBOARD_PARTS.some((part) => part.startsWith('dates_') && isSet(part));
      if (isTotal) return totals(isRequested, context, countAll);

      const countsPeople = isRequested('dates_total_count') || TOPS.some(isRequested);
      const [days] = await Promise.all([
        lastDays(organization, back, db),
        countsPeople && sumFinishedDays(organization, back, db),
      ]);
      const [first, last] = [days[0], days.at(-1)];
      // The parts are independent. Running two at a time limits the connections of one page.
      const [numbers, lists] = await Promise.all([
        inTurn([
          () => totals(isRequested, context, countAll),
          () => rings(isRequested, back, context, countAll),
        ]),
        inTurn([
          async () => (isRequested('dates_total_count') ? logins(days, organization, back) : {}),
          () => tops(isRequested, back, context),
          async () => (isRequested('dates_login_record_top10_sessions') ? latest(context) : {}),
        ]),
      ]);
      return {
        ...(first &&
          last && {
            dates_range: { from: write(first.from, context), to: write(last.to, context) },
          }),
        ...(isRequested('dates_metrics') && metrics(days, context)),
        ...numbers,
        ...lists,
      };
    },
  });
}
