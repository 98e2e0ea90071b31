import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { useGo } from '../../base/navigation.tsx';
import { PROFILE_KEY } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Detail.module.css';
import { LeaveWarning } from '../../resource/form/LeaveWarning.tsx';
import { PasswordField } from '../../resource/form/PasswordField.tsx';
import { words } from './words.ts';

const EMPTY = { old_password: '', new_password: '', new_password_again: '' };
type Name = keyof typeof EMPTY;
type Errors = Partial<Record<Name, string>>;

/** Changes the own password: the old one, and the new one twice. */
export function PasswordForm() {
  const go = useGo();
  const client = useQueryClient();
  const [values, setValues] = useState(EMPTY);
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const dirty = !busy && Object.values(values).some(Boolean);

  function set(name: Name, value: string) {
    setValues((old) => ({ ...old, [name]: value }));
    setErrors(({ [name]: _gone, ...others }) => others);
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    const problems: Errors = {};
    for (const name of Object.keys(EMPTY) as Name[])
      if (!values[name]) problems[name] = t(common.required);
    if (!problems.new_password_again && values.new_password !== values.new_password_again)
      problems.new_password_again = t(words.passwordMismatch);
    setErrors(problems);
    if (Object.keys(problems).length > 0) return;
    setBusy(true);
    try {
      await api.put('users/profile/password/', values);
      toast.success(t(common.updateSuccess));
      await client.invalidateQueries({ queryKey: PROFILE_KEY });
      await go('/');
    } catch (error) {
      if (error instanceof ApiError)
        setErrors(
          Object.fromEntries(
            Object.entries(error.fields ?? {}).map(([name, messages]) => [
              name,
              messages.join('; '),
            ]),
          ),
        );
      setBusy(false);
    }
  }

  const plain = (name: Name, label: string, autoComplete: string) => (
    <PasswordInput
      label={label}
      withAsterisk
      autoComplete={autoComplete}
      maxLength={128}
      value={values[name]}
      error={errors[name]}
      onChange={(event) => set(name, event.currentTarget.value)}
      aria-invalid={Boolean(errors[name])}
      visibilityToggleButtonProps={{
        'aria-label': `${t(common.show)} / ${t(common.hide)} ${label}`,
        tabIndex: 0,
      }}
    />
  );

  return (
    <form onSubmit={submit} noValidate style={{ maxWidth: 560 }}>
      <LeaveWarning dirty={dirty} />
      <Card title={t(words.password)}>
        <Stack className={styles.body}>
          <Text c="dimmed" fz="sm">
            {t(words.passwordHint)}
          </Text>
          {plain('old_password', t(words.oldPassword), 'current-password')}
          <PasswordField
            label={t(words.newPassword)}
            required
            disabled={busy}
            error={errors.new_password}
            value={values.new_password}
            onChange={(value) => set('new_password', String(value))}
            onBlur={() => undefined}
            help={undefined}
          />
          {plain('new_password_again', t(words.newPasswordAgain), 'new-password')}
          <Button type="submit" loading={busy} style={{ alignSelf: 'flex-end' }}>
            {t(common.submit)}
          </Button>
        </Stack>
      </Card>
    </form>
  );
}
