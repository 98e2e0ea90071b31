import {
  DASHBOARD_DAYS,
  DASHBOARD_PARTS,
  type DashboardIndex,
  type DashboardPart,
  type Fields,
  Permission,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import {
  createCounter,
  type DashboardServices,
  type Part,
  type Question,
  readLatest,
  readLoginUsers,
  readRings,
  readTops,
  readTotals,
  writeDate,
  writeLoginTimes,
  writeMetrics,
} from './parts.ts';
import { lastDays, sumFinishedDays } from './store.ts';

const EXAMPLE: DashboardIndex = {
  total_count_users: 42,
  total_count_assets: 310,
  total_count_online_users: 3,
  total_count_online_sessions: 4,
  dates_range: { from: '2026-01-25 00:00:00 +0800', to: '2026-01-31 23:59:59 +0800' },
  dates_metrics_date: ['01-31'],
  dates_metrics_total_count_login: [12],
  dates_metrics_total_count_active_users: [5],
  dates_metrics_total_count_active_assets: [7],
  dates_metrics_range: [
    { date: '2026-01-31', from: '2026-01-31 00:00:00 +0800', to: '2026-01-31 23:59:59 +0800' },
  ],
  dates_total_count_active_users: 20,
  dates_total_count_inactive_users: 22,
  dates_total_count_disabled_users: 2,
  dates_total_count_disabled_active_users: 1,
  dates_total_count_active_assets: 60,
  dates_total_count_inactive_assets: 250,
  dates_total_count_disabled_assets: 4,
  dates_total_count_disabled_active_assets: 0,
  dates_total_count_login_users: 20,
  dates_total_count_login_times: 12,
  dates_login_times_top5_users: [{ user: 'Li Wei(li.wei)', total: 9 }],
  dates_login_times_top10_users: [
    {
      user: 'Li Wei(li.wei)',
      user_id: exampleId('user'),
      total: 9,
      last: '2026-01-31 08:30:00 +0800',
    },
  ],
  dates_login_times_top10_assets: [
    {
      asset: 'web-prod-01',
      asset_id: exampleId('asset'),
      total: 4,
      last: '2026-01-31 08:30:00 +0800',
    },
  ],
  dates_login_record_top10_sessions: [
    {
      id: exampleId('session'),
      user: 'Li Wei(li.wei)',
      asset: 'web-prod-01',
      is_finished: false,
      is_emergency: false,
      date_start: '2026-01-31 08:30:00 +0800',
      timesince: '5 minutes ago',
    },
  ],
};

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

/** Computes parts of the answer that do not wait for each other. */
const merged = async (...parts: readonly Promise<Part>[]): Promise<Part> =>
  Object.assign({}, ...(await Promise.all(parts)));

/** Answers with the parts that the parameters select. */
async function showIndex(services: DashboardServices, context: Context): Promise<DashboardIndex> {
  const isSet = (name: string) => (context.query.get(name) ?? '') !== '';
  const question = {
    ...services,
    context,
    days: isSet('monthly') ? DASHBOARD_DAYS.month : DASHBOARD_DAYS.week,
    isRequested: (part: DashboardPart) => isSet('all') || isSet(part),
  };
  const isTotal =
    !isSet('all') && !DASHBOARD_PARTS.some((part) => part.startsWith('dates_') && isSet(part));
  return isTotal
    ? services.replica.together((db) => readTotals(on(db, question)))
    : showDays(question);
}

/** The question with a connection for its queries. */
const on = (db: Db, question: Omit<Question, 'countAll'>): Question => ({
  ...question,
  db,
  countAll: createCounter({ ...question, db }, question.context),
});

/** Answers with the parts about the last days, and the totals. */
async function showDays(question: Omit<Question, 'countAll'>): Promise<DashboardIndex> {
  const { db, replica, context, isRequested } = question;
  const { id: organization } = context.actor.organization;
  const countsPeople = isRequested('dates_total_count') || TOPS.some(isRequested);
  // Two connections limit what one page takes.
  const [numbers, [days, , lists]] = await Promise.all([
    replica.together(async (one) => {
      const bound = on(one, question);
      return merged(readTotals(bound), readRings(bound), readLatest(bound));
    }),
    // This part writes the sums. A connection executes in order, so they are current for the users
    // and the lists.
    db.together(async (one) => {
      const bound = on(one, question);
      return Promise.all([
        lastDays(organization, question.days, one),
        countsPeople && sumFinishedDays(organization, question.days, one),
        merged(readLoginUsers(bound), readTops(bound)),
      ]);
    }),
  ]);
  const [first, last] = [days[0], days.at(-1)];
  return {
    ...(first &&
      last && {
        dates_range: { from: writeDate(first.from, context), to: writeDate(last.to, context) },
      }),
    ...(isRequested('dates_metrics') && writeMetrics(days, context)),
    ...(isRequested('dates_total_count') && writeLoginTimes(days)),
    ...numbers,
    ...lists,
  };
}

/** Mounts `GET index/`, the numbers of the dashboard. */
export function mountIndex(app: FastifyInstance, services: DashboardServices): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/index/',
    access: Permission.AUDIT,
    summary:
      'The numbers of the dashboard in the current organization. A parameter with any value selects a part, `all` selects every part. Days are the last 7, or with `monthly` the last 30, in the time zone of the installation.',
    query: QUERY,
    answer: samples<DashboardIndex>(EXAMPLE, {}),
    handler: (context) => showIndex(services, context),
  });
}
