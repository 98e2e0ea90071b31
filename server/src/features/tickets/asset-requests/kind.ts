import { actionNames, allows, formatDatetime, Permission, ticket } from '@sallyport/contract';
import { Forbidden, invalid, notFound, Rejected } from '../../../platform/errors.ts';
import type { ResourceEngine } from '../../../resources/engines.ts';
import type { Operation } from '../../../resources/operation.ts';
import type { TicketKind } from '../kinds.ts';
import { keepPermission, lockRequest, type StoredRequest } from './store.ts';

/** The name of a permission has no more characters. */
const MOST_NAME = 128;

/** Only administrators of the organization may give access there, and they must be in it. @throws Forbidden */
export function assertMayGrant({ org_id, org_name }: StoredRequest, { caller: { actor } }: Pick<Operation, 'caller'>): void {
  if (allows(actor.permissions, Permission.ADMIN) && actor.organization.id === org_id) return;
  throw new Forbidden('request_elsewhere', { name: org_name ?? org_id });
}

/** What is particular to requests for access: an approval is a permission that ends, in the same transaction. */
export function createRequestKind(permissions: () => ResourceEngine): TicketKind {
  return {
    async ended(ticketId, answer, operation) {
      if (answer === 'close') return;
      const request = await lockRequest(ticketId, operation.tx);
      if (!request) throw notFound();
      assertMayGrant(request, operation);
      if (answer !== 'approve') return;
      if (!request.user) throw new Rejected('request_user_gone');
      if (request.confirmed_assets.length === 0) throw new Rejected('request_no_assets');
      if (request.confirmed_system_user.length === 0) throw new Rejected('request_no_account');
      if (request.date_expired <= new Date()) throw invalid('date_expired', 'date_order');
      const { caller, tx } = operation;
      // The name is unique, so that two requests with one title do not meet.
      const suffix = ` (${ticketId.slice(0, 8)})`;
      const name = `From request ticket: ${request.title}`.slice(0, MOST_NAME - suffix.length) + suffix;
      const body = {
        name,
        users: [request.user],
        assets: request.confirmed_assets,
        system_users: request.confirmed_system_user,
        actions: actionNames(request.mask),
        date_start: formatDatetime(request.date_start, caller.zone),
        date_expired: formatDatetime(request.date_expired, caller.zone),
        comment: `/ui/${ticket.path}/${ticketId}`,
      };
      const made = await permissions().writer.create(body, caller, { tx });
      await keepPermission(ticketId, String(made.id), tx);
    },
  };
}
