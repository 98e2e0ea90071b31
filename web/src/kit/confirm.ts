import { common, t } from './i18n/index.ts';
import { withOverlays } from './overlay-host.tsx';

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

/** Asks before doing something. The button spins while it runs; when it fails, the dialog stays and says why. */
export function askFirst(confirmation: Confirmation): void {
  withOverlays((overlays) => overlays.openConfirmation(confirmation));
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
