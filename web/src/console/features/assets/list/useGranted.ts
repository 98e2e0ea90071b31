import { allows, type GrantedAsset, Permission } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { useSession } from '../../../base/session.tsx';

const NONE: readonly string[] = [];

/**
 * Finds the assets on the page that the user may connect to. Asks the server once per page, after
 * drawing.
 */
export function useGranted() {
  const { role } = useSession();
  const [pageIds, setPageIds] = useState(NONE);
  const mayConnect = allows(role.permissions, Permission.USE);
  const { data } = useQuery({
    queryKey: ['granted-assets', 'among', pageIds],
    queryFn: ({ signal }) =>
      api.get<readonly GrantedAsset[]>('perms/users/assets/', {
        query: { ids: pageIds.join(',') },
        signal,
        quiet: true,
      }),
    enabled: mayConnect && pageIds.length > 0,
    retry: false,
  });
  const onRows = useCallback((rows: readonly { readonly id: string }[]) => {
    const ids = rows.map(({ id }) => id);
    setPageIds((before) => (before.join() === ids.join() ? before : ids));
  }, []);
  return { granted: new Set((data ?? []).map(({ id }) => id)), onRows };
}
