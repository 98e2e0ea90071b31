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
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { EXAMPLE } from './example.ts';
import {
  createCounter,
  type DashboardServices,
  type Part,
  type Question,
  readLatest,
  readLogins,
  readRings,
  readTops,
  readTotals,
  writeDate,
  writeMetrics,
} from './parts.ts';
import { lastDays, sumFinishedDays } from './store.ts';

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

/** Computes parts of the answer one after the other. */
async function inTurn(parts: readonly (() => Promise<Part>)[]): Promise<Part> {
  const answer: Part = {};
  for (const part of parts) Object.assign(answer, await part());
  return answer;
}

/** Answers with the parts that the parameters select. */
async function showIndex(services: DashboardServices, context: Context): Promise<DashboardIndex> {
  const isSet = (name: string) => (context.query.get(name) ?? '') !== '';
  const question: Question = {
    ...services,
    context,
    days: isSet('monthly') ? DASHBOARD_DAYS.month : DASHBOARD_DAYS.week,
    isRequested: (part) => isSet('all') || isSet(part),
    countAll: createCounter(services, context),
  };
  const isTotal =
    !isSet('all') && !DASHBOARD_PARTS.some((part) => part.startsWith('dates_') && isSet(part));
  return isTotal ? readTotals(question) : showDays(question);
}

/** Answers with the parts about the last days, and the totals. */
async function showDays(question: Question): Promise<DashboardIndex> {
  const { db, context, isRequested } = question;
  const { id: organization } = context.actor.organization;
  const countsPeople = isRequested('dates_total_count') || TOPS.some(isRequested);
  const [days] = await Promise.all([
    lastDays(organization, question.days, db),
    countsPeople && sumFinishedDays(organization, question.days, db),
  ]);
  const [first, last] = [days[0], days.at(-1)];
  // The parts are independent. Running two at a time limits the connections of one page.
  const [numbers, lists] = await Promise.all([
    inTurn([() => readTotals(question), () => readRings(question)]),
    inTurn([
      () => readLogins(days, question),
      () => readTops(question),
      () => readLatest(question),
    ]),
  ]);
  return {
    ...(first &&
      last && {
        dates_range: { from: writeDate(first.from, context), to: writeDate(last.to, context) },
      }),
    ...(isRequested('dates_metrics') && writeMetrics(days, context)),
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
      'The numbers of the dashboard in the current organization. Each part is asked for by a parameter with any value, `all` asks for all of them; days are the last week, or with `monthly` the last 30 days, of the time zone of the installation.',
    query: QUERY,
    answer: samples<DashboardIndex>(EXAMPLE, {}),
    handler: (context) => showIndex(services, context),
  });
}
