import {
  DEPUTY_FIELDS,
  formatDatetime,
  Permission,
  type ReviewDeputies,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { parameter, readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { displayName } from '../../../platform/actor.ts';
import { databaseClock } from '../../../platform/clock.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { invalid } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { ResourceServices } from '../../../resources/hooks.ts';
import {
  deputyshipsOf,
  keepDeputy,
  possibleDeputy,
  removeDeputy,
  type StoredDeputy,
} from './store.ts';

const URL = '/api/v1/tickets/deputy/';
const DAY = 86_400_000;
const MOST_DAYS = 366;

const EXAMPLE = {
  user: exampleId('user'),
  user_display: 'Zhang San(zhang.san)',
  deputy: exampleId('user'),
  deputy_display: 'Li Wei(li.wei)',
  date_start: '2026-01-31 08:30:00 +0800',
  date_end: '2026-02-14 18:00:00 +0800',
  is_active: true,
};
const ANSWER = samples<ReviewDeputies>(
  { own: EXAMPLE, others: [EXAMPLE] },
  { own: null, others: [] },
);

interface DeputyOptions extends Pick<ResourceServices, 'db' | 'audit'> {
  readonly engines: Engines;
}

function wireOf(
  rows: readonly StoredDeputy[],
  userId: string,
  { zone }: Pick<Context, 'zone'>,
): ReviewDeputies {
  const all = rows.map((row) => ({
    ...row,
    date_start: formatDatetime(row.date_start, zone),
    date_end: formatDatetime(row.date_end, zone),
  }));
  return {
    own: all.find((row) => row.user === userId) ?? null,
    others: all.filter((row) => row.deputy === userId),
  };
}

const ownDeputies = async (context: Context, db: Db): Promise<ReviewDeputies> =>
  wireOf(await deputyshipsOf(context.actor.userId, '', db), context.actor.userId, context);

/** The deputy of the caller, as the operate log names it. */
async function deputyInWords({ actor, zone }: Context, tx: Tx): Promise<string> {
  const rows = await deputyshipsOf(actor.userId, '', tx);
  const own = rows.find((row) => row.user === actor.userId);
  if (!own) return '';
  const [start, end] = [own.date_start, own.date_end].map((date) => formatDatetime(date, zone));
  return `${own.deputy_display} (${start} – ${end})`;
}

/** Changes the deputy of the caller, with an entry in the operate log. */
const change = (context: Context, { db, audit }: DeputyOptions, work: (tx: Tx) => Promise<void>) =>
  transact(db, async (tx) => {
    const before = await deputyInWords(context, tx);
    await work(tx);
    const { actor } = context;
    await audit(tx, context, {
      action: 'update',
      resourceType: 'user',
      resource: displayName(actor),
      resourceId: actor.userId,
      changes: { deputy: [before, await deputyInWords(context, tx)] },
    });
  });

/** @throws Invalid */
async function setDeputy(options: DeputyOptions, context: Context): Promise<ReviewDeputies> {
  const { deputy, date_start: start, date_end: end } = readBody(context, DEPUTY_FIELDS);
  const { userId } = context.actor;
  if (end <= start) throw invalid('date_end', 'date_order');
  if (end <= databaseClock.date()) throw invalid('date_end', 'deputy_over');
  if (end.getTime() - start.getTime() > MOST_DAYS * DAY)
    throw invalid('date_end', 'request_too_long', { max: MOST_DAYS });
  await change(context, options, async (tx) => {
    const deputyId = await possibleDeputy(userId, deputy, tx);
    if (!deputyId) throw invalid('deputy', 'deputy_unknown', { name: deputy });
    await keepDeputy({ userId, deputyId, start, end }, tx);
  });
  return ownDeputies(context, options.db);
}

/** Routes for deputies of reviewers. */
export function mountDeputies(app: FastifyInstance, options: DeputyOptions): void {
  const { db, engines } = options;
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    area: 'own',
    summary: 'The deputy of the caller, and the reviewers whose deputy the caller is.',
    answer: ANSWER,
    handler: (context) => ownDeputies(context, db),
  });
  route(app, {
    method: 'PUT',
    url: URL,
    access: Permission.USE,
    area: 'own',
    summary: 'Appoint a deputy for a period, who also receives the requests to the caller.',
    body: DEPUTY_FIELDS,
    answer: ANSWER,
    handler: (context) => setDeputy(options, context),
  });
  route(app, {
    method: 'DELETE',
    url: URL,
    access: Permission.USE,
    area: 'own',
    summary: 'End the deputyship for the caller.',
    answer: ANSWER,
    async handler(context) {
      await change(context, options, (tx) => removeDeputy(context.actor.userId, tx));
      return ownDeputies(context, db);
    },
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/users/users/:id/deputies/',
    access: Permission.ADMIN,
    area: 'users',
    summary: 'The deputy of a user, and the reviewers whose deputy the user is.',
    answer: ANSWER,
    async handler(context) {
      const row = await engineOf(engines, user).reader.retrieve(parameter(context, 'id'), context);
      const id = String(row.id);
      return wireOf(await deputyshipsOf(id, context.actor.organization.id, db), id, context);
    },
  });
}
