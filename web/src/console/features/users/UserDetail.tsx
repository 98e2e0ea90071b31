import { Stack } from '@mantine/core';
import { allows, Permission, type Row, user } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { changePairs } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { type Figure, Figures } from '../../resource/detail/Figures.tsx';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { words as detailWords } from '../../resource/detail/words.ts';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { State } from '../../resource/list/table/State.tsx';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import type { TabSpec } from '../../resource/TabbedPage.tsx';
import { useCount } from '../../resource/useCount.ts';
import { accessWords, WhatCanReach } from '../access/index.ts';
import { useAppTabs } from '../app-permissions/index.ts';
import { UserIdentities } from '../identities/index.ts';
import { mfaText } from '../mfa/index.ts';
import { PermissionRules } from '../perms/index.ts';
import { DeputiesCard, SignInList, SignInRulesCard } from '../profile/index.ts';
import { SessionsCard, useSessionsFigure, useSessionsTab } from '../sessions/index.ts';
import { ManagedAccessKeys } from './ManagedAccessKeys.tsx';
import { UserQuickActions } from './UserQuickActions.tsx';
import { words } from './words.ts';

type User = Row<typeof user>;

const GROUPS = referenceTo('user_group');
const REVIEWERS = referenceTo('user');
const NOBODY: readonly string[] = [];

interface OverviewProps {
  readonly object: User;
  readonly detail: ResourceDetailModel<User>;
}

const ACCESS = 'UserAccess';
const SIGN_INS = 'UserSignIns';

/** Access, sessions and last sign-in of a user, as numbers that lead to their tabs. */
function UserFigures({ object }: { readonly object: User }) {
  const { id, last_login: last, mfa_level: level } = object;
  const reached = useCount({ path: `perms/access/users/${id}/assets` });
  const sessions = useSessionsFigure({ user_id: id });
  const figures: readonly Figure[] = [
    { label: accessWords.whatCount, value: reached, tab: ACCESS },
    ...(sessions ? [sessions] : []),
    ...(object.abilities.includes('sign_ins')
      ? [
          {
            label: words.lastSignIn,
            value: last ? <Moment date={last} /> : t(words.neverSignedIn),
            note: level !== null && t(words.factorIs, { state: mfaText(level) }),
            tab: SIGN_INS,
          },
        ]
      : []),
  ];
  return <Figures figures={figures} />;
}

/** The numbers, fields and latest sessions of a user, the quick actions, reviewers and groups. */
function Overview({ object, detail }: OverviewProps) {
  return (
    <>
      <UserFigures object={object} />
      <DetailColumns
        left={<UserFacts object={object} />}
        right={<UserSide object={object} detail={detail} />}
      />
    </>
  );
}

function UserFacts({ object }: { readonly object: User }) {
  const { role } = useSession();
  return (
    <>
      <DetailCard
        source={user}
        object={object}
        facts={[
          'name',
          'username',
          'email',
          'phone',
          'wechat',
          'role',
          ...(object.duty ? (['duty'] as const) : []),
          {
            name: 'is_valid',
            label: user.fields.is_valid.label,
            value: (one) => <State of={one} />,
          },
          {
            name: 'mfa_level',
            label: user.fields.mfa_level.label,
            value: ({ mfa_level: level }) => level !== null && mfaText(level),
          },
          'source',
          'date_expired',
          'date_password_last_updated',
          'date_joined',
          'created_by',
          'comment',
        ]}
      />
      {allows(role.current, Permission.AUDIT) && (
        <SessionsCard by={{ user_id: object.id }} shows="asset" />
      )}
    </>
  );
}

/** The quick actions, reviewers and groups of a user. */
function UserSide({ object, detail }: OverviewProps) {
  const { settings, role } = useSession();
  return (
    <>
      <UserQuickActions object={object} detail={detail} />
      {allows(role.current, Permission.ADMIN) && (
        <DeputiesCard url={`users/users/${object.id}/deputies/`} />
      )}
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
              of: { user: object.id },
              before: object.groups,
              after: groups,
            }).finally(() => void detail.refresh())
          }
        />
      )}
    </>
  );
}

/** The devices, identities and keys of a user, as far as the caller may see them. */
function securityOf(object: User, detail: ResourceDetailModel<User>): readonly TabSpec[] {
  return [
    ...(object.abilities.includes('sign_ins')
      ? [
          {
            name: SIGN_INS,
            label: t(words.signIns),
            render: () => (
              <Stack gap={20}>
                <SignInRulesCard url={`users/users/${object.id}/sign-in-rules/`} />
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
  ];
}

/** One user: overview, access, security and activity. */
export function UserDetail() {
  const sessionsTab = useSessionsTab();
  const appTabs = useAppTabs({ path: 'users', parameter: 'user_id' });
  return (
    <DetailPage<User>
      source={user}
      canUpdate={({ refusals }) => refusals.describe ?? true}
      canDelete={({ refusals }) => refusals.remove ?? true}
      hasDelete
      past={({ id }) => sessionsTab({ user_id: id })}
      tabs={(object, detail) => {
        const security = securityOf(object, detail);
        const apps = appTabs(object.id);
        return [
          {
            name: 'UserInfo',
            label: t(detailWords.overview),
            render: () => <Overview object={object} detail={detail} />,
          },
          {
            name: 'Access',
            label: t(detailWords.access),
            sections: [
              {
                name: ACCESS,
                label: t(accessWords.assets),
                formerly: ['UserGrantedAssets'],
                render: () => <WhatCanReach who="users" id={object.id} />,
              },
              ...apps.granted,
              {
                name: 'UserAssetPermissionRules',
                label: t(words.assetRules),
                render: () => <PermissionRules base={{ user_id: object.id }} embedded />,
              },
              ...apps.rules,
            ],
          },
          ...(security.length > 0
            ? [{ name: 'Security', label: t(detailWords.security), sections: security }]
            : []),
        ];
      }}
    />
  );
}
