import '@mantine/notifications/styles.layer.css';
import { Button, Group } from '@mantine/core';
import { ModalsProvider, modals } from '@mantine/modals';
import { Notifications, notifications } from '@mantine/notifications';
import { ERROR_TOAST } from '@sallyport/contract';
import { useEffect } from 'react';
import { signInAddress } from './api.ts';
import { ConfirmBody } from './ConfirmBody.tsx';
import type { Confirmation, Question } from './confirmation.ts';
import { words } from './consequences/words.ts';
import { common, t } from './i18n/index.ts';
import { IconAlertTriangle, IconCheck, IconInfoCircle } from './icons.ts';

const SUCCESS_TOAST = 3_000;
const UNDO_TOAST = 10_000;
const OFFERS_TOAST = 30_000;

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
  error: {
    color: 'red',
    icon: <IconAlertTriangle size={16} />,
    autoClose: ERROR_TOAST,
    role: 'alert',
  },
} as const;

/** Shows a short message in the corner. */
export function showToast(kind: keyof typeof LOOKS, message: string, detail?: string): void {
  notifications.show({
    ...(detail ? { title: message, message: detail } : { message }),
    ...LOOKS[kind],
    closeButtonProps: { 'aria-label': t(common.close) },
  });
}

/** Shows that something was changed, with a button that takes it back while the message is there. */
export function showUndo(message: string, undo: () => Promise<unknown>): void {
  count += 1;
  const id = `undo-${count}`;
  const takeBack = async () => {
    notifications.hide(id);
    try {
      await undo();
      showToast('success', t(words.undone));
    } catch {
      // The request layer has shown the error.
    }
  };
  notifications.show({
    ...LOOKS.success,
    id,
    autoClose: UNDO_TOAST,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <span>{message}</span>
        <Button size="compact-sm" variant="light" onClick={() => void takeBack()}>
          {t(words.undo)}
        </Button>
      </Group>
    ),
    closeButtonProps: { 'aria-label': t(common.close) },
  });
}

/** Shows that something was done, and below it with what, with buttons for what can follow. */
export function showOffers(
  message: string,
  offers: readonly { readonly label: string; readonly run: () => void }[],
  { detail = '', milliseconds = OFFERS_TOAST } = {},
): void {
  count += 1;
  const id = `offers-${count}`;
  notifications.show({
    ...LOOKS.success,
    id,
    autoClose: milliseconds,
    message: (
      <>
        <div>{message}</div>
        {detail && <strong>{detail}</strong>}
        <Group gap="xs" mt="xs">
          {offers.map(({ label, run }) => (
            <Button
              key={label}
              size="compact-sm"
              variant="light"
              onClick={() => {
                notifications.hide(id);
                run();
              }}
            >
              {label}
            </Button>
          ))}
        </Group>
      </>
    ),
    closeButtonProps: { 'aria-label': t(common.close) },
  });
}

let count = 0;

/** The act is in the title: "Terminate?". */
const titleOf = ({ title, confirm }: Confirmation): string =>
  title ?? t(common.actQuestion, { act: confirm });

/** Opens the question before something is done. */
export function openConfirmation(confirmation: Confirmation): void {
  count += 1;
  const id = `confirm-${count}`;
  let done = false;
  const close = () => modals.close(id);
  const run = async (note: string) => {
    await confirmation.run(note);
    done = true;
  };
  modals.open({
    modalId: id,
    title: titleOf(confirmation),
    children: (
      <ConfirmBody confirmation={{ ...confirmation, run }} close={close} show={showToast} />
    ),
    onClose: () => {
      if (!done) confirmation.onCancel?.();
    },
  });
}

/** Opens a question with two answers. */
export function openQuestion({
  title,
  message,
  confirm,
  danger,
  other,
  onConfirm,
  onClose,
}: Question): void {
  // The focus is never on an answer that cannot be taken back.
  const focus = { 'data-autofocus': true };
  modals.openConfirmModal({
    title,
    children: message,
    labels: { confirm, cancel: other?.label ?? t(common.cancel) },
    confirmProps: { color: danger ? 'red' : 'teal', ...(!danger && focus) },
    // Not `onCancel`, which closing the dialog calls as well.
    cancelProps: { ...(danger && focus), ...(other && { onClick: other.run }) },
    closeButtonProps: { 'aria-label': t(common.close) },
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
