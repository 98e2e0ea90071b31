import type { MfaState, PasskeyMessage, TotpBegin } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../../kit/api.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { failureText } from '../../../../kit/identity/failure.ts';
import { toast } from '../../../../kit/toast.tsx';
import { useSession } from '../../../base/session.tsx';
import { PROFILE_KEY } from '../useProfile.ts';
import { confirmingOf } from './confirming.ts';
import { mfaApi } from './mfa-api.ts';

const MFA_KEY = ['mfa'];
const PASSKEYS_KEY = ['passkeys'];

/** Something that needs to know who sits there; with the password where there is no second factor yet. */
export type Change = (password?: string) => Promise<unknown>;

/** The one dialog that is open. */
export type MfaDialog =
  | { readonly kind: 'confirm'; readonly by: 'password' | 'factor'; readonly run: Change }
  | { readonly kind: 'totp'; readonly begun: TotpBegin }
  | { readonly kind: 'passkey'; readonly options: PasskeyMessage }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

/** The user's second factors, the open dialog, and the rule that a change needs the password or a factor. */
export function useMfa(hasPassword: boolean) {
  const client = useQueryClient();
  const { settings } = useSession();
  const state = useQuery({ queryKey: MFA_KEY, queryFn: ({ signal }) => mfaApi.state(signal), staleTime: 0 });
  const passkeys = useQuery({ queryKey: PASSKEYS_KEY, queryFn: ({ signal }) => mfaApi.passkeys(signal), staleTime: 0 });
  const [dialog, setDialog] = useState<MfaDialog>();

  async function refresh() {
    await Promise.all([MFA_KEY, PASSKEYS_KEY, PROFILE_KEY].map((queryKey) => client.invalidateQueries({ queryKey })));
  }

  /** Does something, after the person has shown who they are where that is wanted. */
  async function confirmed(run: Change, known: MfaState | undefined = state.data) {
    if (!known) return;
    const by = confirmingOf(known, { hasPassword, seconds: settings.SECURITY_MFA_VERIFY_TTL, now: Date.now() });
    if (by !== 'nothing') {
      setDialog({ kind: 'confirm', by, run });
      return;
    }
    try {
      await run();
    } catch (cause) {
      // What was proved is too long ago by now.
      if (cause instanceof ApiError && cause.code === 'mfa_verify_required') setDialog({ kind: 'confirm', by: 'factor', run });
      else toast.error(t(common.updateFailed), failureText(cause));
    }
  }

  /** After a factor was added: the recovery codes, if there are new ones, and the page as it is now. */
  async function added({ recovery_codes: codes }: { readonly recovery_codes?: readonly string[] }) {
    setDialog(codes?.length ? { kind: 'codes', codes } : undefined);
    toast.success(t(common.updateSuccess));
    await refresh();
  }

  return { state: state.data, error: state.error ?? passkeys.error, passkeys: passkeys.data ?? [], dialog, setDialog, refresh, confirmed, added };
}

export type MfaModel = ReturnType<typeof useMfa>;
