import { Alert, Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../kit/api.ts';
import { common, t } from '../kit/i18n/index.ts';
import { IconAlertTriangle } from '../kit/icons.ts';
import { failureText } from '../kit/identity/failure.ts';
import { NewPasswordInput } from '../kit/identity/NewPasswordInput.tsx';
import { words as identity } from '../kit/identity/words.ts';
import { usePublicSettings } from './usePublicSettings.ts';

interface Problems {
  readonly first?: string;
  readonly second?: string;
  readonly whole?: string;
}

/** Asks for a new password twice. Password managers store it for `username`. */
export function NewPasswordForm({
  submit: label,
  username,
  onSubmit,
}: {
  readonly submit: string;
  readonly username?: string;
  readonly onSubmit: (password: string, again: string) => Promise<unknown>;
}) {
  // Until the rules are loaded, or if loading fails, only the server checks them.
  const rule = usePublicSettings()?.PASSWORD_RULE;
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [problems, setProblems] = useState<Problems>({});
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    const next: Problems = {
      ...(!password && { first: t(common.required) }),
      ...(!again
        ? { second: t(common.required) }
        : again !== password
          ? { second: t(identity.passwordMismatch) }
          : {}),
    };
    setProblems(next);
    if (Object.keys(next).length > 0) return;
    setBusy(true);
    try {
      await onSubmit(password, again);
    } catch (cause) {
      const fields = cause instanceof ApiError ? cause.fields : undefined;
      const under = {
        first: fields?.new_password?.join('; '),
        second: fields?.new_password_again?.join('; '),
      };
      setProblems(
        under.first || under.second
          ? {
              ...(under.first && { first: under.first }),
              ...(under.second && { second: under.second }),
            }
          : { whole: failureText(cause) },
      );
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {username && <input hidden readOnly autoComplete="username" value={username} />}
        {problems.whole && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {problems.whole}
          </Alert>
        )}
        <NewPasswordInput
          label={t(identity.newPassword)}
          rule={rule}
          value={password}
          error={problems.first}
          onChange={setPassword}
          size="md"
          autoFocus
        />
        <PasswordInput
          label={t(identity.newPasswordAgain)}
          autoComplete="new-password"
          size="md"
          maxLength={128}
          value={again}
          error={problems.second}
          onChange={(event) => setAgain(event.currentTarget.value)}
          aria-invalid={Boolean(problems.second)}
          visibilityToggleButtonProps={{
            'aria-label': `${t(common.show)} / ${t(common.hide)} ${t(identity.newPasswordAgain)}`,
            tabIndex: 0,
          }}
        />
        <Button type="submit" size="md" fullWidth loading={busy}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
