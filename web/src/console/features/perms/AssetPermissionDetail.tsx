import { Box } from '@mantine/core';
import { assetPermission, type LocalText, type Row } from '@sallyport/contract';
import { Fragment } from 'react';
import { formatNumber } from '../../../kit/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { changePairs } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { State } from '../../resource/list/State.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { type Reference, referenceTo } from '../../resource/references.ts';
import { PermissionSentence } from './PermissionSentence.tsx';
import { PermissionUseCard } from './unused/PermissionUseCard.tsx';
import { validityActions } from './validity-actions.ts';
import { words } from './words.ts';

type Rule = Row<typeof assetPermission>;
type Linked = 'users' | 'user_groups' | 'assets' | 'nodes' | 'system_users';

/** The name that the link endpoints use for each linked object. */
const KEYS = {
  users: 'user',
  user_groups: 'usergroup',
  assets: 'asset',
  nodes: 'node',
  system_users: 'systemuser',
} as const;

/**
 * Saves only the difference: another administrator may have changed the permission since this page
 * was loaded. Asks for confirmation when the access of many users changes.
 */
async function changeLinks(rule: Rule, field: Linked, after: readonly string[]): Promise<void> {
  const {
    id,
    users,
    user_groups,
    assets,
    nodes,
    system_users,
    actions,
    is_active,
    date_start,
    date_expired,
  } = rule;
  const { agreeToAccess } = await import('../access/agree-to-access.ts');
  const terms = {
    users,
    user_groups,
    assets,
    nodes,
    system_users,
    actions,
    is_active,
    date_start,
    date_expired,
    [field]: after,
  };
  if (!(await agreeToAccess({ action: 'save', resource: 'asset_permission', ids: [id], ...terms })))
    throw new Error('not confirmed');
  await changePairs('assetpermission', field, rule[field], after, (one) => ({
    assetpermission: id,
    [KEYS[field]]: one,
  }));
}

/** Shows a count that links to the tab with its objects. */
const countFact = (
  name: 'users_amount' | 'user_groups_amount' | 'assets_amount' | 'nodes_amount',
  activeTab: string,
) => ({
  name,
  label: assetPermission.fields[name].label,
  value: ({ id, [name]: count }: Rule) => (
    <PageLink to={pagesOf(assetPermission.name).detail(id)} search={{ activeTab }}>
      {formatNumber(count)}
    </PageLink>
  ),
});

interface Reached {
  readonly id: string;
  readonly user?: string;
  readonly asset?: string;
  readonly user_display?: string;
  readonly asset_display?: string;
  /** True if the permission names the object directly. */
  readonly direct: boolean;
  /** The groups or nodes through which the permission includes the object. */
  readonly through: readonly { readonly id: string; readonly name: string }[];
}

interface ReachedListProps {
  readonly rule: Rule;
  readonly kind: 'user' | 'asset';
  readonly title: LocalText;
  readonly detail: ResourceDetailModel<Rule>;
}

/** Shows how a permission includes a user or asset: directly, or through groups or nodes. */
function Through({ row, resource }: { readonly row: Reached; readonly resource: string }) {
  return (
    <>
      {row.direct && t(words.direct)}
      {row.through.map(({ id, name }, index) => (
        <Fragment key={id}>
          {(row.direct || index > 0) && ', '}
          <ObjectLink resource={resource} id={id}>
            {name}
          </ObjectLink>
        </Fragment>
      ))}
    </>
  );
}

/**
 * Lists all users or assets of a permission. Only directly named ones can be removed here,
 * inherited ones cannot.
 */
function ReachedList({ rule, kind, title, detail }: ReachedListProps) {
  const linked = kind === 'user' ? 'users' : 'assets';
  const display = kind === 'user' ? 'user_display' : 'asset_display';
  return (
    <ResourceList<Reached>
      source={{
        name: `rule_${linked}`,
        path: `${assetPermission.path}/${rule.id}/${linked}/all`,
        title,
        labelField: display,
        fields: {},
      }}
      embedded
      searchBy={[]}
      idOf={(row) => row[kind] ?? ''}
      columns={[
        { name: display, label: title },
        {
          name: 'through',
          label: words.through,
          essential: true,
          cell: (row) => <Through row={row} resource={kind === 'user' ? 'user_group' : 'node'} />,
        },
      ]}
      link={(row) => (kind === 'user' ? `/users/users/${row.id}` : `/assets/assets/${row.id}`)}
      extraActions={(row) => [
        {
          key: 'remove',
          label: t(common.remove),
          danger: true,
          refusal: row.direct
            ? undefined
            : t(kind === 'user' ? words.comesThroughGroup : words.comesThroughNode, {
                names: row.through.map(({ name }) => name).join(', '),
              }),
          run: () =>
            void changeLinks(
              rule,
              linked,
              rule[linked].filter((id) => id !== row.id),
            )
              .then(() => toast.success(t(common.removeSuccess)))
              .catch(() => undefined)
              .finally(() => void detail.refresh()),
        },
      ]}
    />
  );
}

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
          label: t(words.basicInfo),
          render: () => (
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
                      value: (one) => <State of={one} />,
                    },
                    countFact('users_amount', 'AssetPermissionUser'),
                    countFact('user_groups_amount', 'AssetPermissionUser'),
                    countFact('assets_amount', 'AssetPermissionAsset'),
                    countFact('nodes_amount', 'AssetPermissionAsset'),
                    'system_users_amount',
                    {
                      name: 'actions',
                      label: words.actionsLabel,
                      value: ({ actions }) =>
                        actions
                          .map((name) =>
                            assetPermission.fields.actions.choices.find(
                              (choice) => choice.value === name,
                            ),
                          )
                          .flatMap((choice) => (choice ? [t(choice.label)] : []))
                          .join(', '),
                    },
                    'mfa_minutes',
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
          ),
        },
        {
          name: 'AssetPermissionUser',
          label: t(words.usersTab),
          render: () => (
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
          ),
        },
        {
          name: 'AssetPermissionAsset',
          label: t(words.assetsTab),
          render: () => (
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
                  <Relation
                    rule={rule}
                    field="nodes"
                    title={words.addNode}
                    target="node"
                    detail={detail}
                  />
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
          ),
        },
      ]}
    />
  );
}
