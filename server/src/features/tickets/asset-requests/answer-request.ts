import { CONFIRM_FIELDS, isUuid, ticket } from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { parameter, readBody } from '../../../http/route.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { Conflict, Forbidden, notFound } from '../../../platform/errors.ts';
import { engineOf } from '../../../resources/engines.ts';
import { actionInWords } from '../hooks.ts';
import type { TicketAnswer } from '../kinds.ts';
import { lockTicket } from '../store.ts';
import { type AssetRequestOptions, assertDates, fromNow } from './create-request.ts';
import { assertMayGrant, assetRequestOf } from './kind.ts';
import { keepConfirmed, requestFor, type StoredRequest } from './store.ts';

/** Returns the request in the path. @throws NotFound */
export async function requestIn(context: Context, on: Db | Tx): Promise<StoredRequest> {
  const id = parameter(context, 'id');
  const request = isUuid(id) ? await requestFor(id, context.actor.userId, on) : undefined;
  if (!request) throw notFound();
  return request;
}

/**
 * Stores the decisions of an assignee about an open request.
 * @throws Forbidden, Conflict, Invalid
 */
async function confirm(context: Context, tx: Tx): Promise<void> {
  const request = await requestIn(context, tx);
  if (!request.assignees.includes(context.actor.userId)) throw new Forbidden('ticket_not_assignee');
  if (request.status === 'closed')
    throw new Conflict('ticket_closed', {
      who: request.assignee_display,
      when: '',
      how: actionInWords(request.action, context.language),
    });
  const { minutes, ...decided } = readBody(context, CONFIRM_FIELDS);
  const confirmed = { ...decided, ...(minutes && fromNow(minutes)) };
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
  await transact(db, (tx) => confirm(context, tx));
  return assetRequestOf(await requestIn(context, db), context);
}

/** Answers or closes a request. An approval stores the decisions first. */
export async function answerRequest(
  { db, engines }: AssetRequestOptions,
  context: Context,
  answer: TicketAnswer,
) {
  const { id } = await requestIn(context, db);
  const change = answer === 'close' ? { status: 'closed' } : { action: answer };
  await transact(db, async (tx) => {
    // Every transaction locks the ticket first, so that two answers cannot deadlock.
    await lockTicket(id, tx);
    if (answer === 'approve') await confirm(context, tx);
    await engineOf(engines, ticket).writer.change(id, change, context, { tx });
  });
  return { detail: 'Succeed' };
}
