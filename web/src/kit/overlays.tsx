import '@mantine/notifications/styles.layer.css';
import { Button, Group, Stack, Text } from '@mantine/core';
import { ModalsProvider, modals } from '@mantine/modals';
import { Notifications, notifications } from '@mantine/notifications';
import { ERROR_TOAST } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { ApiError, signInAddress } from './api.ts';
import type { Confirmation, Question } from './confirmation.ts';
import { common, t } from './i18n/index.ts';
import { IconAlertTriangle, IconCheck, IconInfoCircle } from './icons.ts';

const SUCCESS_TOAST = 3_000;

/** Where dialogs and toasts are drawn. `onReady` is called when they can be opened. */
export function Overlays({ onReady }: { readonly onReady: () => void }) {
  // The effects of the parts below run first: by now they listen.
  useEffect(() => onReady(), [onReady]);
  return (
    <ModalsProvider>
      <Notifications position="top-right" limit={4} containerWidth={360} />
    </ModalsProvider>
  );
}

const LOOKS = {
  success: { color: 'green', icon: <IconCheck size={16} />, autoClose: SUCCESS_TOAST },
  info: { color: 'blue', icon: <IconInfoCircle size={16} />, autoClose: ERROR_TOAST },
  // Read out at once: somebody who does not see the corner must hear why nothing happened.
  error: { color: 'red', icon: <IconAlertTriangle size={16} />, autoClose: ERROR_TOAST, role: 'alert' },
} as const;

/** Shows a short message in the corner. */
export function showToast(kind: keyof typeof LOOKS, message: string, detail?: string): void {
  notifications.show({ ...(detail ? { title: message, message: detail } : { message }), ...LOOKS[kind], closeButtonProps: { 'aria-label': t(common.close) } });
}

function ConfirmBody({ id, message, confirm, danger, run, success, failure }: Confirmation & { readonly id: string }) {
  const [busy, setBusy] = useState(false);
  async function act() {
    setBusy(true);
    try {
      await run();
      modals.close(id);
      if (success) showToast('success', success);
    } catch (error) {
      // The dialog stays, so that the same thing can be tried again. A lost session has its own dialog.
      if (!(error instanceof ApiError && error.status === 401)) {
        showToast('error', failure ?? t(common.updateFailed), error instanceof Error ? error.message : undefined);
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

/** Opens the question before something is done. */
export function openConfirmation(confirmation: Confirmation): void {
  count += 1;
  const id = `confirm-${count}`;
  modals.open({ modalId: id, title: confirmation.title ?? t(common.info), children: <ConfirmBody id={id} {...confirmation} /> });
}

/** Opens a question with two answers. */
export function openQuestion({ title, message, confirm, danger, onConfirm, onClose }: Question): void {
  modals.openConfirmModal({
    title,
    children: message,
    labels: { confirm, cancel: t(common.cancel) },
    confirmProps: { color: danger ? 'red' : 'teal', 'data-autofocus': true },
    onConfirm,
    ...(onClose && { onClose }),
  });
}

/** Opens the question whether to sign in again. */
export function openSignedOut(onClose: () => void): void {
  openQuestion({
    title: t(common.info),
    message: t(common.signedOut),
    confirm: t(common.signInAgain),
    onConfirm: () => location.assign(signInAddress()),
    onClose,
  });
}
