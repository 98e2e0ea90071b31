import { allows, type GrantedAsset, Permission } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { useSession } from '../../../base/session.tsx';

const NONE: readonly string[] = [];

/** Which of the assets on the screen are granted to this user; asked once for a page, after it is drawn. */
export function useGranted() {
  const { role } = useSession();
  const [shown, setShown] = useState(NONE);
  const mayConnect = allows(role.permissions, Permission.USE);
  const { data } = useQuery({
    queryKey: ['granted-assets', 'among', shown],
    queryFn: ({ signal }) =>
      api.get<readonly GrantedAsset[]>('perms/users/assets/', {
        query: { ids: shown.join(',') },
        signal,
        quiet: true,
      }),
    enabled: mayConnect && shown.length > 0,
    retry: false,
  });
  const onRows = useCallback((rows: readonly { readonly id: string }[]) => {
    const ids = rows.map(({ id }) => id);
    setShown((before) => (before.join() === ids.join() ? before : ids));
  }, []);
  return { granted: new Set((data ?? []).map(({ id }) => id)), onRows };
}
