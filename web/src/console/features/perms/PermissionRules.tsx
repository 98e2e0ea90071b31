import { assetPermission, type LocalText, type Row } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import type { Column } from '../../resource/list/columns.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { SearchField } from '../../resource/list/search-fields.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

const PAGES = pagesOf(assetPermission.name);

type Rule = Row<typeof assetPermission>;
type AmountName = 'users_amount' | 'user_groups_amount' | 'assets_amount' | 'nodes_amount' | 'system_users_amount';

/** A count that leads to where it is explained. */
const amount = (name: AmountName, label: LocalText, tab: string, hidden: boolean): Column<Rule> => ({
  name,
  label,
  hidden,
  width: 72,
  cell: (row) => (
    <PageLink to={PAGES.detail(row.id)} search={{ activeTab: tab }}>
      {row[name]}
    </PageLink>
  ),
});

const columnsFor = ({ narrow, phone }: ReturnType<typeof useBreakpoints>): readonly Column<Rule>[] => [
  { name: 'name', cell: ({ name }) => <Clipped title={name} min={120} /> },
  amount('users_amount', words.users, 'AssetPermissionUser', phone),
  amount('user_groups_amount', words.userGroups, 'AssetPermissionUser', narrow),
  amount('assets_amount', words.assets, 'AssetPermissionAsset', narrow),
  amount('nodes_amount', words.nodes, 'AssetPermissionAsset', narrow),
  amount('system_users_amount', words.systemUsers, 'AssetPermissionAsset', narrow),
  { name: 'is_valid', hidden: phone },
  { name: 'date_start', hidden: true },
  { name: 'date_expired', hidden: true },
  { name: 'date_created', hidden: true },
  { name: 'comment', hidden: true },
];

/** A rule is found by what it says, and by whom and what it reaches. `chosen`: the tree beside the list has a node already. */
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

/** The address names the chosen node. */
const NAMES = ['node'];

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
      columns={columnsFor(useBreakpoints())}
      base={base}
      chosen={chosen}
      pageNames={NAMES}
      embedded={embedded}
      searchMore={searchesOf('node_id' in chosen)}
      editable
      {...(!embedded && { createSearch: preset })}
      hasDelete
      emptyHint={t(words.emptyRules)}
    />
  );
}
