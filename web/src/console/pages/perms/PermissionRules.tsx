import { assetPermission, type LocalText, type Row } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../navigation.tsx';
import type { Column } from '../../resource/list/columns.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { SearchField } from '../../resource/list/search-fields.ts';
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

/** A rule is found by what it says, and by whom and what it reaches (permissions reference §7.1). `chosen`: the tree beside the list has a node already. */
const searchesOf = (chosen: boolean): readonly SearchField[] => [
  { name: 'is_valid', label: t(assetPermission.fields.is_valid.label), choices: yesOrNo(common.yes, common.no) },
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
      searchMore={searchesOf('node_id' in chosen)}
      link={({ id }) => `${LIST_PATH}/${id}`}
      {...(!embedded && { create: { path: `${LIST_PATH}/create`, search: preset } })}
      update={({ id }) => updatePath(id)}
      hasDelete
      emptyHint={t(words.emptyRules)}
    />
  );
}
