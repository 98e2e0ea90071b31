import { Group, Loader, Text } from '@mantine/core';
import type { GrantedAppSystemUser } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { useGo, useObjectId, usePath, useSearchRecord } from '../../../base/navigation.tsx';
import { LoadFailed } from '../../../resource/list/ListStates.tsx';
import { PageHeader } from '../../../resource/PageHeader.tsx';
import { FreshFactor } from '../../mfa/index.ts';
import { Browse } from './Browse.tsx';
import { clusterApi } from './cluster-api.ts';
import { words } from './words.ts';

/** The page of one cluster: its objects, by the rights of the user. */
export function ClusterBrowser() {
  const id = useObjectId();
  const { account } = useSearchRecord();
  const go = useGo();
  const path = usePath();
  const client = useQueryClient();
  const key = ['cluster-visit', id, account ?? ''];
  const visit = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => clusterApi.connect(id, account, signal),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const accounts = useQuery({
    queryKey: ['granted-system-users', `perms/users/clusters/${id}/system-users/`],
    queryFn: ({ signal }) =>
      api.get<readonly GrantedAppSystemUser[]>(`perms/users/clusters/${id}/system-users/`, {
        signal,
        quiet: true,
      }),
  });
  const needsFactor = visit.error instanceof ApiError && visit.error.code === 'mfa_verify_required';
  const reconnect = () => void client.resetQueries({ queryKey: key });
  return (
    <>
      <PageHeader
        {...(visit.data && { title: visit.data.cluster_name })}
        onBack={() => void go('/apps/clusters')}
      />
      {needsFactor ? (
        <FreshFactor onProved={() => visit.refetch()} />
      ) : visit.isError ? (
        <LoadFailed error={visit.error} onRetry={() => void visit.refetch()} />
      ) : visit.data ? (
        <Browse
          key={visit.data.id}
          visit={visit.data}
          accounts={accounts.data ?? []}
          onAccount={(chosen) => void go(path, { search: { account: chosen } })}
          onReconnect={reconnect}
        />
      ) : (
        <Group role="status">
          <Loader size="sm" />
          <Text fz="sm">{t(words.connecting)}</Text>
        </Group>
      )}
    </>
  );
}
