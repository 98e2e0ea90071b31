import { Alert, Button, Stack } from '@mantine/core';
import type { SignedInAnswer } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconAlertTriangle, IconFingerprint } from '../../kit/icons.ts';
import { failureText } from '../../kit/identity/failure.ts';
import { makePasskey } from '../../kit/identity/passkey/passkey.ts';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi } from '../sign-in-api.ts';
import { words as steps } from '../steps/words.ts';
import { words } from './words.ts';

/**
 * Offers a new user a passkey before the first page. The server asks for the password that was set
 * just before.
 */
export function PasskeyOffer({
  signedIn,
  password,
  onDone,
}: {
  readonly signedIn: SignedInAnswer;
  readonly password: string;
  /** Continues to the first page, with recovery codes if a passkey was created. */
  readonly onDone: (signedIn: SignedInAnswer) => void;
}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  async function create() {
    setBusy(true);
    setProblem('');
    try {
      const response = await makePasskey(await signInApi.beginOwnPasskey(password));
      const { recovery_codes: codes } = await signInApi.finishOwnPasskey(
        t(steps.myPasskey),
        response,
      );
      onDone({ ...signedIn, ...(codes && { recovery_codes: codes }) });
    } catch (cause) {
      setProblem(failureText(cause));
      setBusy(false);
    }
  }
  return (
    <Stack gap="lg">
      <StepHead title={t(words.passkeyOffer)} hint={t(words.passkeyOfferHint)} />
      {problem && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
          {problem}
        </Alert>
      )}
      <Stack gap="sm">
        <Button
          size="md"
          fullWidth
          autoFocus
          loading={busy}
          leftSection={<IconFingerprint size={18} />}
          onClick={() => void create()}
        >
          {t(steps.createPasskey)}
        </Button>
        <Button variant="subtle" color="gray" disabled={busy} onClick={() => onDone(signedIn)}>
          {t(words.notNow)}
        </Button>
      </Stack>
    </Stack>
  );
}
