import { cluster, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import type { Fact } from '../../resource/detail/Cards.tsx';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { accessWords, WhoCanUseApp } from '../access/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { ClusterPermissions } from './ClusterPermissions.tsx';
import { ClusterTestCard } from './ClusterTestCard.tsx';
import { words } from './words.ts';

type Cluster = Row<typeof cluster>;

export function ClusterList() {
  const { narrow, phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.clustersHint)} />
      <ResourceList<Cluster>
        source={cluster}
        columns={[
          { name: 'name' },
          { name: 'host', mono: true, hidden: phone },
          { name: 'port', width: 90, mono: true, hidden: narrow, cell: ({ port }) => String(port) },
          { name: 'domain_display', hidden: narrow },
          { name: 'comment', hidden: narrow },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
        emptyHint={t(words.emptyClusters)}
      />
    </>
  );
}

const GROUPS: readonly FormGroup<keyof typeof cluster.fields>[] = [
  { title: words.name, fields: ['name'] },
  { title: words.place, fields: ['host', 'port', 'ca_certificate', 'tls_name'] },
  moreOptions(['domain', 'comment']),
];

/** Creates or changes a cluster. */
export const ClusterForm = () => <FormPage source={cluster} groups={GROUPS} />;

const FACTS: readonly Fact<Cluster>[] = [
  'name',
  'host',
  { name: 'port', label: cluster.fields.port.label, value: ({ port }) => String(port) },
  'tls_name',
  'domain',
  'date_created',
  'date_updated',
  'created_by',
  'comment',
];

export function ClusterDetail() {
  return (
    <DetailPage<Cluster>
      source={cluster}
      hasDelete
      tabs={(object) => [
        factsTab(cluster, object, FACTS),
        {
          name: 'ClusterTest',
          label: t(words.test),
          render: () => <ClusterTestCard id={object.id} />,
        },
        {
          name: 'AppAccess',
          label: t(accessWords.whoUsesTitle),
          render: () => <WhoCanUseApp kind="cluster" id={object.id} />,
        },
        {
          name: 'Permissions',
          label: t(words.rules),
          render: () => <ClusterPermissions by={{ cluster_id: object.id }} />,
        },
      ]}
    />
  );
}
