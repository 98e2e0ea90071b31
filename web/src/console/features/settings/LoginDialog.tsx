import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { tryOut, type Verdict, VerdictNotice } from './verdict.tsx';
import { words } from './words.ts';

/**
 * Tests a user name and a password with the saved settings, like a sign-in, through an API
 * endpoint.
 */
export function LoginDialog({
  url,
  onClose,
}: {
  readonly url: string;
  readonly onClose: () => void;
}) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isTried, setIsTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [verdict, setVerdict] = useState<Verdict>();

  async function submit(event: FormEvent) {
    event.preventDefault();
    setIsTried(true);
    setVerdict(undefined);
    if (!username.trim() || !password) return;
    setBusy(true);
    const labels: Readonly<Record<string, string>> = {
      username: t(words.username),
      password: t(words.password),
    };
    const test = () =>
      api.post<{ msg: string }>(
        url,
        { username: username.trim(), password },
        { query: { detail: 1 }, quiet: true },
      );
    setVerdict(await tryOut(test, (name) => labels[name] ?? name).finally(() => setBusy(false)));
  }

  const missing = (value: string) => (isTried && !value.trim() ? t(common.required) : undefined);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.testLogin)}
      size="lg"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text fz="sm" c="dimmed">
            {t(words.testLoginHint)}
          </Text>
          <TextInput
            label={t(words.username)}
            withAsterisk
            data-autofocus
            maxLength={128}
            autoComplete="off"
            value={username}
            error={missing(username)}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
          <PasswordInput
            label={t(words.password)}
            withAsterisk
            maxLength={1024}
            autoComplete="new-password"
            visibilityToggleButtonProps={{
              'aria-label': `${t(common.show)} / ${t(common.hide)} ${t(words.password)}`,
              tabIndex: 0,
            }}
            value={password}
            error={missing(password)}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <VerdictNotice verdict={verdict} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t(common.close)}
            </Button>
            <Button type="submit" loading={busy}>
              {t(words.testLogin)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
