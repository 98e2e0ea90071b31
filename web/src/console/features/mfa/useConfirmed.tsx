import { type MfaState, PROVIDER_SOURCES } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { failureText } from '../../../kit/identity/failure.ts';
import { PROFILE_KEY, useProfile, useSession } from '../../base/session.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { confirmingOf } from './confirming.ts';
import { MFA_KEY, mfaApi } from './mfa-api.ts';

/**
 * A change that needs a confirmed identity. Receives the password if the account has no second
 * factor yet.
 */
export type Change = (password?: string) => Promise<unknown>;

interface Asked {
  readonly by: 'password' | 'factor';
  readonly state: MfaState;
  readonly run: Change;
}

/**
 * Runs changes that need the password or a second factor, and asks for it if necessary. The page
 * renders `question`.
 */
export function useConfirmed(): {
  readonly confirmed: (run: Change) => Promise<void>;
  readonly question: ReactNode;
} {
  const client = useQueryClient();
  const { settings } = useSession();
  const { source } = useProfile();
  const hasPassword = !PROVIDER_SOURCES.some((each) => each === source);
  const [asked, setAsked] = useState<Asked>();

  async function confirmed(run: Change): Promise<void> {
    try {
      const state = await client.fetchQuery({
        queryKey: MFA_KEY,
        queryFn: ({ signal }) => mfaApi.state(signal),
      });
      const by = confirmingOf(state, {
        hasPassword,
        seconds: settings.SECURITY_MFA_VERIFY_TTL,
        now: Date.now(),
      });
      if (by === 'nothing') await run();
      else setAsked({ by, state, run });
    } catch (cause) {
      toast.error(t(common.updateFailed), failureText(cause));
    }
  }

  const question = asked && (
    <ConfirmDialog
      by={asked.by}
      state={asked.state}
      onClose={() => setAsked(undefined)}
      run={async (password) => {
        await asked.run(password);
        setAsked(undefined);
        await Promise.all(
          [MFA_KEY, PROFILE_KEY].map((queryKey) => client.invalidateQueries({ queryKey })),
        );
      }}
    />
  );
  return { confirmed, question };
}
