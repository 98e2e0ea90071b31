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

/** The question before deleting one thing, in the quoted words (conformance 8.10). */
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
