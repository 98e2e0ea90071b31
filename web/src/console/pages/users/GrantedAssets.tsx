import { Button, Loader } from '@mantine/core';
import { asset, type GrantedAsset, type GrantedSystemUser } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Source } from '../../resource/source.ts';
import { words } from './words.ts';

/** The system users somebody may use on an asset; asked for only when they are wanted. */
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

/** The assets somebody is granted. */
export function GrantedAssets({ user }: { readonly user: string }) {
  const source: Source = {
    name: 'granted_asset',
    path: `perms/users/${user}/assets`,
    title: words.grantedAssets,
    labelField: 'hostname',
    fields: asset.fields,
  };
  return (
    <ResourceList<GrantedAsset>
      source={source}
      embedded
      hasSearch={false}
      base={{ all: 1 }}
      columns={[
        { name: 'hostname' },
        { name: 'ip', mono: true },
        { name: 'system_users', label: words.systemUsers, cell: (row) => <SystemUserNames url={`perms/users/${user}/assets/${row.id}/system-users/`} /> },
      ]}
      link={({ id }) => `/assets/assets/${id}`}
    />
  );
}
