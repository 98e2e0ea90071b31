import type { ApiError, FailureListener } from './api.ts';
import { common, t } from './i18n/index.ts';
import { withOverlays } from './overlay-host.tsx';
import { toast } from './toast.tsx';

let asking = false;

/** Shows the failures of requests as specified (conformance 8.6): a toast, or the question whether to sign in again. */
export const showFailures: FailureListener = {
  failed(error: ApiError) {
    // Field problems are shown under their fields; the toast only says that there are some.
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
};
