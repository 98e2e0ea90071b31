import {
  type AssetRequest,
  CONFIRM_FIELDS,
  Permission,
  REQUEST_FIELDS,
  type RequestAnswered,
  type RequestAssignees,
  type RequestableTarget,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { neighbors } from '../../../http/page.ts';
import { route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { readPaging } from '../../../resources/read/page.ts';
import type { TicketAnswer } from '../kinds.ts';
import { answerRequest, changeRequest, requestIn } from './answer-request.ts';
import { type AssetRequestOptions, createRequest } from './create-request.ts';
import { endAccess } from './granted.ts';
import { ASSET_REQUESTS, assetRequestOf } from './kind.ts';
import { assigneesFor, requestsFor } from './store.ts';
import { targetsFor } from './targets.ts';

const MOST_ROWS = 1_000;
const BASE = '/api/v1/tickets/request-asset-perm/';
const ITEM = `${BASE}:id/`;
const ANSWER = samples<AssetRequest>(...ASSET_REQUESTS);
const ANSWERED = samples<RequestAnswered>(
  { detail: 'Succeed', change_set: null },
  { detail: 'Succeed', change_set: exampleId('change_set') },
);
const PLACE: RequestAssignees = {
  org_id: '',
  org_name: 'Superuser',
  org_admins: [{ id: exampleId('user'), name: 'Administrator', username: 'admin' }],
  usual_minutes: 12,
};
const ASSIGNEES = samples<readonly RequestAssignees[]>([PLACE, { ...PLACE, usual_minutes: null }]);

const ANSWERS: readonly (readonly [TicketAnswer, string])[] = [
  [
    'approve',
    'Give the access, perhaps less than was asked for: makes a permission that ends, or proposes it to a second administrator.',
  ],
  ['reject', 'Refuse the access.'],
  ['close', 'Close the request without an answer.'],
];

/** Lists the requests that the caller made or may answer. */
async function listRequests({ db }: AssetRequestOptions, context: Context) {
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
}

/** Routes to request access and to grant it. Tickets have the routes to answer. */
export function mountAssetRequests(app: FastifyInstance, options: AssetRequestOptions): void {
  const { db, settings } = options;
  route(app, {
    method: 'GET',
    url: `${BASE}assignees/`,
    access: Permission.USE,
    area: 'tickets',
    summary:
      'List the users who can grant access, by the organizations in which the caller may request it.',
    answer: ASSIGNEES,
    handler: ({ actor }) => assigneesFor(actor.userId, db),
  });
  route(app, {
    method: 'GET',
    url: `${BASE}targets/`,
    access: Permission.USE,
    area: 'tickets',
    summary:
      'Search servers and applications for a request by two or more characters of their name or address. Empty if the setting is off.',
    query: { search: text({ label: { en: 'Search', zh: '搜索' }, max: 128, required: false }) },
    answer: samples<readonly RequestableTarget[]>([
      { target: 'asset', name: 'web-prod-01', detail: '10.20.30.41', org_id: '' },
    ]),
    handler: ({ actor, query }) =>
      settings.get('REQUEST_ACCESS_SEARCH')
        ? targetsFor(actor.userId, query.get('search') ?? '', db)
        : [],
  });
  route(app, {
    method: 'GET',
    url: BASE,
    access: Permission.USE,
    area: 'tickets',
    summary:
      'The requests for access that the caller made (`assign=0`) or may answer (`assign=1`), newest first.',
    answer: samples<readonly AssetRequest[]>(ASSET_REQUESTS),
    handler: (context) => listRequests(options, context),
  });
  route(app, {
    method: 'POST',
    url: BASE,
    access: Permission.USE,
    area: 'tickets',
    summary: 'Request access with target, account, duration and reason.',
    body: REQUEST_FIELDS,
    answer: ANSWER,
    status: 201,
    handler: (context) => createRequest(options, context),
  });
  route(app, {
    method: 'GET',
    url: ITEM,
    access: Permission.USE,
    area: 'tickets',
    summary: 'One request for access.',
    answer: ANSWER,
    handler: async (context) => assetRequestOf(await requestIn(context, db), context),
  });
  route(app, {
    method: 'PATCH',
    url: ITEM,
    access: Permission.USE,
    area: 'tickets',
    summary: 'Set the access that an approval would open. For the assignees of an open request.',
    body: CONFIRM_FIELDS,
    answer: ANSWER,
    handler: (context) => changeRequest(options, context),
  });
  for (const [answer, summary] of ANSWERS)
    route(app, {
      method: 'POST',
      url: `${ITEM}${answer}/`,
      access: Permission.USE,
      area: 'tickets',
      summary,
      ...(answer === 'approve' && { body: CONFIRM_FIELDS }),
      answer: ANSWERED,
      handler: (context) => answerRequest(options, context, answer),
    });
  route(app, {
    method: 'POST',
    url: `${ITEM}end/`,
    access: Permission.USE,
    area: 'tickets',
    summary:
      'End the access that a request gave, with its sessions. For the requester, and for assignees who can grant it.',
    answer: samples({ detail: 'Succeed' }),
    handler: (context) => endAccess(options, context),
  });
}
