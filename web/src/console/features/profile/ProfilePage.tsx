import { Stack } from '@mantine/core';
import {
  allows,
  loginLog,
  type OwnLoginLog,
  Permission,
  type Profile,
  user,
} from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useGo, usePath } from '../../base/navigation.tsx';
import { PROFILE_KEY, PROFILE_URL, useProfile, useSession } from '../../base/session.tsx';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns } from '../../resource/detail/DetailPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { ResourceForm } from '../../resource/form/ResourceForm.tsx';
import type { FormGroup } from '../../resource/form/spec.ts';
import { useForm } from '../../resource/form/useForm.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import type { Source } from '../../resource/source.ts';
import { TabbedPage, type TabGroup } from '../../resource/TabbedPage.tsx';
import { OwnIdentities } from '../identities/index.ts';
import { MfaPanel, mfaText, useConfirmed } from '../mfa/index.ts';
import { AccessKeys } from './access-keys/AccessKeys.tsx';
import { Deputies } from './deputies/Deputies.tsx';
import { words as deputies } from './deputies/words.ts';
import { IdentityForm } from './IdentityForm.tsx';
import { Invitations } from './Invitations.tsx';
import { OWN_FIELDS, shownOnly } from './own-fields.ts';
import { PasswordForm } from './PasswordForm.tsx';
import { Preferences } from './Preferences.tsx';
import { SignInList } from './SignInList.tsx';
import { SignInRulesCard } from './SignInRulesCard.tsx';
import { SshClient } from './SshClient.tsx';
import { SshKeys, useNewPair } from './SshKeys.tsx';
import { words } from './words.ts';

const GROUPS: readonly FormGroup[] = [
  { title: words.account, fields: ['username', 'name', 'email'] },
  { title: words.contact, fields: ['phone', 'wechat', 'comment'] },
];

function ProfileForm({ profile }: { readonly profile: Profile }) {
  const client = useQueryClient();
  const go = useGo();
  const path = usePath();
  const overrides = shownOnly(profile);
  const form = useForm(OWN_FIELDS, {
    cacheKey: PROFILE_KEY,
    load: (signal) => api.get<FormValues>(PROFILE_URL, { signal }),
    save: (body) => api.put<Profile>(PROFILE_URL, body),
    groups: GROUPS,
    overrides,
    onSaved: () => {
      void client.invalidateQueries({ queryKey: PROFILE_KEY });
      void go(path, { search: { activeTab: 'ProfileInfo' } });
    },
  });
  return <ResourceForm form={form} groups={GROUPS} overrides={overrides} />;
}

function Info({ profile }: { readonly profile: Profile }) {
  const { settings } = useSession();
  const go = useGo();
  const path = usePath();
  const { confirmed, question } = useConfirmed();
  const newPair = useNewPair(confirmed);
  return (
    <DetailColumns
      left={
        <DetailCard
          source={user}
          object={profile}
          facts={[
            'username',
            'name',
            'role',
            'email',
            'is_active',
            {
              name: 'public_key',
              label: words.sshKey,
              value: ({ public_key_comment: comment, public_key_hash_md5: hash }) =>
                hash && <span className="mono">{`${comment} ${hash}`}</span>,
            },
            {
              name: 'mfa_level',
              label: user.fields.mfa_level.label,
              value: ({ mfa_level: level }) => mfaText(level),
            },
            'source',
            'date_joined',
            'last_login',
            'date_password_last_updated',
            'date_expired',
            'groups_display',
            'comment',
          ]}
        />
      }
      right={
        <>
          <Invitations />
          <QuickActionsCard
            actions={[
              {
                key: 'mfa',
                title: t(words.setMfa),
                button: t(words.set),
                run: () => go(path, { search: { activeTab: 'MFA' } }),
              },
              ...(profile.source === 'local' && settings.TERMINAL_PUBLIC_KEY_AUTH
                ? [
                    {
                      key: 'key',
                      title: t(words.resetPublicKey),
                      button: t(words.reset),
                      run: newPair,
                    },
                  ]
                : []),
            ]}
          />
          {question}
        </>
      }
    />
  );
}

/** The page of the own account: facts, editable fields, and security. */
export function ProfilePage() {
  const profile = useProfile();
  const local = profile.source === 'local';
  const { settings, role } = useSession();
  const tabs: readonly TabGroup[] = [
    {
      name: 'Account',
      label: t(words.account),
      sections: [
        {
          name: 'ProfileInfo',
          label: t(words.basicInfo),
          render: () => <Info profile={profile} />,
        },
        {
          name: 'ProfileUpdate',
          label: t(words.setting),
          render: () => <ProfileForm profile={profile} />,
        },
        ...(allows(role.permissions, Permission.USE)
          ? [{ name: 'Deputies', label: t(deputies.title), render: () => <Deputies /> }]
          : []),
        ...(profile.own_changes.length > 0
          ? [
              {
                name: 'Identity',
                label: t(words.identity),
                render: () => <IdentityForm profile={profile} />,
              },
            ]
          : []),
      ],
    },
    {
      name: 'Security',
      label: t(words.security),
      sections: [
        ...(local
          ? [{ name: 'PasswordUpdate', label: t(words.password), render: () => <PasswordForm /> }]
          : []),
        { name: 'MFA', label: t(words.mfa), render: () => <MfaPanel /> },
      ],
    },
    {
      name: 'Keys',
      label: t(words.keys),
      sections: [
        ...(local && settings.TERMINAL_PUBLIC_KEY_AUTH
          ? [{ name: 'SSHUpdate', label: t(words.sshSetting), render: () => <SshKeys /> }]
          : []),
        ...(allows(role.permissions, Permission.USE)
          ? [
              {
                name: 'SshClient',
                label: t(words.sshClient),
                render: () => <SshClient username={profile.username} />,
              },
            ]
          : []),
        { name: 'AccessKeys', label: t(words.accessKeys), render: () => <AccessKeys /> },
      ],
    },
    {
      name: 'Devices',
      label: t(words.devices),
      sections: [
        {
          name: 'SignIns',
          label: t(words.signIns),
          render: () => (
            <Stack gap={20}>
              <SignInRulesCard url="users/profile/sign-in-rules/" />
              <SignInList url="users/profile/sign-ins/" own />
              <OwnIdentities />
            </Stack>
          ),
        },
        { name: 'LoginHistory', label: t(words.loginHistory), render: () => <LoginHistory /> },
      ],
    },
    {
      name: 'Own',
      label: t(words.preferences),
      sections: [
        { name: 'Preferences', label: t(words.preferences), render: () => <Preferences /> },
      ],
    },
  ];
  return (
    <>
      <PageHeader />
      <TabbedPage tabs={tabs} />
    </>
  );
}

const SOURCE: Source = {
  name: 'own_login_log',
  path: 'users/profile/login-logs',
  title: words.loginHistory,
  labelField: 'datetime',
  fields: loginLog.fields,
};

/** The own sign-in attempts, including failed ones. */
function LoginHistory() {
  return (
    <ResourceList<OwnLoginLog>
      source={SOURCE}
      embedded
      hasSearch={false}
      columns={[
        { name: 'datetime', order: false },
        { name: 'type', order: false },
        { name: 'ip', mono: true, order: false },
        { name: 'city', order: false, hidden: true },
        { name: 'user_agent', order: false },
        { name: 'mfa', order: false, width: 110 },
        { name: 'reason', order: false },
        {
          name: 'status',
          order: false,
          cell: (row) => (
            <YesNo value={row.status} yes={row.status_display} no={row.status_display} />
          ),
        },
      ]}
    />
  );
}
