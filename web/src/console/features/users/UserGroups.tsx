import { type Row, userGroup } from '@sallyport/contract';
import { lazy, Suspense } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { changePairs } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { GROUPABLE } from './groupable.ts';
import { words } from './words.ts';

// The list of groups does not wait for the tree.
const GrantedAssets = lazy(() => import('./GrantedAssets.tsx').then((module) => ({ default: module.GrantedAssets })));

type UserGroup = Row<typeof userGroup>;

/** Groups of users. */
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

/** One group and its members. */
export function UserGroupDetail() {
  return (
    <DetailPage<UserGroup>
      source={userGroup}
      hasDelete
      tabs={(object, { refresh }) => [
        {
          name: 'GroupInfo',
          label: t(words.basicInfo),
          render: () => (
            <DetailColumns
              left={<DetailCard source={userGroup} object={object} facts={['name', 'users_amount', 'created_by', 'date_created', 'comment']} />}
              right={
                <RelationCard
                  title={t(words.members)}
                  reference={GROUPABLE}
                  value={object.users}
                  onChange={(users) =>
                    changePairs('usergroup', 'users', object.users, users, (user) => ({ user, usergroup: object.id })).finally(() => void refresh())
                  }
                />
              }
            />
          ),
        },
        {
          name: 'GroupGrantedAssets',
          label: t(words.grantedAssets),
          render: () => (
            <Suspense>
              <GrantedAssets base={`perms/user-groups/${object.id}`} />
            </Suspense>
          ),
        },
      ]}
    />
  );
}
