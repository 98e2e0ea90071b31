import { Alert, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../icons.ts';
import styles from './Cards.module.css';
import { words } from './words.ts';

interface Props {
  readonly hostname: string;
  readonly username: string;
  readonly reason: 'manual' | 'rejected';
  /** The protocol has user names; some desktops have only a password. */
  readonly isNamed: boolean;
  /** The server has its own prompts, which the user may answer instead. */
  readonly hasPrompts?: boolean;
  readonly onAnswer: (username: string, password: string) => void;
  readonly onCancel: () => void;
}

/**
 * Asks for credentials that are not stored. The form holds the password only until it sends the
 * password.
 */
export function CredentialsCard({
  hostname,
  username,
  reason,
  isNamed,
  hasPrompts = false,
  onAnswer,
  onCancel,
}: Props) {
  const [name, setName] = useState(username);
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isMissing = isNamed && !hasPrompts && name.trim() === '';
    setMissing(isMissing);
    if (isMissing) return;
    onAnswer(name.trim(), password);
    setPassword('');
  };
  return (
    <form className={styles.card} onSubmit={submit} autoComplete="off">
      <h2 className={styles.title}>{t(words.credentialsTitle, { host: hostname })}</h2>
      <p className={styles.hint}>
        {t(words.credentialsHint)}
        {hasPrompts ? ` ${t(words.promptsHint)}` : null}
      </p>
      <Stack gap="sm">
        {reason === 'rejected' ? (
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={16} />} role="alert">
            {t(words.credentialsRejected, { host: hostname })}
          </Alert>
        ) : null}
        {isNamed ? (
          <TextInput
            label={t(words.username)}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={missing ? t(words.usernameNeeded) : undefined}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={128}
            autoFocus={username === ''}
          />
        ) : null}
        <PasswordInput
          label={t(words.password)}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          // Browsers offer to save a "current-password", and must not save this one.
          autoComplete="new-password"
          maxLength={4096}
          autoFocus={username !== '' || !isNamed}
        />
      </Stack>
      <Group grow mt="md" gap="sm">
        <Button variant="default" onClick={onCancel}>
          {t(words.cancel)}
        </Button>
        <Button type="submit">{t(words.signIn)}</Button>
      </Group>
    </form>
  );
}
