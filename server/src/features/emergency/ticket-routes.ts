import {
  allows,
  assetPermission,
  type EmergencyFacts,
  type EmergencyReviewState,
  formatDatetime,
  isUuid,
  type OpenEmergency,
  type OwnEmergency,
  Permission,
  say,
  ticket,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { type Actor, displayName, systemCaller } from '../../platform/actor.ts';
import { writeByTicket } from '../../platform/change-gate.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { Conflict, Forbidden, notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { GrantService } from '../perms/index.ts';
import { addComment, assigneesOf, authorOf, lockTicket } from '../tickets/index.ts';
import {
  activationOf,
  hasReviewer,
  openNow,
  ownOpen,
  sessionsOf,
  unreviewed,
} from './activation-store.ts';
import { tellEnded } from './ended-news.ts';
import { standingAccess } from './store.ts';

const MOMENT = '2026-01-31 08:30:00 +0800';
const EXAMPLE: EmergencyFacts = {
  id: exampleId('ticket'),
  rule_name: 'Night shift',
  asset: exampleId('asset'),
  asset_display: 'web-prod-01(10.20.30.41)',
  org_id: '',
  org_name: 'DEFAULT',
  minutes: 30,
  date_start: MOMENT,
  date_expired: '2026-01-31 09:00:00 +0800',
  is_active: true,
  permission: exampleId('asset_permission'),
  sessions: [
    {
      id: exampleId('session'),
      system_user: 'ops',
      date_start: MOMENT,
      is_finished: false,
      can_join: true,
      can_replay: false,
      opened: false,
    },
  ],
  review: 'active',
  can_take_over: false,
};
const OPEN: OpenEmergency = {
  ticket: exampleId('ticket'),
  user_display: 'Li Wei(li.wei)',
  asset_display: 'web-prod-01(10.20.30.41)',
  date_expired: '2026-01-31 09:00:00 +0800',
  session: exampleId('session'),
};
const OWN: OwnEmergency = {
  ticket: exampleId('ticket'),
  asset_display: 'web-prod-01(10.20.30.41)',
  date_expired: '2026-01-31 09:00:00 +0800',
  seconds_left: 1_800,
  sessions: [exampleId('session')],
  staying: [],
};
const TAKEN = {
  en: 'No reviewer was available. {who} became the reviewer.',
  zh: '没有可用的复核人，{who} 成为复核人。',
};
/**
 * Administrators of the organization can replace missing reviewers, but not review their own
 * access.
 */
const mayTakeOver = (
  { user, org_id }: { readonly user: string | null; readonly org_id: string },
  { userId, permissions, organization }: Actor,
) => user !== userId && organization.id === org_id && allows(permissions, Permission.ADMIN);
const ENDED: EmergencyFacts = {
  ...EXAMPLE,
  asset: null,
  permission: null,
  is_active: false,
  sessions: [],
  review: 'ready',
};

interface ActivationOptions {
  readonly db: Db;
  readonly grants: GrantService;
  readonly engines: Engines;
}

/** Returns the emergency access of the ticket in the path. @throws NotFound */
async function activationIn({ db }: ActivationOptions, context: Context) {
  const id = parameter(context, 'id');
  const activation = isUuid(id) ? await activationOf(id, context.actor, db) : undefined;
  if (!activation) throw notFound();
  return activation;
}

/** The caller of a change that the system makes for an actor, in the organization of the access. */
function systemFor(actor: Actor, { org_id, org_name }: { org_id: string; org_name: string }) {
  const organization = { id: org_id, name: org_name };
  return {
    ...systemCaller('System', actor.remoteAddress, organization),
    requestedBy: { ...actor, organization },
  };
}

/** Lists the open emergency access of the current organization. */
async function listOpen(
  { db }: ActivationOptions,
  { actor, zone }: Context,
): Promise<readonly OpenEmergency[]> {
  const open = await openNow(actor, db);
  return open.map(({ date_expired: end, ...access }) => ({
    ...access,
    date_expired: formatDatetime(end, zone),
  }));
}

/** Lists the open emergency access of the caller. */
async function listOwn(
  { db, grants }: ActivationOptions,
  { actor, zone }: Context,
): Promise<readonly OwnEmergency[]> {
  const open = await ownOpen(actor.userId, db);
  const assets = [...new Set(open.flatMap(({ asset }) => asset ?? []))];
  const standing = await standingAccess(actor.userId, assets, { db, grants });
  return open.map(({ asset, sessions, date_expired: end, ...access }) => ({
    ...access,
    date_expired: formatDatetime(end, zone),
    sessions: sessions.map(({ id }) => id),
    staying: sessions
      .filter(
        ({ account }) => (standing.endOf(asset ?? '', account)?.getTime() ?? 0) > end.getTime(),
      )
      .map(({ id }) => id),
  }));
}

/** Returns what the review of emergency access waits for. */
async function reviewStateOf(id: string, userId: string, db: Db): Promise<EmergencyReviewState> {
  const left = await unreviewed(id, userId, db);
  if (left?.isOpen) return 'active';
  return left && left.unopened > 0 ? 'unopened' : 'ready';
}

/** Shows the emergency access of a ticket. */
async function showActivation(
  options: ActivationOptions,
  context: Context,
): Promise<EmergencyFacts> {
  const { db } = options;
  const { zone, actor } = context;
  const { user, is_reviewer: _reviews, is_open, ...facts } = await activationIn(options, context);
  const sessions = await sessionsOf(facts.id, actor.userId, db);
  return {
    ...facts,
    date_start: formatDatetime(facts.date_start, zone),
    date_expired: formatDatetime(facts.date_expired, zone),
    sessions: sessions.map((session) => ({
      ...session,
      date_start: formatDatetime(session.date_start, zone),
    })),
    review: await reviewStateOf(facts.id, actor.userId, db),
    can_take_over:
      is_open &&
      mayTakeOver({ user, org_id: facts.org_id }, actor) &&
      !(await hasReviewer(facts.id, db)),
  };
}

/** Makes the caller a reviewer, if none is left. @throws Forbidden, Conflict */
async function takeOver(options: ActivationOptions, context: Context) {
  const { actor, language } = context;
  const activation = await activationIn(options, context);
  const { id } = activation;
  if (!mayTakeOver(activation, actor)) throw new Forbidden('ticket_not_assignee');
  await transact(options.db, async (tx) => {
    await lockTicket(id, tx);
    // Another administrator may have become the reviewer, or the review may be done.
    const now = await activationOf(id, actor, tx);
    if (!now?.is_open || (await hasReviewer(id, tx))) throw new Conflict('emergency_reviewer_left');
    const assignees = [...(await assigneesOf(id, tx)), actor.userId];
    const { writer } = engineOf(options.engines, ticket);
    await writer.change(id, { assignees }, systemFor(actor, activation), { tx });
    const comment = say(TAKEN, language, { who: displayName(actor) });
    await addComment(id, authorOf(actor), comment, tx);
  });
  return { detail: 'Succeed' };
}

/** Ends emergency access. @throws Forbidden unless the caller is its user or a reviewer */
async function endActivation(options: ActivationOptions, context: Context) {
  const { actor } = context;
  const activation = await activationIn(options, context);
  if (activation.user !== actor.userId && !activation.is_reviewer)
    throw new Forbidden('ticket_not_assignee');
  const { permission } = activation;
  if (activation.is_active && permission)
    await transact(options.db, async (tx) => {
      const { writer } = engineOf(options.engines, assetPermission);
      const caller = systemFor(actor, activation);
      await writeByTicket(activation.id, tx);
      await writer.change(permission, { is_active: false }, caller, { tx });
      await tellEnded(tx);
    });
  return { detail: 'Succeed' };
}

const BASE = '/api/v1/tickets/emergency/';

/**
 * Mounts the facts of emergency access tickets, their sessions, and the routes to end or take over.
 */
export function mountActivations(app: FastifyInstance, options: ActivationOptions): void {
  route(app, {
    method: 'GET',
    url: BASE,
    access: Permission.AUDIT,
    area: 'tickets',
    summary:
      'Emergency access that is open now in the current organization, the first to end first.',
    answer: samples<readonly OpenEmergency[]>([OPEN, { ...OPEN, session: null }]),
    handler: (context) => listOpen(options, context),
  });
  route(app, {
    method: 'GET',
    url: `${BASE}own/`,
    access: Permission.USE,
    summary:
      'Emergency access that the caller has open now, with the running sessions that use it, the first to end first.',
    answer: samples<readonly OwnEmergency[]>([OWN, { ...OWN, sessions: [] }]),
    handler: (context) => listOwn(options, context),
  });
  route(app, {
    method: 'GET',
    url: `${BASE}:id/`,
    access: Permission.USE,
    area: 'tickets',
    summary:
      'The access that a ticket about emergency access opened, its sessions, and the open steps of its review.',
    answer: samples<EmergencyFacts>(EXAMPLE, ENDED),
    handler: (context) => showActivation(options, context),
  });
  route(app, {
    method: 'POST',
    url: `${BASE}:id/take-over/`,
    access: Permission.ADMIN,
    area: 'tickets',
    summary:
      'Become the reviewer of emergency access if all its reviewers have left. For administrators of its organization.',
    answer: samples({ detail: 'Succeed' }),
    handler: (context) => takeOver(options, context),
  });
  route(app, {
    method: 'POST',
    url: `${BASE}:id/end/`,
    access: Permission.USE,
    area: 'tickets',
    summary: 'End emergency access and its sessions. For its user and its reviewers.',
    answer: samples({ detail: 'Succeed' }),
    handler: (context) => endActivation(options, context),
  });
}
