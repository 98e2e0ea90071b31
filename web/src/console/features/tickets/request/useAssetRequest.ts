import type { AssetRequest } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { cacheKey } from '../../../resource/source.ts';

/** What was read of tickets, which a change makes stale. */
export const REQUEST_KEY = cacheKey({ path: 'tickets/tickets' });

/** Reads one request for access, with its ticket; not for other tickets. */
export function useAssetRequest(id: string, enabled: boolean) {
  return useQuery({
    queryKey: [...REQUEST_KEY, 'request', id],
    queryFn: ({ signal }) => api.get<AssetRequest>(`tickets/request-asset-perm/${id}/`, { signal, quiet: true }),
    enabled,
  });
}
