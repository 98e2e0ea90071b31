import { adminUser, asset, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { taskWords } from '../../resource/job/words.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { PreferredAccounts } from '../asset-users/index.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { useAccountTask } from './push/useAccountTask.ts';
import { SecretUse, takeBackActions } from './Secrets.tsx';
import { words } from './words.ts';

const PAGES = pagesOf(adminUser.name);

type AdminUser = Row<typeof adminUser>;

export function AdminUserList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.adminUserHint)} />
      <ResourceList<AdminUser>
        source={adminUser}
        columns={[
          { name: 'name' },
          { name: 'username', hidden: phone },
          {
            name: 'assets_amount',
            width: 120,
            hidden: phone,
            cell: ({ id, assets_amount: amount }) => (
              <PageLink to={PAGES.detail(id)} search={{ activeTab: 'AssetList' }}>
                {amount}
              </PageLink>
            ),
          },
          {
            name: 'comment',
            hidden: phone,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
          { name: 'date_created', hidden: true },
          { name: 'created_by', hidden: true },
        ]}
        hasDelete
      />
    </>
  );
}

export function AdminUserForm() {
  return (
    <FormPage
      source={adminUser}
      groups={[
        { title: words.basic, fields: ['name', 'username', 'password', 'private_key', 'comment'] },
      ]}
      lead={(_values, account) => <SecretUse account={account} />}
    />
  );
}

export function AdminUserDetail() {
  const { testAdminUser } = useAccountTask();
  return (
    <DetailPage<AdminUser>
      source={adminUser}
      hasDelete
      tabs={(object, { refresh }) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={adminUser}
                  object={object}
                  facts={[
                    'name',
                    'username',
                    'assets_amount',
                    'date_secret_changed',
                    'date_created',
                    'created_by',
                    'comment',
                  ]}
                />
              }
              right={
                <QuickActionsCard
                  actions={[
                    {
                      key: 'test',
                      title: t(taskWords.test),
                      button: t(taskWords.run),
                      run: () => testAdminUser(object.id),
                    },
                    ...takeBackActions(adminUser, object, refresh),
                  ]}
                />
              }
            />
          ),
        },
        {
          name: 'AssetList',
          label: t(words.assetList),
          render: () => <PreferredAccounts kind="admin_user" id={object.id} />,
        },
      ]}
    />
  );
}

/** Lists the assets of an account on the account's page. `by`: filter of the list request. */
export function LinkedAssets({ by }: { readonly by: Readonly<Record<string, string>> }) {
  return (
    <ResourceList<Row<typeof asset>>
      source={asset}
      embedded
      base={by}
      columns={[
        { name: 'hostname' },
        { name: 'ip', mono: true },
        { name: 'comment', cell: ({ comment }) => comment && <Clipped title={comment} /> },
      ]}
    />
  );
}
