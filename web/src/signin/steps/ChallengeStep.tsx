import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../kit/icons.ts';
import { failureText } from '../../kit/identity/failure.ts';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi, type Take } from '../sign-in-api.ts';
import { words } from './words.ts';

/** A question from the server that checks the password (RADIUS), and its answer. */
export function ChallengeStep({
  message,
  take,
}: {
  readonly message: string;
  readonly take: Take;
}) {
  const [answer, setAnswer] = useState('');
  const [problem, setProblem] = useState('');
  const [missing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setMissing(!answer);
    if (!answer) return;
    setBusy(true);
    setProblem('');
    try {
      await take(() => signInApi.answer(answer));
    } catch (cause) {
      setProblem(failureText(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <StepHead title={t(words.challengeTitle)} hint={t(words.challengeHint)} />
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {problem && (
            <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
              {problem}
            </Alert>
          )}
          {message && (
            <Text
              id="challenge-message"
              style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}
            >
              {message}
            </Text>
          )}
          <PasswordInput
            label={t(words.answer)}
            autoComplete="one-time-code"
            size="md"
            maxLength={128}
            autoFocus
            value={answer}
            error={missing && t(common.required)}
            aria-describedby={message ? 'challenge-message' : undefined}
            onChange={(event) => setAnswer(event.currentTarget.value)}
            visibilityToggleButtonProps={{
              'aria-label': `${t(common.show)} / ${t(common.hide)} ${t(words.answer)}`,
              tabIndex: 0,
            }}
          />
          <Button type="submit" size="md" fullWidth loading={busy}>
            {t(words.giveAnswer)}
          </Button>
        </Stack>
      </form>
    </>
  );
}
