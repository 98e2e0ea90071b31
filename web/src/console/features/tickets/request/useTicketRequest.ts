import type { TicketRequest } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { cacheKey } from '../../../resource/source.ts';

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
