import { type Row, userGroup } from '@sallyport/contract';
import { lazy, Suspense } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../../resource/detail/cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { RelationCard } from '../../resource/detail/RelationCard.tsx';
import { FormPage } from '../../resource/form/FormPage.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { referenceTo } from '../../resource/references.ts';
import { words } from './words.ts';

// The list of groups does not wait for the tree.
const GrantedAssets = lazy(() => import('./GrantedAssets.tsx').then((module) => ({ default: module.GrantedAssets })));

const PATH = '/users/groups';
const USERS = referenceTo('user');
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
        link={({ id }) => `${PATH}/${id}`}
        create={{ path: `${PATH}/create` }}
        update={({ id }) => `${PATH}/${id}/update`}
        hasDelete
      />
    </>
  );
}

/** Creates or changes a group. */
export function UserGroupForm() {
  return <FormPage source={userGroup} listPath={PATH} groups={[{ title: words.basic, fields: ['name', 'users', 'comment'] }]} />;
}

/** One group and its members. */
export function UserGroupDetail() {
  return (
    <DetailPage<UserGroup>
      source={userGroup}
      listPath={PATH}
      updatePath={({ id }) => `${PATH}/${id}/update`}
      hasDelete
      tabs={(object, { change }) => [
        {
          name: 'GroupInfo',
          label: t(words.basicInfo),
          render: () => (
            <DetailColumns
              left={<DetailCard source={userGroup} object={object} facts={['name', 'users_amount', 'created_by', 'date_created', 'comment']} />}
              right={USERS && <RelationCard title={t(words.members)} reference={USERS} value={object.users} onChange={(users) => change({ users })} />}
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
