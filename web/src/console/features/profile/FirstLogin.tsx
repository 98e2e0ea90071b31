import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { boolean, type Profile, secret } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconCircleCheck } from '../../../kit/icons.ts';
import { outsideAddress } from '../../base/addresses.ts';
import { useGo, useGoButton } from '../../base/navigation.tsx';
import { PROFILE_KEY, PROFILE_URL, useProfile, useSession } from '../../base/session.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { ResourceForm } from '../../resource/form/ResourceForm.tsx';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { useForm } from '../../resource/form/useForm.ts';
import listStyles from '../../resource/list/List.module.css';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { OWN_FIELDS, shownOnly } from './own-fields.ts';
import { words } from './words.ts';

// The required agreement comes first; other fields are optional.
const GROUPS: readonly FormGroup[] = [
  { title: words.terms, fields: ['terms'] },
  { title: words.account, fields: ['username', 'name', 'email'] },
  { title: words.authentication, fields: ['mfa_level', 'public_key', 'password'] },
  { title: words.contact, fields: ['phone', 'wechat'] },
];

/** The current password, required only for a new SSH key. */
const PASSWORD = secret({ label: words.currentPassword, max: 1024 });

const AGREED = boolean({ label: words.agree, required: true });

const overridesFor = (profile: Profile, mayHaveKey: boolean): FieldOverrides => ({
  ...shownOnly(profile),
  // Users with an enforced second factor have no choice.
  mfa_level: { help: words.mfaLevelHint, hidden: () => profile.mfa_level === 2 },
  public_key: {
    help: words.firstKeyHint,
    isUnset: profile.public_key_hash_md5 === '',
    hidden: () => profile.source !== 'local' || !mayHaveKey,
  },
  password: {
    clientOnly: PASSWORD,
    required: true,
    hidden: ({ public_key: key }) => profile.source !== 'local' || !key,
  },
  terms: { clientOnly: AGREED, mustBeOn: true },
});

/** The page after the first sign-in: complete the profile, agree to recording. */
export function FirstLogin() {
  const client = useQueryClient();
  const go = useGo();
  const overrides = overridesFor(useProfile(), useSession().settings.TERMINAL_PUBLIC_KEY_AUTH);
  const form = useForm(OWN_FIELDS, {
    cacheKey: PROFILE_KEY,
    load: (signal) => api.get<FormValues>(PROFILE_URL, { signal }),
    groups: GROUPS,
    overrides,
    save: ({ mfa_level: level, ...body }, { public_key: key, password }) =>
      api.put<Profile>(PROFILE_URL, {
        ...body,
        ...(level !== 2 && { mfa_level: level }),
        ...(key !== '' && { password }),
        is_first_login: false,
      }),
    onSaved: () => {
      void client.invalidateQueries({ queryKey: PROFILE_KEY });
      void go('/users/first-login/guide', { replace: true });
    },
  });
  return (
    <>
      <PageHeader title={t(words.improve)} hint={t(words.improveHint)} />
      <ResourceForm form={form} groups={GROUPS} overrides={overrides} />
    </>
  );
}

/**
 * The end of the first sign-in: a link to the start page, and the organization's guide if one
 * exists.
 */
export function Guide() {
  const guide = outsideAddress(useProfile().guide_url);
  const goButton = useGoButton();
  return (
    <>
      <PageHeader title={t(words.guide)} />
      <Stack className={listStyles.card} align="center" gap="sm" p={48}>
        <IconCircleCheck size={48} color="var(--mantine-color-green-6)" aria-hidden="true" />
        <Title order={2}>{t(words.guideDone)}</Title>
        <Text c="dimmed">{t(words.guideText)}</Text>
        {guide && (
          <Anchor href={guide} target="_blank" rel="noopener noreferrer">
            {t(words.guideLink)}
          </Anchor>
        )}
        <Button {...goButton('/')}>{t(words.start)}</Button>
      </Stack>
    </>
  );
}
