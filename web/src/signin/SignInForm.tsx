import '../kit/styles-more.css';
import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, api, SIGN_IN_PATH } from '../kit/api.ts';
import { common, t } from '../kit/i18n/index.ts';
import { IconAlertTriangle, IconLock, IconUser } from '../kit/icons.ts';
import { safeNext } from './next.ts';
import { useCapsLock } from './useCapsLock.ts';
import { words } from './words.ts';

interface Refusal {
  readonly title: string;
  readonly message: string;
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError)) throw error;
  const fields = Object.values(error.fields ?? {}).flat();
  return { title: t(error.code === 'block_login' ? words.locked : words.refused), message: fields.length > 0 ? fields.join('; ') : error.message };
}

/** Asks for username and password and goes on to where the person wanted to be. */
export function SignInForm() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const caps = useCapsLock();

  async function submit(event: FormEvent) {
    event.preventDefault();
    setMissing(true);
    setRefusal(undefined);
    if (!username.trim() || !password) return;
    setBusy(true);
    const wanted = safeNext(new URLSearchParams(location.search).get('next'));
    try {
      const answer = await api.post<{ next: string }>(SIGN_IN_PATH, { username: username.trim(), password, ...(wanted && { next: wanted }) }, { quiet: true });
      location.replace(safeNext(answer.next) ?? '/ui/');
    } catch (error) {
      setRefusal(refusalOf(error));
      setPassword('');
      setMissing(false);
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <div>
          <Title order={1} fz="1.5rem">
            {t(words.welcome)}
          </Title>
          <Text c="dimmed" mt={4}>
            {t(words.hint)}
          </Text>
        </div>
        {refusal && (
          <Alert
            color="red"
            icon={refusal.title === t(words.locked) ? <IconLock size={18} /> : <IconAlertTriangle size={18} />}
            title={refusal.title}
            role="alert"
          >
            {refusal.message}
          </Alert>
        )}
        <TextInput
          label={t(words.username)}
          name="username"
          autoComplete="username"
          autoFocus
          size="md"
          maxLength={128}
          leftSection={<IconUser size={18} />}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          error={missing && !username.trim() ? t(common.required) : undefined}
        />
        <PasswordInput
          label={t(words.password)}
          name="password"
          autoComplete="current-password"
          size="md"
          maxLength={1024}
          leftSection={<IconLock size={18} />}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': `${t(words.showPassword)} / ${t(words.hidePassword)}`, tabIndex: 0 }}
          error={missing && !password ? t(common.required) : undefined}
          description={caps.on ? t(words.capsLock) : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...caps.handlers}
        />
        <Button type="submit" size="md" fullWidth loading={busy} mt={4}>
          {t(words.submit)}
        </Button>
      </Stack>
    </form>
  );
}
