import { CONFIRM_FIELDS, isUuid, type RequestAnswered, ticket } from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { parameter, readBody } from '../../../http/route.ts';
import { type Db, rolledBack, type Tx, transact } from '../../../platform/db/database.ts';
import { Conflict, Forbidden, invalid, notFound } from '../../../platform/errors.ts';
import { engineOf } from '../../../resources/engines.ts';
import { actionInWords } from '../hooks.ts';
import type { TicketAnswer } from '../kinds.ts';
import { lockTicket } from '../store.ts';
import { type AssetRequestOptions, assertDates, fromNow } from './create-request.ts';
import { assertMayGrant, assetRequestOf, permissionOf } from './kind.ts';
import { isControlled, keepFirstApproval, PROPOSED_RESOURCE } from './second-decision.ts';
import { type Confirmed, keepConfirmed, requestFor, type StoredRequest } from './store.ts';

/** Returns the request in the path. @throws NotFound */
export async function requestIn(context: Context, on: Db | Tx): Promise<StoredRequest> {
  const id = parameter(context, 'id');
  const request = isUuid(id) ? await requestFor(id, context.actor.userId, on) : undefined;
  if (!request) throw notFound();
  return request;
}

/** Returns the decisions in the body of an assignee. @throws Invalid */
function confirmedIn(context: Context): Confirmed {
  const { minutes, ...decided } = readBody(context, CONFIRM_FIELDS);
  return { ...decided, ...(minutes && fromNow(minutes)) };
}

/**
 * Stores the decisions of an assignee about an open request.
 * @throws Forbidden, Conflict, Invalid
 */
async function confirm(context: Context, confirmed: Confirmed, tx: Tx): Promise<void> {
  const request = await requestIn(context, tx);
  if (!request.assignees.includes(context.actor.userId)) throw new Forbidden('ticket_not_assignee');
  if (request.status === 'closed')
    throw new Conflict('ticket_closed', {
      who: request.assignee_display,
      when: '',
      how: actionInWords(request.action, context.language),
    });
  if (Object.keys(confirmed).length === 0) return;
  assertMayGrant(request, { caller: context });
  assertDates(
    confirmed.date_start ?? request.date_start,
    confirmed.date_expired ?? request.date_expired,
  );
  await keepConfirmed(request.id, confirmed, tx);
}

/** Stores the decisions of an assignee and returns the request. */
export async function changeRequest({ db }: AssetRequestOptions, context: Context) {
  await transact(db, (tx) => confirm(context, confirmedIn(context), tx));
  return assetRequestOf(await requestIn(context, db), context);
}

/** Proposes the permission of a request, for the decision of a second administrator. */
async function proposeGrant(
  { db, control }: AssetRequestOptions,
  context: Context,
  { id }: StoredRequest,
): Promise<RequestAnswered> {
  const confirmed = confirmedIn(context);
  const prepare = async (tx: Tx) => {
    await lockTicket(id, tx);
    await confirm(context, confirmed, tx);
    const request = await requestIn(context, tx);
    if (request.user === context.actor.userId) throw invalid('action', 'ticket_own');
    assertMayGrant(request, { caller: context });
    return { ...request, body: permissionOf(request, context) };
  };
  const { target, title, user, body } = await rolledBack(db, prepare);
  const change = { resource: PROPOSED_RESOURCE[target], action: 'create', body } as const;
  const changeSet = await control.propose(
    { ticketId: id, requesterId: user ?? '', title, change },
    context,
    async (tx) => {
      await prepare(tx);
      await keepFirstApproval(id, context, tx);
    },
  );
  return { detail: 'Succeed', change_set: changeSet };
}

/**
 * Answers or closes a request. An approval stores the decisions first, and is a proposal in an
 * organization with change control.
 */
export async function answerRequest(
  options: AssetRequestOptions,
  context: Context,
  answer: TicketAnswer,
): Promise<RequestAnswered> {
  const { db, engines } = options;
  const request = await requestIn(context, db);
  if (answer === 'approve' && (await isControlled(request.org_id, db)))
    return proposeGrant(options, context, request);
  const { id } = request;
  const change = answer === 'close' ? { status: 'closed' } : { action: answer };
  await transact(db, async (tx) => {
    // Every transaction locks the ticket first, so that two answers cannot deadlock.
    await lockTicket(id, tx);
    if (answer === 'approve') await confirm(context, confirmedIn(context), tx);
    await engineOf(engines, ticket).writer.change(id, change, context, { tx });
  });
  return { detail: 'Succeed', change_set: null };
}
