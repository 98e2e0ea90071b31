import type { QuickConnectAsset } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';

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
