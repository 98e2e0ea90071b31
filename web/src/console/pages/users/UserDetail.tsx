import { type Row, user } from '@sallyport/contract';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { DetailCard, type QuickAction, QuickActionsCard } from '../../resource/detail/cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { RelationCard } from '../../resource/detail/RelationCard.tsx';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { referenceTo } from '../../resource/references.ts';
import { PermissionRules } from '../perms/PermissionRules.tsx';
import { GrantedAssets } from './GrantedAssets.tsx';
import { ResetPasswordDialog } from './ResetPasswordDialog.tsx';
import { words } from './words.ts';

type User = Row<typeof user>;

const GROUPS = referenceTo('user_group');

function QuickActions({ object, detail }: { readonly object: User; readonly detail: ResourceDetailModel<User> }) {
  const [resetting, setResetting] = useState(false);
  const actions: QuickAction[] = [
    { key: 'active', title: t(words.activate), checked: object.is_active, disabled: !object.can_update, toggle: (is_active) => detail.change({ is_active }) },
    {
      key: 'password',
      title: t(words.resetPassword),
      button: t(words.reset),
      disabled: object.source !== 'local' || !object.can_update,
      run: () => setResetting(true),
    },
    {
      key: 'unblock',
      title: t(words.unblockLogin),
      button: t(words.unblock),
      disabled: !object.login_blocked,
      run: async () => {
        await api.patch(`users/users/${object.id}/unblock/`);
        await detail.refresh();
        toast.success(t(common.updateSuccess));
      },
    },
  ];
  return (
    <>
      <QuickActionsCard actions={actions} />
      {resetting && <ResetPasswordDialog id={object.id} name={object.name} onClose={() => setResetting(false)} />}
    </>
  );
}

/** One person: facts, quick actions, groups, and what they are granted. */
export function UserDetail() {
  return (
    <DetailPage<User>
      source={user}
      listPath="/users/users"
      updatePath={({ id }) => `/users/users/${id}/update`}
      canUpdate={({ can_update }) => can_update}
      canDelete={({ can_delete }) => can_delete}
      hasDelete
      tabs={(object, detail) => [
        {
          name: 'UserInfo',
          label: t(words.basicInfo),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={user}
                  object={object}
                  facts={[
                    'name',
                    'username',
                    'email',
                    'role',
                    'mfa_level',
                    'source',
                    'is_valid',
                    'created_by',
                    'date_joined',
                    'date_expired',
                    'date_password_last_updated',
                    'last_login',
                    'comment',
                  ]}
                />
              }
              right={
                <>
                  <QuickActions object={object} detail={detail} />
                  {GROUPS && object.role !== 'Auditor' && (
                    <RelationCard title={t(words.userGroups)} reference={GROUPS} value={object.groups} onChange={(groups) => detail.change({ groups })} />
                  )}
                </>
              }
            />
          ),
        },
        { name: 'UserGrantedAssets', label: t(words.grantedAssets), render: () => <GrantedAssets user={object.id} /> },
        { name: 'UserAssetPermissionRules', label: t(words.permissionRules), render: () => <PermissionRules base={{ user_id: object.id }} embedded /> },
      ]}
    />
  );
}
