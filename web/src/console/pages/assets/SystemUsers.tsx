import { type Row, systemUser } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../navigation.tsx';
import { DetailCard, QuickActionsCard } from '../../resource/detail/cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { FormPage } from '../../resource/form/FormPage.tsx';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { useRoom } from '../useRoom.ts';
import { LinkedAssets } from './LinkedAssets.tsx';
import { words } from './words.ts';

const PATH = '/assets/system-users';
type SystemUser = Row<typeof systemUser>;

/** The accounts with which people sign in to assets. */
export function SystemUserList() {
  const { cramped, tiny } = useRoom();
  return (
    <>
      <PageHeader hint={t(words.systemUserHint)} />
      <ResourceList<SystemUser>
        source={systemUser}
        columns={[
          { name: 'name' },
          { name: 'username', hidden: tiny },
          { name: 'protocol', width: 96, hidden: tiny },
          { name: 'login_mode', width: 120, hidden: tiny },
          {
            name: 'assets_amount',
            width: 90,
            hidden: tiny,
            cell: ({ id, assets_amount: amount }) => (
              <PageLink to={`${PATH}/${id}`} search={{ activeTab: 'AssetList' }}>
                {amount}
              </PageLink>
            ),
          },
          { name: 'comment', hidden: cramped, cell: ({ comment }) => comment && <Clipped title={comment} /> },
          { name: 'priority', hidden: true },
          { name: 'date_created', hidden: true },
        ]}
        link={({ id }) => `${PATH}/${id}`}
        create={{ path: `${PATH}/create` }}
        update={({ id }) => `${PATH}/${id}/update`}
        hasDelete
        emptyHint={t(words.emptySystemUsers)}
      />
    </>
  );
}

const GROUPS: readonly FormGroup[] = [
  { title: words.basic, fields: ['name', 'login_mode', 'username', 'username_same_with_user', 'priority', 'protocol'] },
  { title: words.auth, fields: ['auto_push', 'password', 'private_key'] },
  { title: words.other, fields: ['sftp_root', 'sudo', 'shell', 'comment'] },
];

const OVERRIDES: FieldOverrides = {
  priority: { required: true },
  username: { disabled: (values) => values.username_same_with_user === true },
  auto_push: { hidden: (values) => values.login_mode !== 'auto' },
  password: { hidden: (values) => values.login_mode !== 'auto' },
  private_key: { hidden: (values) => values.login_mode !== 'auto' || values.protocol !== 'ssh' },
  sftp_root: { hidden: (values) => values.protocol !== 'ssh' },
  sudo: { hidden: (values) => values.protocol !== 'ssh', required: true },
  shell: { hidden: (values) => values.protocol !== 'ssh', required: true },
};

/** Creates or changes a system user. Secrets belong to automatic login only; sudo and shell to ssh only. */
export function SystemUserForm() {
  return <FormPage source={systemUser} listPath={PATH} groups={GROUPS} overrides={OVERRIDES} />;
}

/** One system user. */
export function SystemUserDetail() {
  return (
    <DetailPage<SystemUser>
      source={systemUser}
      listPath={PATH}
      updatePath={({ id }) => `${PATH}/${id}/update`}
      hasDelete
      tabs={(object, { change }) => [
        {
          name: 'Detail',
          label: t(words.systemUserDetail),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={systemUser}
                  object={object}
                  facts={[
                    'name',
                    'username',
                    'protocol',
                    'login_mode',
                    'priority',
                    'sftp_root',
                    'sudo',
                    'shell',
                    'assets_amount',
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
                      key: 'push',
                      title: t(words.autoPush),
                      hint: t(systemUser.fields.auto_push.help ?? words.autoPush),
                      checked: object.auto_push,
                      disabled: object.login_mode !== 'auto',
                      toggle: (auto_push) => change({ auto_push }),
                    },
                  ]}
                />
              }
            />
          ),
        },
        { name: 'AssetList', label: t(words.assetList), render: () => <LinkedAssets by={{ system_user_id: object.id }} /> },
      ]}
    />
  );
}
