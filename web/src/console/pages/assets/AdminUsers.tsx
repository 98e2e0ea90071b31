import { adminUser, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../navigation.tsx';
import { DetailCard } from '../../resource/detail/cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { FormPage } from '../../resource/form/FormPage.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { useRoom } from '../useRoom.ts';
import { LinkedAssets } from './LinkedAssets.tsx';
import { words } from './words.ts';

const PATH = '/assets/admin-users';
type AdminUser = Row<typeof adminUser>;

/** The privileged accounts on assets. */
export function AdminUserList() {
  const { tiny } = useRoom();
  return (
    <>
      <PageHeader hint={t(words.adminUserHint)} />
      <ResourceList<AdminUser>
        source={adminUser}
        columns={[
          { name: 'name' },
          { name: 'username', hidden: tiny },
          {
            name: 'assets_amount',
            width: 120,
            hidden: tiny,
            cell: ({ id, assets_amount: amount }) => (
              <PageLink to={`${PATH}/${id}`} search={{ activeTab: 'AssetList' }}>
                {amount}
              </PageLink>
            ),
          },
          { name: 'comment', hidden: tiny, cell: ({ comment }) => comment && <Clipped title={comment} /> },
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

/** Creates or changes an admin user. */
export function AdminUserForm() {
  return <FormPage source={adminUser} listPath={PATH} groups={[{ title: words.basic, fields: ['name', 'username', 'password', 'private_key', 'comment'] }]} />;
}

/** One admin user and the assets it is set on. */
export function AdminUserDetail() {
  return (
    <DetailPage<AdminUser>
      source={adminUser}
      listPath={PATH}
      updatePath={({ id }) => `${PATH}/${id}/update`}
      hasDelete
      tabs={(object) => [
        {
          name: 'Detail',
          label: t(words.adminUserDetail),
          render: () => (
            <DetailColumns
              left={<DetailCard source={adminUser} object={object} facts={['name', 'username', 'assets_amount', 'date_created', 'created_by', 'comment']} />}
            />
          ),
        },
        {
          name: 'AssetList',
          label: t(words.assetList),
          render: () => <LinkedAssets by={{ admin_user: object.id }} />,
        },
      ]}
    />
  );
}
