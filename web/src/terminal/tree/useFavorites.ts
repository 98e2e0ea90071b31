import type { FavoriteAsset } from '@sallyport/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../kit/api.ts';

const KEY = ['favorite-assets'] as const;
const PATH = 'assets/favorite-assets/';

export interface Favorites {
  readonly count: number;
  readonly has: (asset: string) => boolean;
  readonly toggle: (asset: string) => void;
}

/**
 * Returns the user's favorite assets, with functions to add and remove one. Calls `onChanged` after
 * the server saved a change.
 */
export function useFavorites(onChanged: () => void): Favorites {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<readonly FavoriteAsset[]>(PATH, { signal, quiet: true }),
  });
  const ids = useMemo(() => new Set(data?.map(({ asset }) => asset)), [data]);
  const change = useMutation({
    mutationFn: (asset: string) =>
      ids.has(asset) ? api.delete(PATH, { query: { asset } }) : api.post(PATH, { asset }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: KEY });
      onChanged();
    },
  });
  return {
    count: ids.size,
    has: (asset) => ids.has(asset),
    toggle: (asset) => change.mutate(asset),
  };
}
