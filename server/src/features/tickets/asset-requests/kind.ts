import {
  actionNames,
  allows,
  formatDatetime,
  Permission,
  type RequestTarget,
  ticket,
} from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import { Forbidden, invalid, notFound, Rejected } from '../../../platform/errors.ts';
import type { ResourceEngine } from '../../../resources/engines.ts';
import type { Operation } from '../../../resources/write/operation.ts';
import type { TicketKind } from '../kinds.ts';
import { keepPermission, lockRequest, type StoredRequest } from './store.ts';

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

/**
 * Creates the ticket kind of access requests. An approval creates a permission with an end, in the
 * same transaction.
 */
export function createRequestKind(
  permissionsAbout: (target: RequestTarget) => ResourceEngine,
): TicketKind {
  return {
    async ended(ticketId, answer, operation) {
      if (answer === 'close') return;
      const request = await lockRequest(ticketId, operation.tx);
      if (!request) throw notFound();
      assertMayGrant(request, operation);
      if (answer !== 'approve') return;
      if (!request.user) throw new Rejected('request_user_gone');
      const isForAssets = request.target === 'asset';
      const things = isForAssets ? request.confirmed_assets : request.confirmed_apps;
      if (things.length === 0)
        throw new Rejected(isForAssets ? 'request_no_assets' : 'request_no_apps');
      if (request.confirmed_system_user.length === 0) throw new Rejected('request_no_account');
      if (request.date_expired <= new Date()) throw invalid('date_expired', 'date_order');
      const { caller, tx } = operation;
      // Makes the name unique for requests with the same title.
      const suffix = ` (${ticketId.slice(0, 8)})`;
      const name =
        `From request ticket: ${request.title}`.slice(0, MOST_NAME - suffix.length) + suffix;
      const body = {
        name,
        users: [request.user],
        [`${request.target}s`]: things,
        system_users: request.confirmed_system_user,
        // A permission for remote apps has no actions.
        ...(request.target !== 'remote_app' && { actions: actionNames(request.mask) }),
        ...(request.target === 'database_app' && { is_read_only: request.is_read_only }),
        date_start: formatDatetime(request.date_start, caller.zone),
        date_expired: formatDatetime(request.date_expired, caller.zone),
        comment: `/ui/${ticket.path}/${ticketId}`,
      };
      const permission = await permissionsAbout(request.target).writer.create(body, caller, { tx });
      await keepPermission(ticketId, request.target, String(permission.id), tx);
    },
  };
}
