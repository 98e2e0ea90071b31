import type { FavoriteAsset, FavoriteDatabaseApp, FavoriteRemoteApp } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import { QUICK_CONNECT_KEY } from '../../kit/quick-connect/useQuickConnect.ts';

const PATHS = {
  asset: 'assets/favorite-assets/',
  remote_app: 'applications/favorite-remote-apps/',
  database_app: 'applications/favorite-database-apps/',
} as const;

/** Kinds of objects that users can star. */
export type FavoriteKind = keyof typeof PATHS;

type Favorite = FavoriteAsset | FavoriteRemoteApp | FavoriteDatabaseApp;

/** The assets, or applications of a kind, that the user starred. */
export function useFavorites(kind: FavoriteKind = 'asset', enabled = true) {
  const path = PATHS[kind];
  const key = ['favorites', kind];
  const client = useQueryClient();
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.get<readonly Favorite[]>(path, { signal }),
    enabled,
  });
  const marked = new Set((query.data ?? []).flatMap((row) => Object.values(row)));
  return {
    loaded: query.isSuccess,
    has: (id: string) => marked.has(id),
    async toggle(id: string) {
      if (marked.has(id)) await api.delete(path, { query: { [kind]: id } });
      else await api.post(path, { [kind]: id });
      await client.invalidateQueries({ queryKey: key });
      if (kind === 'asset') void client.invalidateQueries({ queryKey: QUICK_CONNECT_KEY });
    },
  };
}
