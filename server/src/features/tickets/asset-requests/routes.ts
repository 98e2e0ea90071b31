import {
  type AssetRequest,
  CONFIRM_FIELDS,
  isUuid,
  Permission,
  REQUEST_FIELDS,
  type RequestAssignees,
  type RequestTarget,
  ticket,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { neighbors } from '../../../http/page.ts';
import { parameter, readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { displayName } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { transact } from '../../../platform/db/retry.ts';
import { Conflict, Forbidden, invalid, notFound } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { readPaging } from '../../../resources/page.ts';
import type { LicenseService } from '../../license/index.ts';
import { actionInWords } from '../hooks.ts';
import type { TicketAnswer } from '../kinds.ts';
import type { TicketMails } from '../mails.ts';
import { lockTicket, makeTicket } from '../store.ts';
import { assertMayGrant } from './kind.ts';
import {
  assigneesFor,
  type Confirmed,
  keepConfirmed,
  keepRequest,
  requestFor,
  requestsFor,
  type StoredRequest,
} from './store.ts';
import { ASSET_REQUESTS, assetRequestOf, TICKET_TYPE } from './wire.ts';

const DAY = 86_400_000;
/** Default and maximum duration of access. */
const USUAL_DAYS = 7;
const MOST_DAYS = 366;
const MOST_ROWS = 1_000;

export interface AssetRequestOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly license: Pick<LicenseService, 'isLicensed'>;
  readonly mails: Pick<TicketMails, 'asked'>;
}

/** Routes to request access and to grant it. Tickets have the routes to answer. */
export function mountAssetRequests(
  app: FastifyInstance,
  { db, engines, audit, license, mails }: AssetRequestOptions,
): void {
  const BASE = '/api/v1/tickets/request-asset-perm/';
  const ITEM = `${BASE}:id/`;
  const answer = samples<AssetRequest>(...ASSET_REQUESTS);

  const known = async (context: Context, on: Db | Tx = db): Promise<StoredRequest> => {
    const id = parameter(context, 'id');
    const request = isUuid(id) ? await requestFor(id, context.actor.userId, on) : undefined;
    if (!request) throw notFound();
    return request;
  };

  route(app, {
    method: 'GET',
    url: `${BASE}assignees/`,
    access: Permission.USE,
    summary: 'Who can grant access, by the organizations in which the caller may ask for it.',
    answer: samples<readonly RequestAssignees[]>([
      {
        org_id: '',
        org_name: 'Superuser',
        org_admins: [{ id: exampleId('user'), name: 'Administrator', username: 'admin' }],
      },
    ]),
    handler: ({ actor }) => assigneesFor(actor.userId, db),
  });

  route(app, {
    method: 'GET',
    url: BASE,
    access: Permission.USE,
    summary:
      'The requests for access that the caller made (`assign=0`) or may answer (`assign=1`), newest first.',
    answer: samples<readonly AssetRequest[]>(ASSET_REQUESTS),
    async handler(context) {
      const { query, actor } = context;
      const assign = query.get('assign');
      const { limit, offset } = readPaging(query, MOST_ROWS);
      const { rows, count } = await requestsFor(
        actor.userId,
        assign === null ? 'all' : assign === '1' ? 'assigned' : 'own',
        { limit: limit ?? MOST_ROWS, offset },
        db,
      );
      const results = rows.map((row) => assetRequestOf(row, context));
      return limit === undefined
        ? results
        : { count, ...neighbors(context, limit, offset, count), results };
    },
  });

  route(app, {
    method: 'POST',
    url: BASE,
    access: Permission.USE,
    summary: 'Ask for access: what, as which account, how long and why.',
    body: REQUEST_FIELDS,
    answer,
    status: 201,
    async handler(context) {
      if (!license.isLicensed()) throw new Forbidden('license_required');
      const { actor } = context;
      const request = readRequest(context);
      const places = await assigneesFor(actor.userId, db);
      const place = places.find(({ org_id }) => org_id === request.org_id);
      if (!place) throw invalid('org_id', 'unknown_object', { value: request.org_id });
      const possible = place.org_admins.map(({ id }) => id);
      const assignees = request.assignees.length > 0 ? request.assignees : possible;
      const unknown = assignees.find((id) => !possible.includes(id));
      if (unknown) throw invalid('assignees', 'request_not_administrator');
      if (assignees.length === 0) throw invalid('assignees', 'list_empty');
      const created = await transact(db, async (tx) => {
        const display = displayName(actor);
        const { title, body } = request;
        const type = TICKET_TYPE[request.target];
        const id = await makeTicket(
          { userId: actor.userId, display, title, body, type, assignees },
          tx,
        );
        await keepRequest(id, request, tx);
        const where = { ...actor, organization: { id: place.org_id, name: place.org_name } };
        await audit(
          tx,
          { actor: where },
          { action: 'create', resourceType: 'ticket', resource: title, resourceId: id },
        );
        await mails.asked(id, [], context, tx);
        return requestFor(id, actor.userId, tx);
      });
      if (!created) throw notFound();
      context.reply.code(201);
      return assetRequestOf(created, context);
    },
  });

  route(app, {
    method: 'GET',
    url: ITEM,
    access: Permission.USE,
    summary: 'One request for access.',
    answer,
    handler: async (context) => assetRequestOf(await known(context), context),
  });

  /** Stores the decisions of an assignee about an open request. */
  const confirm = async (context: Context, tx: Tx): Promise<StoredRequest> => {
    const request = await known(context, tx);
    if (!request.assignees.includes(context.actor.userId))
      throw new Forbidden('ticket_not_assignee');
    if (request.status === 'closed')
      throw new Conflict('ticket_closed', {
        who: request.assignee_display,
        when: '',
        how: actionInWords(request.action, context.language),
      });
    const confirmed = readBody(context, CONFIRM_FIELDS) as Confirmed;
    if (Object.keys(confirmed).length > 0) {
      assertMayGrant(request, { caller: context });
      assertDates(
        confirmed.date_start ?? request.date_start,
        confirmed.date_expired ?? request.date_expired,
      );
      await keepConfirmed(request.id, confirmed, tx);
    }
    return request;
  };

  route(app, {
    method: 'PATCH',
    url: ITEM,
    access: Permission.USE,
    summary: 'Say what would be opened. For the assignees of an open request.',
    body: CONFIRM_FIELDS,
    answer,
    async handler(context) {
      await transact(db, (tx) => confirm(context, tx));
      return assetRequestOf(await known(context), context);
    },
  });

  const ways: readonly (readonly [string, TicketAnswer, string])[] = [
    [
      'approve',
      'approve',
      'Give the access, perhaps less than was asked for: makes a permission that ends.',
    ],
    ['reject', 'reject', 'Refuse the access.'],
    ['close', 'close', 'Close the request without an answer.'],
  ];
  for (const [path, decision, summary] of ways) {
    route(app, {
      method: 'POST',
      url: `${ITEM}${path}/`,
      access: Permission.USE,
      summary,
      ...(decision === 'approve' && { body: CONFIRM_FIELDS }),
      answer: samples({ detail: 'Succeed' }),
      async handler(context) {
        const { id } = await known(context);
        await transact(db, async (tx) => {
          // Every transaction locks the ticket first, so that two answers cannot deadlock.
          await lockTicket(id, tx);
          if (decision === 'approve') await confirm(context, tx);
          await engineOf(engines, ticket).writer.update(
            id,
            decision === 'close' ? { status: 'closed' } : { action: decision },
            'change',
            context,
            { tx },
          );
        });
        return { detail: 'Succeed' };
      },
    });
  }
}

function assertDates(start: Date, end: Date): void {
  if (end <= start) throw invalid('date_expired', 'date_order');
  if (end.getTime() - start.getTime() > MOST_DAYS * DAY)
    throw invalid('date_expired', 'request_too_long', { max: MOST_DAYS });
}

/** Reads a request with its defaults. @throws Invalid */
function readRequest(context: Context) {
  const fields = readBody(context, REQUEST_FIELDS) as Partial<
    Record<'title' | 'org_id' | 'application' | 'hostname' | 'system_user' | 'body', string>
  > &
    Partial<{ readonly target: RequestTarget; readonly is_read_only: boolean }> &
    Partial<Record<'assignees' | 'ips' | 'actions', readonly string[]>> &
    Partial<Record<'date_start' | 'date_expired', Date>>;
  const {
    system_user = '',
    actions = ['connect'],
    assignees = [],
    org_id = context.actor.organization.id,
    body = '',
  } = fields;
  const { target = 'asset' } = fields;
  // Ignores fields of the other kind.
  const { ips = [], hostname = '' } = target === 'asset' ? fields : {};
  const { application = '' } = target === 'asset' ? {} : fields;
  if (target === 'asset' && ips.length === 0 && hostname === '')
    throw invalid('hostname', 'request_no_host');
  if (target !== 'asset' && application === '') throw invalid('application', 'request_no_app');
  const is_read_only = target === 'database_app' && fields.is_read_only === true;
  const date_start = fields.date_start ?? new Date();
  const date_expired = fields.date_expired ?? new Date(date_start.getTime() + USUAL_DAYS * DAY);
  assertDates(date_start, date_expired);
  if (date_expired <= new Date()) throw invalid('date_expired', 'date_order');
  const what = [application, hostname, ...ips].filter(Boolean).join(', ').slice(0, 200);
  return {
    title: fields.title || what,
    org_id,
    assignees,
    target,
    application,
    is_read_only,
    ips,
    hostname,
    system_user,
    actions,
    date_start,
    date_expired,
    body,
  };
}
