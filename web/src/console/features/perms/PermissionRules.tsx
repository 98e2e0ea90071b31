import { Skeleton } from '@mantine/core';
import { assetPermission, type LocalText } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useActivation } from '../../resource/bulk/useChangeRows.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { SearchField } from '../../resource/list/search/search-fields.ts';
import type { Column } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { ListByNode } from '../../tree/ListByNode.tsx';
import { TryAccess } from '../access/index.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { PermissionState } from './PermissionState.tsx';
import { FirstNames, type Named, type Rule, ShortAccess } from './ShortAccess.tsx';
import { words } from './words.ts';

const PermissionSentence = lazyComponent(
  () => import('./PermissionSentence.tsx').then((module) => module.PermissionSentence),
  <Skeleton height={44} />,
);

/** The names of one kind, for users who chose its column. */
const namesColumn = (field: Named, label: LocalText): Column<Rule> => ({
  name: `${field}_amount`,
  label,
  hidden: true,
  cell: (row) => <FirstNames rule={row} field={field} />,
});

const columnsFor = (phone: boolean): readonly Column<Rule>[] => [
  { name: 'name', cell: ({ name }) => <Clipped title={name} min={120} /> },
  {
    name: 'access',
    label: words.whoWhere,
    hidden: phone,
    cell: (row) => <ShortAccess rule={row} />,
  },
  {
    name: 'is_valid',
    width: 150,
    essential: true,
    cell: (row) => <PermissionState of={row} targets={row.assets_amount + row.nodes_amount} />,
  },
  namesColumn('users', words.users),
  namesColumn('user_groups', words.userGroups),
  namesColumn('nodes', words.nodes),
  namesColumn('system_users', words.systemUsers),
  namesColumn('assets', words.assets),
  { name: 'date_start', hidden: true },
  { name: 'date_expired', hidden: true },
  { name: 'date_created', hidden: true },
  { name: 'comment', hidden: true },
];

/**
 * Search fields of the list. `chosen`: the tree already limits the list to a node, so the node
 * field is left out.
 */
const searchesOf = (chosen: boolean): readonly SearchField[] => [
  {
    name: 'is_valid',
    label: t(assetPermission.fields.is_valid.label),
    choices: yesOrNo(common.yes, common.no),
  },
  { name: 'username', label: t(words.username) },
  { name: 'user_group', label: t(words.userGroups) },
  { name: 'ip', label: 'IP' },
  { name: 'hostname', label: t(words.hostname) },
  ...(chosen ? [] : [{ name: 'node_id', label: t(words.nodes), target: 'node' }]),
  { name: 'system_user', label: t(words.systemUsers) },
  { name: 'all', label: t(words.inherit), choices: yesOrNo(words.include, words.exclude) },
];

const yesOrNo = (yes: LocalText, no: LocalText) => [
  { value: '1', label: t(yes) },
  { value: '0', label: t(no) },
];

/** The search parameter with the chosen node. */
const NAMES = ['node'];

/** Administrators often extend all permissions of a project together. */
const BULK_UPDATE = { fields: ['date_start', 'date_expired', 'comment'] };

interface PermissionRulesProps {
  /** Fixed filter of the list, such as one user. */
  readonly base?: Readonly<Record<string, string | number>>;
  /** Filter that the user chose next to the list, such as a node. */
  readonly chosen?: Readonly<Record<string, string | number>>;
  readonly embedded?: boolean;
  /** Initial values of a new permission. */
  readonly preset?: Readonly<Record<string, string>>;
  /** Initial values of a permission that is created from an embedded list. */
  readonly createSearch?: Readonly<Record<string, string>>;
}

/** Lists asset permissions: all, or those of one user, group, asset or system user. */
export function PermissionRules({
  base = {},
  chosen = {},
  embedded = false,
  preset = {},
  createSearch,
}: PermissionRulesProps) {
  const activation = useActivation(assetPermission);
  return (
    <ResourceList<Rule>
      source={assetPermission}
      columns={columnsFor(useBreakpoints().phone)}
      base={base}
      chosen={chosen}
      pageNames={NAMES}
      embedded={embedded}
      searchMore={searchesOf('node_id' in chosen)}
      editable
      {...(embedded ? createSearch && { createSearch } : { createSearch: preset })}
      hasDelete
      expand={(rule) => <PermissionSentence permission={rule} />}
      bulkUpdate={BULK_UPDATE}
      bulkActions={activation}
      emptyHint={t(words.emptyRules)}
    />
  );
}

/** Lists all permissions. Selecting a node keeps those that reach the node. */
export function AssetPermissionList() {
  return (
    <>
      <PageHeader hint={t(words.listHint)}>
        <TryAccess />
      </PageHeader>
      <ListByNode>
        {(node) => (
          <PermissionRules
            key={node ?? ''}
            chosen={node ? { node_id: node } : {}}
            preset={node ? { node } : {}}
          />
        )}
      </ListByNode>
    </>
  );
}
