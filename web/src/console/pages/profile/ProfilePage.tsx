import { type Profile, user } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { t } from '../../../kit/i18n/index.ts';
import { useGo, usePath } from '../../navigation.tsx';
import { DetailCard } from '../../resource/detail/cards.tsx';
import { ResourceForm } from '../../resource/form/ResourceForm.tsx';
import type { FormGroup } from '../../resource/form/spec.ts';
import { useResourceForm } from '../../resource/form/useResourceForm.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { FIXED, OWN_FIELDS } from './own-fields.ts';
import { PasswordForm } from './PasswordForm.tsx';
import { PROFILE_KEY, PROFILE_URL, useProfile } from './useProfile.ts';
import { words } from './words.ts';

const GROUPS: readonly FormGroup[] = [
  { title: words.account, fields: ['username', 'name', 'email'] },
  { title: words.authentication, fields: ['public_key'] },
  { title: words.other, fields: ['phone', 'wechat', 'comment'] },
];

function ProfileForm() {
  const client = useQueryClient();
  const go = useGo();
  const path = usePath();
  const form = useResourceForm({
    source: user,
    id: 'own',
    url: PROFILE_URL,
    fields: OWN_FIELDS,
    groups: GROUPS,
    overrides: FIXED,
    onSaved: () => {
      void client.invalidateQueries({ queryKey: PROFILE_KEY });
      void go(path, { search: { activeTab: 'ProfileInfo' } });
    },
  });
  return <ResourceForm form={form} groups={GROUPS} overrides={FIXED} />;
}

function Info({ profile }: { readonly profile: Profile }) {
  return (
    <div style={{ maxWidth: 860 }}>
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
            value: ({ public_key_comment: comment, public_key_hash_md5: hash }) => (hash ? <span className="mono">{`${comment} ${hash}`}</span> : '-'),
          },
          'mfa_level',
          'source',
          'date_joined',
          'last_login',
          'date_password_last_updated',
          'date_expired',
          'groups_display',
          'comment',
        ]}
      />
    </div>
  );
}

/** The own account: what is known, what can be changed, and the password. */
export function ProfilePage() {
  const profile = useProfile();
  return (
    <>
      <PageHeader />
      <TabbedPage
        tabs={[
          { name: 'ProfileInfo', label: t(words.basicInfo), render: () => <Info profile={profile} /> },
          { name: 'ProfileUpdate', label: t(words.setting), render: () => <ProfileForm /> },
          ...(profile.source === 'local' ? [{ name: 'PasswordUpdate', label: t(words.password), render: () => <PasswordForm /> }] : []),
        ]}
      />
    </>
  );
}
