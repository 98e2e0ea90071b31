import type { FavoriteAsset } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { QUICK_CONNECT_KEY } from './quick-connect-key.ts';

const PATH = 'assets/favorite-assets/';
const KEY = ['favorites'];

/** The assets that the person marked with a star. */
export function useFavorites() {
  const client = useQueryClient();
  const query = useQuery({ queryKey: KEY, queryFn: ({ signal }) => api.get<readonly FavoriteAsset[]>(PATH, { signal }) });
  const marked = new Set((query.data ?? []).map(({ asset }) => asset));
  return {
    loaded: query.isSuccess,
    has: (id: string) => marked.has(id),
    async toggle(id: string) {
      if (marked.has(id)) await api.delete(PATH, { query: { asset: id } });
      else await api.post(PATH, { asset: id });
      await client.invalidateQueries({ queryKey: KEY });
      void client.invalidateQueries({ queryKey: QUICK_CONNECT_KEY });
    },
  };
}
