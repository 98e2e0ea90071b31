import { Autocomplete, Button, Group, NativeSelect } from '@mantine/core';
import {
  CLUSTER_PAGE_KINDS,
  type ClusterVisit,
  type GrantedAppSystemUser,
} from '@sallyport/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isEnter } from '../../../../kit/composing.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconRefresh } from '../../../../kit/icons.ts';
import { useGo, usePath, useSearchRecord } from '../../../base/navigation.tsx';
import { ClusterProblem } from './ClusterProblem.tsx';
import { clusterApi, type ObjectPlace } from './cluster-api.ts';
import { ObjectPanel } from './ObjectPanel.tsx';
import { ObjectTable } from './ObjectTable.tsx';
import { KINDS, words } from './words.ts';

interface Props {
  readonly visit: ClusterVisit;
  readonly accounts: readonly GrantedAppSystemUser[];
  readonly onAccount: (id: string) => void;
  readonly onReconnect: () => void;
}

/** Chooses a namespace: one of a list, or one that the user types. */
function NamespaceField({
  visit,
  value,
  onChange,
}: {
  readonly visit: ClusterVisit;
  readonly value: string;
  readonly onChange: (namespace: string) => void;
}) {
  const listed = useQuery({
    queryKey: ['cluster-namespaces', visit.id],
    queryFn: ({ signal }) => clusterApi.namespaces(visit.id, signal),
    enabled: visit.lists_namespaces,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const all = t(words.allNamespaces);
  const label = value === '' ? all : value;
  const [typed, setTyped] = useState(label);
  const names = listed.data?.names ?? visit.namespaces;
  const submit = (text: string) => {
    setTyped(text);
    if (text !== label) onChange(text === all ? '' : text.trim());
  };
  return (
    <Autocomplete
      label={t(words.namespace)}
      placeholder={t(words.namespaceHelp)}
      data={[...(visit.lists_namespaces ? [all] : []), ...names]}
      // A chosen name would hide all others.
      filter={({ options, search }) => (search === label ? options : matching(options, search))}
      limit={200}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={submit}
      onKeyDown={(event) => {
        if (isEnter(event) && typed.trim() !== '') submit(typed);
      }}
      onBlur={() => setTyped(label)}
    />
  );
}

function matching<Option extends object>(options: readonly Option[], search: string): Option[] {
  return options.filter(
    (option) => 'label' in option && String(option.label).includes(search.trim().toLowerCase()),
  );
}

/** The objects of a cluster: one kind in one namespace at a time. */
export function Browse({ visit, accounts, onAccount, onReconnect }: Props) {
  const search = useSearchRecord();
  const go = useGo();
  const path = usePath();
  const kind = CLUSTER_PAGE_KINDS.find(({ name }) => name === search.kind)?.name ?? 'pods';
  // An empty value is left out of addresses, so an asterisk stands for all namespaces.
  const namespace =
    search.namespace === '*'
      ? ''
      : (search.namespace ?? visit.namespaces[0] ?? (visit.lists_namespaces ? '' : 'default'));
  const show = (changed: Readonly<Record<string, string | undefined>>) =>
    void go(path, {
      search: { account: search.account, namespace: namespace || '*', kind, ...changed },
    });
  const list = useInfiniteQuery({
    queryKey: ['cluster-objects', visit.id, kind, namespace],
    queryFn: ({ signal, pageParam }) =>
      clusterApi.objects(visit.id, { kind, namespace, continue: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.continue || undefined,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const [place, name] = [search.in, search.object];
  const opened: ObjectPlace | undefined = name
    ? { kind, namespace: place ?? namespace, name }
    : undefined;
  return (
    <>
      <Group align="end" mb="md">
        {accounts.length > 1 && (
          <NativeSelect
            label={t(words.account)}
            data={accounts.map((one) => ({ value: one.id, label: one.name }))}
            value={visit.system_user}
            onChange={({ currentTarget }) => onAccount(currentTarget.value)}
          />
        )}
        <NamespaceField
          key={namespace}
          visit={visit}
          value={namespace}
          onChange={(chosen) => show({ namespace: chosen || '*' })}
        />
        <NativeSelect
          label={t(words.kind)}
          data={CLUSTER_PAGE_KINDS.map((one) => ({ value: one.name, label: t(KINDS[one.name]) }))}
          value={kind}
          onChange={({ currentTarget }) => show({ kind: currentTarget.value })}
        />
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={list.isFetching && !list.isFetchingNextPage}
          onClick={() => void list.refetch()}
        >
          {t(words.refresh)}
        </Button>
      </Group>
      {list.error && !list.isFetching && (
        <ClusterProblem
          error={list.error}
          onRetry={() => void list.refetch()}
          onReconnect={onReconnect}
        />
      )}
      {(list.data || list.isFetching) && (
        <ObjectTable
          kind={kind}
          pages={list.data?.pages}
          hasNamespaces={namespace === ''}
          onOpen={(row) => show({ in: row.namespace, object: row.name })}
        />
      )}
      {list.hasNextPage && (
        <Button
          mt="md"
          variant="default"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t(words.more)}
        </Button>
      )}
      {opened && (
        <ObjectPanel
          visit={visit}
          place={opened}
          onReconnect={onReconnect}
          onClose={() => show({})}
        />
      )}
    </>
  );
}
