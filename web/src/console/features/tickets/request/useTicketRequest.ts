import type { TicketRequest } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { cacheKey } from '../../../resource/source.ts';

/** What was read of tickets, which a change makes stale. */
export const REQUEST_KEY = cacheKey({ path: 'tickets/tickets' });

/** Reads the request for access that a ticket is, and what it could mean; of other tickets there is none. */
export function useTicketRequest(id: string) {
  return useQuery({
    queryKey: [...REQUEST_KEY, 'request', id],
    queryFn: ({ signal }) =>
      api.get<TicketRequest>(`tickets/tickets/${id}/request/`, { signal, quiet: true }),
  });
}
