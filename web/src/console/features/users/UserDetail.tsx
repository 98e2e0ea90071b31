import { Stack } from '@mantine/core';
import { type Row, user } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { changePairs } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { State } from '../../resource/list/table/State.tsx';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import { WhatCanReach } from '../access/AccessLists.tsx';
import { words as accessWords } from '../access/words.ts';
import { useAppTabs } from '../app-permissions/useAppTabs.tsx';
import { UserIdentities } from '../identities/UserIdentities.tsx';
import { PermissionRules } from '../perms/PermissionRules.tsx';
import { SignInList } from '../profile/SignInList.tsx';
import { useSessionsTab } from '../sessions/useSessionsTab.tsx';
import { GrantedAssets } from './GrantedAssets.tsx';
import { ManagedAccessKeys } from './ManagedAccessKeys.tsx';
import { UserQuickActions } from './UserQuickActions.tsx';
import { mfaText, words } from './words.ts';

type User = Row<typeof user>;

const GROUPS = referenceTo('user_group');
const REVIEWERS = referenceTo('user');
const NOBODY: readonly string[] = [];

interface OverviewProps {
  readonly object: User;
  readonly detail: ResourceDetailModel<User>;
}

/** The fields of a user, the quick actions, the reviewers and the groups. */
function Overview({ object, detail }: OverviewProps) {
  const { settings } = useSession();
  return (
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
            {
              name: 'mfa_level',
              label: user.fields.mfa_level.label,
              value: ({ mfa_level: level }) => mfaText(level),
            },
            'source',
            {
              name: 'is_valid',
              label: user.fields.is_valid.label,
              value: (one) => <State of={one} />,
            },
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
          <UserQuickActions object={object} detail={detail} />
          {REVIEWERS && settings.LOGIN_CONFIRM_ENABLE && object.abilities.includes('factors') && (
            <RelationCard
              title={t(words.reviewers)}
              reference={REVIEWERS}
              value={object.login_confirm_settings ?? NOBODY}
              onChange={(reviewers) =>
                api
                  .patch(`authentication/login-confirm-settings/${object.id}/`, {
                    reviewers,
                  })
                  .finally(() => void detail.refresh())
              }
            />
          )}
          {GROUPS && object.role !== 'Auditor' && (
            <RelationCard
              title={t(words.userGroups)}
              reference={GROUPS}
              value={object.groups}
              onChange={(groups) =>
                changePairs({
                  owner: 'usergroup',
                  field: 'users',
                  before: object.groups,
                  after: groups,
                  pairOf: (usergroup) => ({ user: object.id, usergroup }),
                }).finally(() => void detail.refresh())
              }
            />
          )}
        </>
      }
    />
  );
}

/** One user: facts, quick actions, groups, and granted assets. */
export function UserDetail() {
  const sessionsTab = useSessionsTab();
  const appTabs = useAppTabs({ path: 'users', parameter: 'user_id' });
  return (
    <DetailPage<User>
      source={user}
      canUpdate={({ refusals }) => refusals.describe ?? true}
      canDelete={({ refusals }) => refusals.remove ?? true}
      hasDelete
      tabs={(object, detail) => [
        {
          name: 'UserInfo',
          label: t(words.basicInfo),
          render: () => <Overview object={object} detail={detail} />,
        },
        {
          name: 'UserGrantedAssets',
          label: t(words.grantedAssets),
          render: () => <GrantedAssets base={`perms/users/${object.id}`} />,
        },
        {
          name: 'UserAccess',
          label: t(accessWords.whatTitle),
          render: () => <WhatCanReach who="users" id={object.id} />,
        },
        {
          name: 'UserAssetPermissionRules',
          label: t(words.permissionRules),
          render: () => <PermissionRules base={{ user_id: object.id }} embedded />,
        },
        ...appTabs(object.id),
        ...sessionsTab({ user_id: object.id }),
        ...(object.abilities.includes('sign_ins')
          ? [
              {
                name: 'UserSignIns',
                label: t(words.signIns),
                render: () => (
                  <Stack gap={20}>
                    <SignInList url={`users/users/${object.id}/sign-ins/`} own={false} />
                    {object.abilities.includes('source') && (
                      <UserIdentities
                        id={object.id}
                        name={object.name}
                        email={object.email}
                        onEnded={() => void detail.refresh()}
                      />
                    )}
                  </Stack>
                ),
              },
            ]
          : []),
        ...(object.abilities.includes('access_keys')
          ? [
              {
                name: 'UserAccessKeys',
                label: t(words.accessKeys),
                render: () => <ManagedAccessKeys url={`users/users/${object.id}/access-keys/`} />,
              },
            ]
          : []),
      ]}
    />
  );
}
