import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';

interface FormDialogProps {
  readonly title: string;
  /** The act, on the button that sends the form. */
  readonly confirm: string;
  readonly onClose: () => void;
  /** Sends the form. The buttons wait for it; it closes the dialog itself, or shows what is wrong. */
  readonly submit: () => Promise<void>;
  /** The fields; `busy` while the form is sent. */
  readonly children: (busy: boolean) => ReactNode;
}

/** The frame of a short form in a dialog: title, fields, cancel and the act. */
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
