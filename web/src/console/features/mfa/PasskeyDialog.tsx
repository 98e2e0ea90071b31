import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { failureText } from '../../../kit/identity/failure.ts';
import { words as identity } from '../../../kit/identity/words.ts';

interface PasskeyDialogProps {
  readonly title: string;
  readonly name: string;
  readonly submit: string;
  /** The dialog shows its errors. */
  readonly onSubmit: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for the name of a passkey. */
export function PasskeyDialog({
  title,
  name: initial,
  submit: label,
  onSubmit,
  onClose,
}: PasskeyDialogProps) {
  const [name, setName] = useState(initial);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!name.trim()) {
      setProblem(t(common.required));
      return;
    }
    setBusy(true);
    setProblem('');
    try {
      await onSubmit(name.trim());
    } catch (cause) {
      setProblem(failureText(cause));
      setBusy(false);
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="sm"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label={t(identity.passkeyName)}
            description={t(identity.passkeyNameHint)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data-autofocus
            maxLength={64}
            value={name}
            error={problem || undefined}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" fullWidth loading={busy}>
            {label}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
