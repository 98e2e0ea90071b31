import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { TotpBegin } from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { t } from '../i18n/index.ts';
import { CopyButton } from './CopyButton.tsx';
import styles from './Identity.module.css';
import { digitsOf, FailureAlert } from './SecondFactorForm.tsx';
import { words } from './words.ts';

interface TotpSetupProps {
  readonly begun: TotpBegin;
  /** Sends the code; errors are shown. */
  readonly onConfirm: (code: string) => Promise<unknown>;
}

/** Sets up an authenticator app: scan the QR code, then confirm with a code. */
export function TotpSetup({ begun, onConfirm }: TotpSetupProps) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (code.length !== 6) {
      setProblem(t(words.codeShape));
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await onConfirm(code);
    } catch (cause) {
      setProblem(cause);
      setCode('');
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text fz="sm">{t(words.scan)}</Text>
        <img
          className={styles.qr}
          src={`data:image/svg+xml;utf8,${encodeURIComponent(begun.qr_svg)}`}
          alt={t(words.qrCode)}
        />
        <div>
          <Text fz="sm" c="dimmed">
            {t(words.orType)}
          </Text>
          <Group gap="xs" justify="space-between" wrap="nowrap">
            <span className={`mono ${styles.key}`}>{begun.secret.match(/.{1,4}/g)?.join(' ')}</span>
            <CopyButton text={begun.secret} />
          </Group>
        </div>
        <FailureAlert cause={problem} />
        <TextInput
          label={t(words.code)}
          description={t(words.codeHint)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          data-autofocus
          maxLength={12}
          value={code}
          onChange={(event) => setCode(digitsOf(event.currentTarget.value))}
        />
        <Button type="submit" fullWidth loading={busy}>
          {t(words.bind)}
        </Button>
      </Stack>
    </form>
  );
}
