import type { PasskeyMessage, TotpBegin } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { PROFILE_KEY } from '../../base/session.tsx';
import { MFA_KEY, mfaApi } from './mfa-api.ts';
import { useConfirmed } from './useConfirmed.tsx';

const PASSKEYS_KEY = ['passkeys'];

/** The open dialog. */
export type MfaDialog =
  | { readonly kind: 'totp'; readonly begun: TotpBegin }
  | { readonly kind: 'passkey'; readonly options: PasskeyMessage }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

/** The user's second factors and the open dialog. A change needs the password or a factor. */
export function useMfa() {
  const client = useQueryClient();
  const state = useQuery({
    queryKey: MFA_KEY,
    queryFn: ({ signal }) => mfaApi.state(signal),
    staleTime: 0,
  });
  const passkeys = useQuery({
    queryKey: PASSKEYS_KEY,
    queryFn: ({ signal }) => mfaApi.passkeys(signal),
    staleTime: 0,
  });
  const [dialog, setDialog] = useState<MfaDialog>();
  const { confirmed, question } = useConfirmed();

  async function refresh() {
    await Promise.all(
      [MFA_KEY, PASSKEYS_KEY, PROFILE_KEY].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  }

  /** After a new factor: shows recovery codes, if any, and reloads the page's data. */
  async function added({ recovery_codes: codes }: { readonly recovery_codes?: readonly string[] }) {
    setDialog(codes?.length ? { kind: 'codes', codes } : undefined);
    toast.success(t(common.updateSuccess));
    await refresh();
  }

  return {
    state: state.data,
    error: state.error ?? passkeys.error,
    passkeys: passkeys.data ?? [],
    dialog,
    setDialog,
    refresh,
    confirmed,
    question,
    added,
  };
}

export type MfaModel = ReturnType<typeof useMfa>;
