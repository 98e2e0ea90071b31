import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import type { MfaState } from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { failureText } from '../../../kit/identity/failure.ts';
import { SecondFactorForm } from '../../../kit/identity/SecondFactorForm.tsx';
import { factorsOf } from './confirming.ts';
import { mfaApi } from './mfa-api.ts';
import { words } from './words.ts';

interface ConfirmDialogProps {
  readonly by: 'password' | 'factor';
  readonly state: MfaState;
  /** The change; receives the password if the dialog asked for one. The dialog shows its errors. */
  readonly run: (password?: string) => Promise<unknown>;
  readonly onClose: () => void;
}

function PasswordQuestion({ run }: { readonly run: (password: string) => Promise<unknown> }) {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!password) {
      setProblem(t(common.required));
      return;
    }
    setBusy(true);
    try {
      await run(password);
    } catch (cause) {
      setProblem(failureText(cause));
      setPassword('');
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <PasswordInput
          label={t(words.password)}
          autoComplete="current-password"
          data-autofocus
          maxLength={1024}
          value={password}
          error={problem || undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
          aria-invalid={Boolean(problem)}
          visibilityToggleButtonProps={{
            'aria-label': `${t(common.show)} / ${t(common.hide)} ${t(words.password)}`,
            tabIndex: 0,
          }}
        />
        <Button type="submit" fullWidth loading={busy}>
          {t(words.proceed)}
        </Button>
      </Stack>
    </form>
  );
}

/** Asks for the password or a second factor, then runs the change. */
export function ConfirmDialog({ by, state, run, onClose }: ConfirmDialogProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.confirmTitle)}
      size="sm"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <Stack gap="md">
        <Text fz="sm" c="dimmed">
          {t(by === 'password' ? words.confirmPassword : words.confirmFactor)}
        </Text>
        {by === 'password' ? (
          <PasswordQuestion run={run} />
        ) : (
          <SecondFactorForm
            factors={factorsOf(state)}
            passkeyOptions={mfaApi.passkeyOptions}
            onProve={async (proof) => {
              await mfaApi.verify(proof);
              await run();
            }}
          />
        )}
      </Stack>
    </Modal>
  );
}
