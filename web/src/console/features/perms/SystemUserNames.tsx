import { Button, Loader } from '@mantine/core';
import type { GrantedSystemUser } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** System users that a user may use on an asset; loaded on request. */
export function SystemUserNames({ url }: { readonly url: string }) {
  const [wanted, setWanted] = useState(false);
  const query = useQuery({
    queryKey: ['granted-system-users', url],
    queryFn: ({ signal }) => api.get<readonly GrantedSystemUser[]>(url, { signal }),
    enabled: wanted,
  });
  if (!wanted) {
    return (
      <Button size="compact-xs" variant="subtle" onClick={() => setWanted(true)}>
        {t(words.showNames)}
      </Button>
    );
  }
  if (query.isPending) return <Loader size={12} />;
  return query.data?.map(({ name }) => name).join(', ') || t(common.none);
}
