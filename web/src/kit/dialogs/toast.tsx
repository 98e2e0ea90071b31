import { withOverlays } from './overlay-host.tsx';

/** Short messages in the corner. An error stays five seconds (conformance 9.1). */
export const toast = {
  success: (message: string): void =>
    withOverlays((overlays) => overlays.showToast('success', message)),
  info: (message: string): void => withOverlays((overlays) => overlays.showToast('info', message)),
  /** A message with an undo button for ten seconds. */
  undo: (message: string, undo: () => Promise<unknown>): void =>
    withOverlays((overlays) => overlays.showUndo(message, undo)),
  error: (message: string, detail?: string): void =>
    withOverlays((overlays) => overlays.showToast('error', message, detail)),
};
