import { Box } from '@mantine/core';
import { assetPermission, type LocalText } from '@sallyport/contract';
import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { words as detailWords } from '../../resource/detail/words.ts';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { type Reference, referenceTo } from '../../resource/references.ts';
import { actionsText } from '../access/index.ts';
import { changeLinks, type Linked, type Rule } from './change-links.ts';
import { PermissionSentence } from './PermissionSentence.tsx';
import { PermissionState } from './PermissionState.tsx';
import { ReachedList } from './ReachedList.tsx';
import { PermissionUseCard } from './unused/PermissionUseCard.tsx';
import { validityActions } from './validity-actions.ts';
import { words } from './words.ts';

/** Shows a count that links to the tab with its objects; nothing for zero. */
const countFact = (
  name: 'users_amount' | 'user_groups_amount' | 'assets_amount' | 'nodes_amount',
  activeTab: string,
) => ({
  name,
  label: assetPermission.fields[name].label,
  value: ({ id, [name]: count }: Rule) =>
    count > 0 && (
      <PageLink to={pagesOf(assetPermission.name).detail(id)} search={{ activeTab }}>
        {formatNumber(count)}
      </PageLink>
    ),
});

/** The demands that a permission makes before a session. */
const demandsOf = (rule: Rule) => [
  ...(rule.mfa_minutes > 0 ? (['mfa_minutes'] as const) : []),
  ...(rule.needs_approval
    ? (['needs_approval', 'approval_minutes', 'approval_stages'] as const)
    : []),
  ...(rule.needs_watcher ? (['needs_watcher'] as const) : []),
];

function Relation({
  rule,
  field,
  title,
  target,
  detail,
  min = 0,
  listed = true,
}: {
  readonly rule: Rule;
  readonly field: Linked;
  readonly title: LocalText;
  readonly target: string;
  readonly detail: ResourceDetailModel<Rule>;
  readonly min?: number;
  readonly listed?: boolean;
}) {
  const reference: Reference | undefined = referenceTo(target);
  return reference ? (
    <RelationCard
      title={t(title)}
      reference={reference}
      value={rule[field]}
      min={min}
      listed={listed}
      onChange={(ids) => changeLinks(rule, field, ids).finally(() => void detail.refresh())}
    />
  ) : null;
}

interface TabProps {
  readonly rule: Rule;
  readonly detail: ResourceDetailModel<Rule>;
}

/** The fields of a permission, its switches and its use. */
function Overview({ rule, detail }: TabProps) {
  return (
    <DetailColumns
      left={
        <DetailCard
          source={assetPermission}
          object={rule}
          facts={[
            'name',
            {
              name: 'is_valid',
              label: assetPermission.fields.is_valid.label,
              value: (one) => (
                <PermissionState of={one} targets={one.assets_amount + one.nodes_amount} />
              ),
            },
            countFact('users_amount', 'AssetPermissionUser'),
            countFact('user_groups_amount', 'AssetPermissionUser'),
            countFact('assets_amount', 'AssetPermissionAsset'),
            countFact('nodes_amount', 'AssetPermissionAsset'),
            'system_users_amount',
            {
              name: 'actions',
              label: words.actionsLabel,
              value: ({ actions }) => actionsText(actions),
            },
            'condition',
            ...demandsOf(rule),
            'date_start',
            'date_expired',
            'date_created',
            'created_by',
            'comment',
          ]}
        />
      }
      right={
        <>
          <QuickActionsCard
            actions={[
              {
                key: 'active',
                title: t(words.active),
                checked: rule.is_active,
                toggle: (on) => detail.activate(rule.name, on),
              },
              ...validityActions(rule, detail),
            ]}
          />
          <PermissionUseCard id={rule.id} />
        </>
      }
    />
  );
}

/** The users of a permission, and the fields that name them. */
function Members({ rule, detail }: TabProps) {
  return (
    <DetailColumns
      left={<ReachedList rule={rule} kind="user" title={words.members} detail={detail} />}
      right={
        <>
          <Relation
            rule={rule}
            field="users"
            title={words.addUser}
            target="user"
            detail={detail}
            listed={false}
          />
          <Relation
            rule={rule}
            field="user_groups"
            title={words.addGroup}
            target="user_group"
            detail={detail}
          />
        </>
      }
    />
  );
}

/** The assets and accounts of a permission, and the fields that name them. */
function Targets({ rule, detail }: TabProps) {
  return (
    <DetailColumns
      left={<ReachedList rule={rule} kind="asset" title={words.reached} detail={detail} />}
      right={
        <>
          <Relation
            rule={rule}
            field="assets"
            title={words.addAsset}
            target="asset"
            detail={detail}
            listed={false}
          />
          <Relation rule={rule} field="nodes" title={words.addNode} target="node" detail={detail} />
          <Relation
            rule={rule}
            field="system_users"
            title={words.systemUsers}
            target="system_user"
            detail={detail}
            min={1}
          />
        </>
      }
    />
  );
}

export function AssetPermissionDetail() {
  return (
    <DetailPage<Rule>
      source={assetPermission}
      hasDelete
      lead={(rule) => (
        <Box mb="md">
          <PermissionSentence permission={rule} />
        </Box>
      )}
      tabs={(rule, detail) => [
        {
          name: 'AssetPermissionDetail',
          label: t(detailWords.overview),
          render: () => <Overview rule={rule} detail={detail} />,
        },
        {
          name: 'AssetPermissionUser',
          label: t(words.usersTab),
          render: () => <Members rule={rule} detail={detail} />,
        },
        {
          name: 'AssetPermissionAsset',
          label: t(words.assetsTab),
          render: () => <Targets rule={rule} detail={detail} />,
        },
      ]}
    />
  );
}
