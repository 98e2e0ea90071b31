import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';

interface FormDialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly confirm: string;
  readonly onClose: () => void;
  /**
   * Submits the form. Buttons stay disabled meanwhile. The function closes the dialog or shows
   * errors.
   */
  readonly submit: () => Promise<void>;
  /** The fields; `busy` is true during submit. */
  readonly children: (busy: boolean) => ReactNode;
}

/** A short form in a dialog: title, fields, cancel and submit. */
export function FormDialog({ title, confirm, onClose, submit, children }: FormDialogProps) {
  const [busy, setBusy] = useState(false);

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    try {
      await submit();
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          {children(busy)}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy}>
              {t(common.cancel)}
            </Button>
            <Button type="submit" loading={busy}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
