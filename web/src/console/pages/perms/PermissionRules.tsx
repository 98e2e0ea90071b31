import { assetPermission, type LocalText, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../navigation.tsx';
import type { Column } from '../../resource/list/columns.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { Clipped } from '../Clipped.tsx';
import { useRoom } from '../useRoom.ts';
import { words } from './words.ts';

export const LIST_PATH = '/perms/asset-permissions';
/** Changing a rule has its own path, in the singular (specification §2). */
export const updatePath = (id: string) => `/perms/asset-permission/${id}/update`;

type Rule = Row<typeof assetPermission>;
type AmountName = 'users_amount' | 'user_groups_amount' | 'assets_amount' | 'nodes_amount' | 'system_users_amount';

/** A count that leads to where it is explained. */
const amount = (name: AmountName, label: LocalText, tab: string, hidden: boolean): Column<Rule> => ({
  name,
  label,
  hidden,
  width: 72,
  cell: (row) => (
    <PageLink to={`${LIST_PATH}/${row.id}`} search={{ activeTab: tab }}>
      {row[name]}
    </PageLink>
  ),
});

const columnsFor = ({ cramped, tiny }: ReturnType<typeof useRoom>): readonly Column<Rule>[] => [
  { name: 'name', cell: ({ name }) => <Clipped title={name} min={120} /> },
  amount('users_amount', words.users, 'AssetPermissionUser', tiny),
  amount('user_groups_amount', words.userGroups, 'AssetPermissionUser', cramped),
  amount('assets_amount', words.assets, 'AssetPermissionAsset', cramped),
  amount('nodes_amount', words.nodes, 'AssetPermissionAsset', cramped),
  amount('system_users_amount', words.systemUsers, 'AssetPermissionAsset', cramped),
  { name: 'is_valid', hidden: tiny },
  { name: 'date_start', hidden: true },
  { name: 'date_expired', hidden: true },
  { name: 'date_created', hidden: true },
  { name: 'comment', hidden: true },
];

interface PermissionRulesProps {
  /** What the list is about, such as the rules of one person. */
  readonly base?: Readonly<Record<string, string | number>>;
  /** What the person chose beside it, such as a node. */
  readonly chosen?: Readonly<Record<string, string | number>>;
  readonly embedded?: boolean;
  /** What a new rule begins with. */
  readonly preset?: Readonly<Record<string, string>>;
}

/** The rules about assets, all of them or those that concern somebody or something. */
export function PermissionRules({ base = {}, chosen = {}, embedded = false, preset = {} }: PermissionRulesProps) {
  return (
    <ResourceList<Rule>
      source={assetPermission}
      columns={columnsFor(useRoom())}
      base={base}
      chosen={chosen}
      embedded={embedded}
      link={({ id }) => `${LIST_PATH}/${id}`}
      {...(!embedded && { create: { path: `${LIST_PATH}/create`, search: preset } })}
      update={({ id }) => updatePath(id)}
      hasDelete
      emptyHint={t(words.emptyRules)}
    />
  );
}
