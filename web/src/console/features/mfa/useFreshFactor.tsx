import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSession } from '../../base/session.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { confirmingOf } from './confirming.ts';
import { MFA_KEY, mfaApi } from './mfa-api.ts';

interface Asked {
  readonly state: Awaited<ReturnType<typeof mfaApi.state>>;
  readonly answer: (isProved: boolean) => void;
}

/**
 * Asks for a fresh second factor before a change that grants rights; users without a factor see no
 * question. The page renders `question`.
 */
export function useFreshFactor(): {
  readonly proveFresh: () => Promise<boolean>;
  readonly question: ReactNode;
} {
  const client = useQueryClient();
  const { settings } = useSession();
  const [asked, setAsked] = useState<Asked>();

  async function proveFresh(): Promise<boolean> {
    const state = await client.fetchQuery({
      queryKey: MFA_KEY,
      queryFn: ({ signal }) => mfaApi.state(signal),
    });
    const by = confirmingOf(state, {
      hasPassword: false,
      seconds: settings.SECURITY_MFA_VERIFY_TTL,
      now: Date.now(),
    });
    return by === 'factor' ? new Promise((answer) => setAsked({ state, answer })) : true;
  }
  const settle = (isProved: boolean) => {
    asked?.answer(isProved);
    setAsked(undefined);
  };

  const question = asked && (
    <ConfirmDialog
      by="factor"
      state={asked.state}
      onClose={() => settle(false)}
      run={async () => {
        await client.invalidateQueries({ queryKey: MFA_KEY });
        settle(true);
      }}
    />
  );
  return { proveFresh, question };
}
