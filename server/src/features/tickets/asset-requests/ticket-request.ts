import {
  asset,
  databaseApp,
  formatDatetime,
  isUuid,
  Permission,
  type RequestSuggestion,
  remoteApp,
  systemUser,
  type TicketRequest,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { parameter, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { StoredRow } from '../../../resources/hooks.ts';
import { ASSETS, checkAccess, DATABASE_APPS, REMOTE_APPS } from '../../perms/index.ts';
import { factsOf } from '../store.ts';
import { grantedOf } from './granted.ts';
import { ASSET_REQUESTS, assetRequestOf, mayGrant } from './kind.ts';
import { secondDecisionOf } from './second-decision.ts';
import { requestFor, type StoredRequest } from './store.ts';

/** Maximum number of addresses searched, and of objects per name or address. */
const MOST_ADDRESSES = 10;
const MOST_FOUND = 5;
/** Maximum number of objects whose access is checked. */
const MOST_CHECKED = 10;

const KINDS = {
  asset: { resource: asset, kind: ASSETS },
  database_app: { resource: databaseApp, kind: DATABASE_APPS },
  remote_app: { resource: remoteApp, kind: REMOTE_APPS },
} as const;

const NO_REQUEST = { request: null, suggestion: null, granted: null, waits: null } as const;
const HELD = {
  kind: 'held_command',
  asset: 'web-prod-01',
  account: 'deploy',
  session: exampleId('session'),
  until: '2026-01-31 08:35:00 +0800',
  rule: 'Restarting a service needs a second pair of eyes.',
  text: 'systemctl restart nginx',
  screen: 'deploy@web-prod-01:~$ systemctl restart nginx',
} as const;
const CONNECTION = {
  kind: 'connection',
  target: 'web-prod-01',
  account: 'deploy',
  address: '10.20.30.7',
  until: '2026-01-31 08:40:00 +0800',
  minutes: 60,
  reason: 'The disk is full.',
} as const;

type Exact = (
  of: typeof asset | typeof databaseApp | typeof remoteApp | typeof systemUser,
  query: Readonly<Record<string, string>>,
) => Promise<readonly StoredRow[]>;

/** System users with this name; otherwise those that sign in with this username. */
async function accountsFor(text: string, exact: Exact): Promise<readonly StoredRow[]> {
  if (!text) return [];
  const byName = await exact(systemUser, { name: text });
  return byName.length > 0 ? byName : exact(systemUser, { username: text });
}

/**
 * Mounts a route with everything that the page of a ticket shows about its request, to save round
 * trips.
 */
export function mountTicketRequest(
  app: FastifyInstance,
  { db, engines }: { readonly db: Db; readonly engines: Engines },
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/tickets/tickets/:id/request/',
    access: Permission.USE,
    area: 'tickets',
    summary:
      'The access request of a ticket; for those who can grant it, also matching targets and the present access of the requester. For a waiting command or connection, its facts.',
    answer: samples<TicketRequest>(
      { ...NO_REQUEST, facts: HELD },
      { ...NO_REQUEST, facts: CONNECTION },
      {
        request: ASSET_REQUESTS[0],
        suggestion: {
          things: [
            {
              id: exampleId('asset'),
              name: 'web-prod-01(10.20.30.41)',
              check: { granted: false, access: null, general: [], near: [] },
            },
            { id: exampleId('asset'), name: 'web-prod-02(10.20.30.42)', check: null },
          ],
          accounts: [exampleId('system_user')],
        },
        granted: {
          things: ['web-prod-01'],
          accounts: ['deploy'],
          date_start: '2026-01-31 08:30:00 +0800',
          date_expired: '2026-01-31 10:30:00 +0800',
          is_active: true,
          can_end: true,
        },
        waits: {
          by: 'Anna Berg(anna)',
          date_created: '2026-01-31 08:30:00 +0800',
          date_expires: '2026-02-07 08:30:00 +0800',
          change_set: exampleId('change_set'),
        },
        facts: null,
      },
    ),
    async handler(context) {
      const id = parameter(context, 'id');
      if (!isUuid(id)) throw notFound();
      const request = await requestFor(id, context.actor.userId, db);
      if (!request) {
        const facts = await factsOf(id, context.actor, db);
        const until = facts && formatDatetime(new Date(facts.until), context.zone);
        return { ...NO_REQUEST, facts: facts && until ? { ...facts, until } : null };
      }
      const decides =
        request.status === 'open' &&
        request.assignees.includes(context.actor.userId) &&
        request.user !== context.actor.userId &&
        mayGrant(request, context);
      return {
        request: assetRequestOf(request, context),
        suggestion: decides ? await suggestionFor(request, context) : null,
        granted: await grantedOf(request, context, db),
        waits: await secondDecisionOf(request, context, db),
        facts: null,
      };
    },
  });

  async function suggestionFor(
    request: StoredRequest,
    context: Context,
  ): Promise<RequestSuggestion> {
    const { resource, kind } = KINDS[request.target];
    const exact: Exact = async (of, query) => {
      const page = await engineOf(engines, of).reader.list(
        new URLSearchParams({ ...query, limit: String(MOST_FOUND) }),
        context,
      );
      return page && 'results' in page ? page.results : [];
    };
    const name =
      request.target === 'asset' ? { hostname: request.hostname } : { name: request.application };
    const [byName, byAddress, accounts, people] = await Promise.all([
      Object.values(name)[0] ? exact(resource, name) : [],
      Promise.all(request.ips.slice(0, MOST_ADDRESSES).map((ip) => exact(resource, { ip }))),
      accountsFor(request.system_user, exact),
      request.user ? engineOf(engines, user).reader.rows([request.user], context) : [],
    ]);
    const objects = [
      ...new Map([...byName, ...byAddress.flat()].map((one) => [one.id, one])).values(),
    ];
    const { actor } = context;
    const check = (userId: string, targetId: string) =>
      checkAccess(kind, { userId, targetId, organization: actor.organization.id, context }, db);
    const [person] = people;
    return {
      things: await Promise.all(
        objects.map(async (one, index) => ({
          id: String(one.id),
          name: request.target === 'asset' ? `${one.hostname}(${one.ip})` : String(one.name),
          check:
            person && index < MOST_CHECKED ? await check(String(person.id), String(one.id)) : null,
        })),
      ),
      accounts: accounts.length === 1 ? accounts.map(({ id }) => String(id)) : [],
    };
  }
}
