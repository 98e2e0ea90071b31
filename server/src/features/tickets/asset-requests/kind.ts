import {
  type AssetRequest,
  actionNames,
  allows,
  formatDatetime,
  Permission,
  type RequestTarget,
  say,
  TICKET_TYPES,
  ticket,
} from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import type { Caller } from '../../../platform/actor.ts';
import { databaseClock } from '../../../platform/clock.ts';
import { Conflict, Forbidden, invalid, notFound, Rejected } from '../../../platform/errors.ts';
import type { ResourceEngine } from '../../../resources/engines.ts';
import type { Operation } from '../../../resources/hooks.ts';
import { actionInWords } from '../hooks.ts';
import type { TicketKind } from '../kinds.ts';
import { isControlled, type RequestControl } from './second-decision.ts';
import { keepPermission, lockRequest, type StoredRequest } from './store.ts';

const MOMENT = '2026-01-31 08:30:00 +0800';
const EXAMPLE: AssetRequest = {
  id: exampleId('ticket'),
  title: 'Access to web-prod-01',
  status: 'open',
  action: '',
  type: 'request_asset',
  type_display: 'Request for assets',
  action_display: 'Not answered',
  user: exampleId('user'),
  user_display: 'Li Wei(li.wei)',
  assignees: [exampleId('user')],
  assignees_display: 'Anna Berg(anna)',
  assignee: null,
  assignee_display: '',
  body: 'The nightly import failed.',
  org_id: '',
  org_name: 'DEFAULT',
  target: 'asset',
  application: '',
  ips: ['10.20.30.41'],
  hostname: 'web-prod-01',
  system_user: 'deploy',
  actions: ['connect'],
  is_read_only: false,
  date_start: MOMENT,
  date_expired: '2026-02-07 08:30:00 +0800',
  confirmed_assets: [exampleId('asset')],
  confirmed_database_apps: [],
  confirmed_remote_apps: [],
  confirmed_system_user: [exampleId('system_user')],
  assets_waitlist_url: null,
  system_user_waitlist_url: null,
  permission: null,
  date_created: MOMENT,
};
const ENDED: AssetRequest = {
  ...EXAMPLE,
  user: null,
  assignee: exampleId('user'),
  assets_waitlist_url: '/api/v1/assets/assets/',
  system_user_waitlist_url: '/api/v1/assets/system-users/',
  permission: exampleId('asset_permission'),
};

/** Example answers. */
export const ASSET_REQUESTS = [EXAMPLE, ENDED] as const;

/** The type of a ticket by the kind of its object. */
export const TICKET_TYPE = {
  asset: 'request_asset',
  database_app: 'request_app',
  remote_app: 'request_app',
} as const;
/** Lists in which assignees find the objects to confirm. */
const WAITLIST = {
  asset: '/api/v1/assets/assets/',
  database_app: '/api/v1/applications/database-apps/',
  remote_app: '/api/v1/applications/remote-apps/',
} as const;

/** A request in the form that its reader gets. */
export function assetRequestOf(
  { mask, org_name, confirmed_apps: apps, ...row }: StoredRequest,
  { actor, language, zone }: Context,
): AssetRequest {
  const decides = row.assignees.includes(actor.userId);
  const ticketType = TICKET_TYPE[row.target];
  const type = TICKET_TYPES.find(({ value }) => value === ticketType);
  return {
    ...row,
    org_name: org_name ?? row.org_id,
    type: ticketType,
    type_display: type ? say(type.label, language) : '',
    action_display: row.action === '' ? '' : actionInWords(row.action, language),
    actions: actionNames(mask),
    date_start: formatDatetime(row.date_start, zone),
    date_expired: formatDatetime(row.date_expired, zone),
    date_created: formatDatetime(row.date_created, zone),
    confirmed_database_apps: row.target === 'database_app' ? apps : [],
    confirmed_remote_apps: row.target === 'remote_app' ? apps : [],
    assets_waitlist_url: decides ? WAITLIST[row.target] : null,
    system_user_waitlist_url: decides ? '/api/v1/assets/system-users/' : null,
  };
}

/** Maximum characters of the name of a permission. */
const MOST_NAME = 128;

/** Only administrators of the organization of a request can grant it, while they act in it. */
export function mayGrant({ org_id }: StoredRequest, { actor }: Pick<Caller, 'actor'>): boolean {
  return allows(actor.permissions, Permission.ADMIN) && actor.organization.id === org_id;
}

/** @throws Forbidden if the caller cannot grant the request */
export function assertMayGrant(
  request: StoredRequest,
  { caller }: Pick<Operation, 'caller'>,
): void {
  if (!mayGrant(request, caller))
    throw new Forbidden('request_elsewhere', { name: request.org_name ?? request.org_id });
}

/** Returns the body of the permission that a request asks for. @throws Rejected, Invalid */
export function permissionOf(request: StoredRequest, { zone }: Pick<Caller, 'zone'>) {
  if (!request.user) throw new Rejected('request_user_gone');
  const isForAssets = request.target === 'asset';
  const things = isForAssets ? request.confirmed_assets : request.confirmed_apps;
  if (things.length === 0)
    throw new Rejected(isForAssets ? 'request_no_assets' : 'request_no_apps');
  if (request.confirmed_system_user.length === 0) throw new Rejected('request_no_account');
  if (request.date_expired <= databaseClock.date()) throw invalid('date_expired', 'date_order');
  // Makes the name unique for requests with the same title.
  const suffix = ` (${request.id.slice(0, 8)})`;
  const name = `From request ticket: ${request.title}`.slice(0, MOST_NAME - suffix.length) + suffix;
  return {
    name,
    users: [request.user],
    [`${request.target}s`]: things,
    system_users: request.confirmed_system_user,
    // A permission for remote apps has no actions.
    ...(request.target !== 'remote_app' && { actions: actionNames(request.mask) }),
    ...(request.target === 'database_app' && { is_read_only: request.is_read_only }),
    date_start: formatDatetime(request.date_start, zone),
    date_expired: formatDatetime(request.date_expired, zone),
    comment: `/ui/${ticket.path}/${request.id}`,
  };
}

/**
 * Creates the ticket kind of access requests. An approval creates a permission with an end, in the
 * same transaction. In an organization with change control it must be proposed instead.
 */
export function createRequestKind(
  permissionsAbout: (target: RequestTarget) => ResourceEngine,
  control: Pick<RequestControl, 'withdraw'>,
): TicketKind {
  return {
    async ended(ticketId, answer, operation) {
      const { caller, tx } = operation;
      if (answer !== 'approve') await control.withdraw(ticketId, caller, tx);
      if (answer === 'close') return;
      const request = await lockRequest(ticketId, tx);
      if (!request) throw notFound();
      assertMayGrant(request, operation);
      if (answer !== 'approve') return;
      if (await isControlled(request.org_id, tx)) throw new Conflict('request_needs_second');
      const body = permissionOf(request, caller);
      const permission = await permissionsAbout(request.target).writer.create(body, caller, { tx });
      await keepPermission(ticketId, request.target, String(permission.id), tx);
    },
  };
}
