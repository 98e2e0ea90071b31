import { Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { ApiError } from './api.ts';
import { common, t } from './i18n/index.ts';
import { toast } from './toast.tsx';

export interface Confirmation {
  readonly title?: string;
  readonly message: string;
  readonly confirm?: string;
  /** A change that cannot be taken back: the button is red. */
  readonly danger?: boolean;
  readonly run: () => Promise<unknown>;
  readonly success?: string;
  /** What stands before the cause when it fails. */
  readonly failure?: string;
}

function ConfirmBody({ id, message, confirm, danger, run, success, failure }: Confirmation & { readonly id: string }) {
  const [busy, setBusy] = useState(false);
  async function act() {
    setBusy(true);
    try {
      await run();
      modals.close(id);
      if (success) toast.success(success);
    } catch (error) {
      // The dialog stays, so that the same thing can be tried again. A lost session has its own dialog.
      if (!(error instanceof ApiError && error.status === 401)) {
        toast.error(failure ?? t(common.updateFailed), error instanceof Error ? error.message : undefined);
      }
      setBusy(false);
    }
  }
  return (
    <Stack>
      <Text style={{ overflowWrap: 'anywhere' }}>{message}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => modals.close(id)} disabled={busy}>
          {t(common.cancel)}
        </Button>
        <Button color={danger ? 'red' : 'teal'} onClick={act} loading={busy} data-autofocus>
          {confirm ?? t(common.confirm)}
        </Button>
      </Group>
    </Stack>
  );
}

let count = 0;

/** Asks before doing something. The button spins while it runs; when it fails, the dialog stays and says why. */
export function askFirst(confirmation: Confirmation): void {
  count += 1;
  const id = `confirm-${count}`;
  modals.open({
    modalId: id,
    title: confirmation.title ?? t(common.info),
    children: <ConfirmBody id={id} {...confirmation} />,
  });
}

/** The question before deleting one thing, in the words of specification §8. */
export function askToDelete(name: string, run: () => Promise<unknown>): void {
  askFirst({
    message: `${t(common.deleteQuestion)} "${name}" ?`,
    confirm: t(common.delete),
    danger: true,
    run,
    success: t(common.deleteSuccess),
    failure: t(common.deleteFailed),
  });
}
