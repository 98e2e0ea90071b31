import type {
  FavoriteAsset,
  FavoriteDatabaseApp,
  FavoriteRemoteApp,
  QuickConnectAsset,
} from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';

/** Query key of the assets on the start page. */
export const QUICK_CONNECT_KEY = ['quick-connect'];

/** Favorite and recent assets of the user. */
export function useQuickConnect(enabled = true) {
  return useQuery({
    queryKey: QUICK_CONNECT_KEY,
    queryFn: ({ signal }) =>
      api.get<readonly QuickConnectAsset[]>('search/quick-connect/', { signal, quiet: true }),
    enabled,
  });
}

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
