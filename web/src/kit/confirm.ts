import type { ConsequencesQuestion } from '@sallyport/contract';
import type { Confirmation, Question } from './confirmation.ts';
import { common, t } from './i18n/index.ts';
import { withOverlays } from './overlay-host.tsx';

/** Asks a question; what follows is up to the page. */
export function ask(question: Question): void {
  withOverlays((overlays) => overlays.openQuestion(question));
}

/** Asks before doing something. The button spins while it runs; when it fails, the dialog stays and says why. */
export function askFirst(confirmation: Confirmation): void {
  withOverlays((overlays) => overlays.openConfirmation(confirmation));
}

/** The same as a promise, which is kept when it was done, and broken when it is left without a yes. */
export function confirmed(confirmation: Confirmation): Promise<void> {
  return new Promise((resolve, reject) =>
    askFirst({
      ...confirmation,
      run: async (note) => {
        await confirmation.run(note);
        resolve();
      },
      onCancel: () => reject(new Error('not confirmed')),
    }),
  );
}

/** The question before deleting one thing, in the quoted words (conformance 8.10), with what follows from it. */
export function askToDelete(
  name: string,
  run: () => Promise<unknown>,
  consequences?: ConsequencesQuestion,
): void {
  askFirst({
    ...(consequences && { consequences }),
    message: `${t(common.deleteQuestion)} "${name}" ?`,
    confirm: t(common.delete),
    danger: true,
    run,
    success: t(common.deleteSuccess),
    failure: t(common.deleteFailed),
  });
}
