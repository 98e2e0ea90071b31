import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type Profile, user } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from './Profile.module.css';
import { PROFILE_KEY, PROFILE_URL } from './useProfile.ts';
import { words } from './words.ts';

/** Changes the own name and address, which administrators may after their password, or a second factor that was proved lately. */
export function IdentityForm({ profile }: { readonly profile: Profile }) {
  const client = useQueryClient();
  const [values, setValues] = useState({ name: profile.name, email: profile.email, password: '' });
  const [errors, setErrors] = useState<Readonly<Record<string, readonly string[]>>>({});
  const [busy, setBusy] = useState(false);
  const bind = (name: keyof typeof values) => ({
    value: values[name],
    error: errors[name]?.join('; ') || undefined,
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget;
      setValues((old) => ({ ...old, [name]: value }));
    },
  });

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setErrors({});
    try {
      await api.patch(PROFILE_URL, values, { quiet: true });
      toast.success(t(common.updateSuccess));
      await client.invalidateQueries({ queryKey: PROFILE_KEY });
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setErrors(cause.fields ?? { password: [cause.message] });
    }
    setValues((old) => ({ ...old, password: '' }));
    setBusy(false);
  }

  return (
    <div className={styles.narrow}>
      <Card title={t(words.identity)}>
        <form onSubmit={submit} noValidate className={styles.sole}>
          <Stack gap="md">
            <TextInput label={t(user.fields.name.label)} withAsterisk maxLength={128} {...bind('name')} />
            <TextInput label={t(user.fields.email.label)} withAsterisk type="email" maxLength={128} {...bind('email')} />
            <PasswordInput
              label={t(words.currentPassword)}
              description={t(words.currentPasswordHint)}
              autoComplete="current-password"
              maxLength={1024}
              visibilityToggleButtonProps={{ 'aria-label': `${t(common.show)} / ${t(common.hide)} ${t(words.currentPassword)}`, tabIndex: 0 }}
              {...bind('password')}
            />
            <Button type="submit" ml="auto" loading={busy}>
              {t(common.submit)}
            </Button>
          </Stack>
        </form>
      </Card>
    </div>
  );
}
