import type { FirstNames, LocalText } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { pagesOf } from '../../base/resources.ts';
import { useActivation } from '../../resource/bulk/useChangeRows.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Column } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { FirstOfMany } from '../FirstOfMany.tsx';
import { PermissionState } from '../perms/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { type AppKind, type AppRule, DATABASES, REMOTE } from './kinds.ts';
import { words } from './words.ts';

interface Named {
  readonly field: keyof FirstNames;
  readonly target: string;
  readonly label: LocalText;
  readonly tab: string;
  readonly amount: (rule: AppRule) => number;
  readonly hidden: boolean;
}

const namesColumn = (
  kind: AppKind,
  { field, target, label, tab, amount, hidden }: Named,
): Column<AppRule> => ({
  name: `${field}_amount`,
  label,
  hidden,
  cell: (rule) => (
    <FirstOfMany
      resource={target}
      first={rule.first_names[field]}
      amount={amount(rule)}
      to={pagesOf(kind.resource.name).detail(rule.id)}
      tab={tab}
    />
  ),
});

const columnsFor = (
  kind: AppKind,
  { narrow, phone }: ReturnType<typeof useBreakpoints>,
): readonly Column<AppRule>[] => {
  const [people, apps] = [`${kind.tab}PermissionUser`, `${kind.tab}Permission${kind.tab}`];
  return [
    { name: 'name', cell: ({ name }) => <Clipped title={name} min={120} /> },
    namesColumn(kind, {
      field: 'users',
      target: 'user',
      label: words.users,
      tab: people,
      amount: (rule) => rule.users_amount,
      hidden: phone,
    }),
    namesColumn(kind, {
      field: 'user_groups',
      target: 'user_group',
      label: words.userGroups,
      tab: people,
      amount: (rule) => rule.user_groups_amount,
      hidden: narrow,
    }),
    namesColumn(kind, {
      field: kind.field,
      target: kind.target,
      label: kind.apps,
      tab: apps,
      amount: kind.amountOf,
      hidden: narrow,
    }),
    namesColumn(kind, {
      field: 'system_users',
      target: 'system_user',
      label: words.systemUsers,
      tab: apps,
      amount: (rule) => rule.system_users_amount,
      hidden: narrow,
    }),
    {
      name: 'is_valid',
      width: 150,
      essential: true,
      cell: (rule) => <PermissionState of={rule} targets={kind.amountOf(rule)} />,
    },
    { name: 'date_start', hidden: true },
    { name: 'date_expired', hidden: true },
    { name: 'date_created', hidden: true },
    { name: 'comment', hidden: true },
  ];
};

const searches = ({ resource }: AppKind) => [
  {
    name: 'is_valid',
    label: t(resource.fields.is_valid.label),
    choices: [
      { value: '1', label: t(common.yes) },
      { value: '0', label: t(common.no) },
    ],
  },
  { name: 'username', label: t(words.username) },
  { name: 'user_group', label: t(words.userGroups) },
  { name: 'system_user', label: t(words.systemUsers) },
];

const BULK_UPDATE = { fields: ['date_start', 'date_expired', 'comment'] };

interface AppRulesProps {
  readonly kind: AppKind;
  /** Fixed filter of the list, such as one user. */
  readonly base?: Readonly<Record<string, string | number>>;
  readonly embedded?: boolean;
}

function AppRules({ kind, base = {}, embedded = false }: AppRulesProps) {
  const activation = useActivation(kind.resource);
  return (
    <ResourceList<AppRule>
      source={kind.resource}
      columns={columnsFor(kind, useBreakpoints())}
      base={base}
      embedded={embedded}
      searchMore={searches(kind)}
      editable={!embedded}
      hasDelete
      bulkUpdate={BULK_UPDATE}
      bulkActions={activation}
      emptyHint={t(kind.hint)}
    />
  );
}

function AppRuleList({ kind }: { readonly kind: AppKind }) {
  return (
    <>
      <PageHeader hint={t(kind.hint)} />
      <AppRules kind={kind} />
    </>
  );
}

export const RemoteAppPermissionList = () => <AppRuleList kind={REMOTE} />;
export const DatabaseAppPermissionList = () => <AppRuleList kind={DATABASES} />;

/** Lists the application permissions of a user or group, for the page of that user or group. */
export function RulesAbout({
  apps,
  by,
}: {
  readonly apps: 'remote' | 'databases';
  readonly by: Readonly<Record<string, string>>;
}) {
  return <AppRules kind={apps === 'remote' ? REMOTE : DATABASES} base={by} embedded />;
}
