import type { RequestTarget, TicketRequest } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { narrowed, type Reference, referenceTo } from '../../../resource/references.ts';
import { cacheKey } from '../../../resource/source.ts';

/** Differences between requests for servers, databases and remote apps. */
export const ABOUT = {
  asset: {
    permission: 'asset_permission',
    field: 'assets',
    confirmed: 'confirmed_assets',
    check: 'perms/access/check/',
    protocols: undefined,
  },
  database_app: {
    permission: 'database_app_permission',
    field: 'database_apps',
    confirmed: 'confirmed_database_apps',
    check: 'perms/access/database-apps/check/',
    protocols: 'mysql,postgresql,redis',
  },
  remote_app: {
    permission: 'remote_app_permission',
    field: 'remote_apps',
    confirmed: 'confirmed_remote_apps',
    check: 'perms/access/remote-apps/check/',
    protocols: 'rdp',
  },
} as const;

/** References that offer the approver the requested things and the system users for them. */
export function referencesOf(
  target: RequestTarget,
): readonly [things: Reference | undefined, accounts: Reference | undefined] {
  const { protocols } = ABOUT[target];
  return [
    referenceTo(target),
    protocols ? narrowed('system_user', { protocol__in: protocols }) : referenceTo('system_user'),
  ];
}

/** Cache key of ticket requests. A change to a ticket invalidates them. */
export const REQUEST_KEY = cacheKey({ path: 'tickets/tickets' });

/**
 * Reads the access request of a ticket with the suggested things. Other types of ticket have none.
 */
export function useTicketRequest(id: string) {
  return useQuery({
    queryKey: [...REQUEST_KEY, 'request', id],
    queryFn: ({ signal }) =>
      api.get<TicketRequest>(`tickets/tickets/${id}/request/`, { signal, quiet: true }),
  });
}
