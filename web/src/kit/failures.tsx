import type { ApiError, FailureListener } from './api.ts';
import { withOverlays } from './dialogs/overlay-host.tsx';
import { toast } from './dialogs/toast.tsx';
import { common, t } from './i18n/index.ts';

let asking = false;

/**
 * Reports failed requests as specified (conformance 8.6): by a toast, or by asking to sign in
 * again.
 */
export const showFailures: FailureListener = {
  failed(error: ApiError) {
    // Fields show their own errors; the toast only announces them.
    const count = Object.keys(error.fields ?? {}).length;
    const detail = error.detail || (count > 0 ? t(common.fieldsToCheck, { count }) : '');
    toast.error(
      error.status === 400 ? t(common.badRequest) : error.message,
      error.status === 400 ? detail : undefined,
    );
  },
  signedOut() {
    if (asking) return;
    asking = true;
    withOverlays((overlays) =>
      overlays.openSignedOut(() => {
        asking = false;
      }),
    );
  },
  mustPropose: async (write) => (await import('./change-control/offer.tsx')).offerProposal(write),
};
