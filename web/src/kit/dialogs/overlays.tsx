import '@mantine/core/styles/Notification.layer.css';
import '@mantine/notifications/styles.layer.css';
import { Button, Group } from '@mantine/core';
import { ModalsProvider, modals } from '@mantine/modals';
import { Notifications, notifications } from '@mantine/notifications';
import { ERROR_TOAST } from '@sallyport/contract';
import { type ReactNode, useEffect } from 'react';
import { signInAddress } from '../api.ts';
import { words } from '../consequences/words.ts';
import { common, t } from '../i18n/index.ts';
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '../icons.ts';
import { ConfirmBody, QuestionBody } from './ConfirmBody.tsx';
import type { Confirmation, Question } from './confirmation.ts';
import toasts from './Toasts.module.css';

const SUCCESS_TOAST = 3_000;
const UNDO_TOAST = 10_000;
const OFFERS_TOAST = 30_000;

/** Draws dialogs and toasts. `onReady` runs when they can be opened. */
export function Overlays({ onReady }: { readonly onReady: () => void }) {
  // Effects of children run first, so they already listen.
  useEffect(() => onReady(), [onReady]);
  return (
    <ModalsProvider>
      <Notifications
        position="top-center"
        limit={4}
        containerWidth={360}
        className={toasts.toasts ?? ''}
      />
    </ModalsProvider>
  );
}

const LOOKS = {
  success: { color: 'green', icon: <IconCheck size={16} />, autoClose: SUCCESS_TOAST },
  info: { color: 'blue', icon: <IconInfoCircle size={16} />, autoClose: ERROR_TOAST },
  // Screen readers announce errors at once; users who do not see the corner must learn the reason.
  error: {
    color: 'red',
    icon: <IconAlertTriangle size={16} />,
    autoClose: ERROR_TOAST,
    role: 'alert',
  },
} as const;

export function showToast(kind: keyof typeof LOOKS, message: string, detail?: string): void {
  notifications.show({
    ...(detail ? { title: message, message: detail } : { message }),
    ...LOOKS[kind],
    closeButtonProps: { 'aria-label': t(common.close) },
  });
}

/** Reports a change, with an undo button while the message is visible. */
export function showUndo(message: string, undo: () => Promise<unknown>): void {
  count += 1;
  const id = `undo-${count}`;
  const takeBack = async () => {
    notifications.hide(id);
    try {
      await undo();
      showToast('success', t(words.undone));
    } catch {
      // The request layer has reported the error.
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

/** Reports a success with its object, and buttons for the next steps. */
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

/** Defaults to the action as a question: "Terminate?". */
const titleOf = ({ title, confirm }: Confirmation): string =>
  title ?? t(common.actQuestion, { act: confirm });

export function openConfirmation(confirmation: Confirmation): void {
  count += 1;
  const id = `confirm-${count}`;
  let done = false;
  const close = () => modals.close(id);
  const run = async (...answer: Parameters<Confirmation['run']>) => {
    await confirmation.run(...answer);
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

export function openQuestion(question: Question): void {
  const { title, onClose } = question;
  count += 1;
  const modalId = `question-${count}`;
  modals.open({
    modalId,
    title,
    children: <QuestionBody question={question} close={() => modals.close(modalId)} />,
    closeButtonProps: { 'aria-label': t(common.close) },
    ...(onClose && { onClose }),
  });
}

/** Opens a dialog with own content. `onClose` runs however it closes. */
export function openDialog(
  title: string,
  body: (close: () => void) => ReactNode,
  onClose: () => void,
  options: { readonly closeOnClickOutside?: boolean; readonly size?: 'lg' } = {},
): void {
  count += 1;
  const modalId = `dialog-${count}`;
  modals.open({
    ...options,
    modalId,
    title,
    children: body(() => modals.close(modalId)),
    closeButtonProps: { 'aria-label': t(common.close) },
    onClose,
  });
}

/** Asks the user to sign in again. */
export function openSignedOut(onClose: () => void): void {
  openQuestion({
    title: t(common.info),
    message: t(common.signedOut),
    confirm: t(common.signInAgain),
    onConfirm: () => location.assign(signInAddress()),
    onClose,
  });
}
