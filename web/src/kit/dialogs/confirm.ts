import type { ConsequencesQuestion } from '@sallyport/contract';
import { common, t } from '../i18n/index.ts';
import type { Confirmation, Question } from './confirmation.ts';
import { withOverlays } from './overlay-host.tsx';

/** Shows a question with two answers; the page handles them. */
export function ask(question: Question): void {
  withOverlays((overlays) => overlays.openQuestion(question));
}

/**
 * Asks for confirmation before an action. The button spins during the action; on failure the dialog
 * stays with the reason.
 */
export function askFirst(confirmation: Confirmation): void {
  withOverlays((overlays) => overlays.openConfirmation(confirmation));
}

/** Like `askFirst`, as a promise: resolves after the action, rejects if the user cancels. */
export function confirmed(confirmation: Confirmation): Promise<void> {
  return new Promise((resolve, reject) =>
    askFirst({
      ...confirmation,
      run: async (...answer) => {
        await confirmation.run(...answer);
        resolve();
      },
      onCancel: () => reject(new Error('not confirmed')),
    }),
  );
}

/**
 * Asks for confirmation before deleting one object, in the quoted words (conformance 8.10) and with
 * consequences. With `isReported`, `run` reports the success.
 */
export function askToDelete(
  name: string,
  run: () => Promise<unknown>,
  consequences?: ConsequencesQuestion,
  { isReported = false } = {},
): void {
  askFirst({
    ...(consequences && { consequences }),
    message: `${t(common.deleteQuestion)} "${name}" ?`,
    confirm: t(common.delete),
    danger: true,
    run,
    ...(!isReported && { success: t(common.deleteSuccess) }),
    failure: t(common.deleteFailed),
  });
}
