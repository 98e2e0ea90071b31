import { Alert, Anchor, Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { SIGN_IN_PATH } from '../../kit/api.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { IconAlertTriangle, IconMail } from '../../kit/icons.ts';
import { failureText } from '../../kit/identity/failure.ts';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi } from '../sign-in-api.ts';
import { usePublicSettings } from '../usePublicSettings.ts';
import { words as signIn } from '../words.ts';
import { words } from './words.ts';

/** Requests a reset link by mail. The answer does not reveal whether the account exists. */
export function Forgotten() {
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState('');
  const [failure, setFailure] = useState('');
  const [sent, setSent] = useState<string>();
  const [busy, setBusy] = useState(false);
  const settings = usePublicSettings();

  async function submit(event: FormEvent) {
    event.preventDefault();
    const address = email.trim();
    setFailure('');
    setProblem(
      address === '' ? t(common.required) : /^\S+@\S+$/.test(address) ? '' : t(words.emailShape),
    );
    if (!/^\S+@\S+$/.test(address)) return;
    setBusy(true);
    try {
      setSent((await signInApi.forgot(address)).msg);
    } catch (cause) {
      setFailure(failureText(cause));
    } finally {
      setBusy(false);
    }
  }

  const back = (
    <Anchor href={SIGN_IN_PATH} ta="center" fz="sm">
      {t(words.backToSignIn)}
    </Anchor>
  );
  if (settings?.PASSWORD_BY_MAIL === false) {
    return (
      <Stack gap="lg">
        <StepHead title={t(signIn.forgotTitle)} hint={t(signIn.askAdministrator)} />
        {back}
      </Stack>
    );
  }
  if (sent !== undefined) {
    return (
      <Stack gap="lg" role="status">
        <StepHead title={t(words.sentTitle)} hint={sent} />
        {back}
      </Stack>
    );
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <StepHead title={t(signIn.forgotTitle)} hint={t(words.forgotHint)} />
        {failure && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {failure}
          </Alert>
        )}
        <TextInput
          label={t(words.email)}
          type="email"
          name="email"
          autoComplete="email"
          autoFocus
          size="md"
          maxLength={128}
          leftSection={<IconMail size={18} />}
          value={email}
          error={problem || undefined}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" size="md" fullWidth loading={busy}>
          {t(words.send)}
        </Button>
        {back}
      </Stack>
    </form>
  );
}
