import { type Row, userGroup } from '@sallyport/contract';
import { confirmed } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { changePairs, difference } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { agreeToAccess, WhatCanReach } from '../access/index.ts';
import { useAppTabs } from '../app-permissions/index.ts';
import { PermissionRules } from '../perms/index.ts';
import { GROUPABLE } from './groupable.ts';
import { words } from './words.ts';

type UserGroup = Row<typeof userGroup>;

export function UserGroupList() {
  return (
    <>
      <PageHeader />
      <ResourceList<UserGroup>
        source={userGroup}
        columns={[
          { name: 'name' },
          { name: 'users_amount', width: 140 },
          { name: 'comment' },
          { name: 'date_created', hidden: true },
          { name: 'created_by', hidden: true },
        ]}
        hasDelete
      />
    </>
  );
}

/**
 * Changes the members of a group. Shows the consequences for removed members, and for new members
 * if they gain much access.
 */
async function changeMembers(
  { id, name, users: before }: UserGroup,
  after: readonly string[],
): Promise<void> {
  const change = () =>
    changePairs({
      owner: 'usergroup',
      field: 'users',
      of: { usergroup: id },
      before,
      after,
    });
  const { added, removed } = difference(before, after);
  if (removed.length === 0) {
    if (
      await agreeToAccess({
        action: 'add_members',
        resource: 'user_group',
        ids: [id],
        users: added,
      })
    )
      return change();
    throw new Error('not confirmed');
  }
  return confirmed({
    message: t(words.leaveQuestion, { count: removed.length, name }),
    confirm: t(common.remove),
    danger: true,
    consequences: { action: 'remove_members', resource: 'user_group', ids: [id], users: removed },
    run: change,
  });
}

/** One group and its members. */
export function UserGroupDetail() {
  const appTabs = useAppTabs({ path: 'user-groups', parameter: 'user_group_id' });
  return (
    <DetailPage<UserGroup>
      source={userGroup}
      hasDelete
      tabs={(object, { refresh }) => {
        const apps = appTabs(object.id);
        return [
          {
            name: 'GroupInfo',
            label: t(detailWords.overview),
            render: () => (
              <DetailColumns
                left={
                  <DetailCard
                    source={userGroup}
                    object={object}
                    facts={['name', 'users_amount', 'created_by', 'date_created', 'comment']}
                  />
                }
                right={
                  <RelationCard
                    title={t(words.members)}
                    reference={GROUPABLE}
                    value={object.users}
                    onChange={(users) => changeMembers(object, users).finally(() => void refresh())}
                  />
                }
              />
            ),
          },
          {
            name: 'Access',
            label: t(detailWords.access),
            sections: [
              {
                name: 'GroupAccess',
                label: t(words.groupAccess),
                formerly: ['GroupGrantedAssets'],
                render: () => (
                  <>
                    <WhatCanReach who="user-groups" id={object.id} />
                  </>
                ),
              },
              ...apps.granted,
              {
                name: 'GroupPermissions',
                label: t(words.assetRules),
                render: () => <PermissionRules base={{ user_group_id: object.id }} embedded />,
              },
              ...apps.rules,
            ],
          },
        ];
      }}
    />
  );
}
