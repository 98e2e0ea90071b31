import { Button } from '@mantine/core';
import { cluster, type Row } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { SystemUserNames } from '../perms/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { KubeconfigDialog } from './KubeconfigDialog.tsx';
import { words } from './words.ts';

type Cluster = Row<typeof cluster>;

/** Lists the clusters of the current user, each with a button for its kubeconfig. */
export function MyClusters() {
  const { narrow, phone } = useBreakpoints();
  const [shown, setShown] = useState<Cluster>();
  return (
    <>
      <PageHeader hint={t(words.myHint)} />
      <ResourceList<Cluster>
        source={{
          name: 'granted_cluster',
          path: 'perms/users/clusters',
          title: words.granted,
          labelField: 'name',
          fields: cluster.fields,
        }}
        searchBy={[{ name: 'name', label: t(cluster.fields.name.label) }]}
        columns={[
          {
            name: 'name',
            cell: ({ id, name }) => <PageLink to={`/apps/clusters/${id}`}>{name}</PageLink>,
          },
          { name: 'host', mono: true, hidden: narrow },
          {
            name: 'system_users',
            label: words.systemUsers,
            width: 160,
            hidden: phone,
            cell: ({ id }) => <SystemUserNames url={`perms/users/clusters/${id}/system-users/`} />,
          },
          {
            name: 'kubeconfig',
            label: words.kubeconfig,
            width: 130,
            essential: true,
            cell: (row) => (
              <Button
                size="compact-sm"
                variant="light"
                onClick={() => setShown(row)}
                aria-label={t(words.kubeconfigFor, { name: row.name })}
              >
                {t(words.kubeconfig)}
              </Button>
            ),
          },
          { name: 'comment', hidden: narrow },
        ]}
        emptyHint={t(words.noClusters)}
      />
      {shown && <KubeconfigDialog app={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}
