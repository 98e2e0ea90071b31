import { clusterPermission, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
import { useActivation } from '../../resource/bulk/useChangeRows.ts';
import type { Fact } from '../../resource/detail/Cards.tsx';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import { moreOptions } from '../../resource/form/more-options.ts';
import { RemoteSelect } from '../../resource/form/RemoteSelect.tsx';
import type { FieldOverrides, FormGroup, WidgetProps } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { narrowed } from '../../resource/references.ts';
import { APPROVAL_FIELDS, APPROVAL_TERMS, PermissionState } from '../perms/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type ClusterPermission = Row<typeof clusterPermission>;

/** Lists permissions of clusters, or those of one cluster. */
export function ClusterPermissions({ by }: { readonly by?: Readonly<Record<string, string>> }) {
  const { narrow, phone } = useBreakpoints();
  const activation = useActivation(clusterPermission);
  return (
    <ResourceList<ClusterPermission>
      source={clusterPermission}
      base={by ?? {}}
      embedded={by !== undefined}
      editable={by === undefined}
      columns={[
        { name: 'name' },
        { name: 'users_amount', hidden: phone },
        { name: 'user_groups_amount', hidden: narrow },
        { name: 'clusters_amount', hidden: phone },
        { name: 'system_users_amount', hidden: narrow },
        {
          name: 'is_valid',
          width: 150,
          essential: true,
          cell: (rule) => <PermissionState of={rule} targets={rule.clusters_amount} />,
        },
        { name: 'date_expired', hidden: true },
        { name: 'comment', hidden: true },
      ]}
      hasDelete
      bulkActions={activation}
      emptyHint={t(words.emptyRules)}
    />
  );
}

export function ClusterPermissionList() {
  return (
    <>
      <PageHeader hint={t(words.rulesHint)} />
      <ClusterPermissions />
    </>
  );
}

/** Chooses system users that sign in to clusters. */
function Accounts({ label, help, error, required, disabled, value, onChange }: WidgetProps) {
  return (
    <RemoteSelect
      reference={narrowed('system_user', { protocol__in: 'kubernetes' })}
      label={label}
      description={help}
      error={error}
      required={required}
      disabled={disabled}
      multiple
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={onChange}
    />
  );
}

const GROUPS: readonly FormGroup<keyof typeof clusterPermission.fields>[] = [
  { title: words.basic, fields: ['name'] },
  { title: words.who, fields: ['users', 'user_groups'] },
  { title: words.where, fields: ['clusters', 'system_users'] },
  { title: words.identity, fields: ['kube_user', 'kube_groups'] },
  { title: words.allowed, fields: ['namespaces', 'verbs', 'actions', 'date_expired'] },
  moreOptions([
    'kinds',
    'condition',
    'needs_approval',
    'approval_minutes',
    ...APPROVAL_FIELDS,
    'date_start',
    'is_active',
    'comment',
  ]),
];
const OVERRIDES: FieldOverrides = {
  system_users: { widget: Accounts, help: words.accountsHelp },
  ...APPROVAL_TERMS,
};

/** Creates or changes a permission. The address can preset the cluster of a new one. */
export function ClusterPermissionForm() {
  const { app, user } = useSearchRecord();
  return (
    <FormPage
      source={clusterPermission}
      groups={GROUPS}
      overrides={OVERRIDES}
      initial={{ ...(app && { clusters: [app] }), ...(user && { users: [user] }) }}
    />
  );
}

const FACTS: readonly Fact<ClusterPermission>[] = [
  'name',
  {
    name: 'is_valid',
    label: clusterPermission.fields.is_valid.label,
    value: (rule) => <PermissionState of={rule} targets={rule.clusters_amount} />,
  },
  'users',
  'user_groups',
  'clusters',
  'system_users',
  'kube_user',
  'kube_groups',
  'namespaces',
  'verbs',
  'actions',
  'kinds',
  'condition',
  'date_start',
  'date_expired',
  'date_created',
  'created_by',
  'comment',
];

export const ClusterPermissionDetail = () => (
  <DetailPage<ClusterPermission>
    source={clusterPermission}
    hasDelete
    tabs={(object) => [factsTab(clusterPermission, object, FACTS)]}
  />
);
