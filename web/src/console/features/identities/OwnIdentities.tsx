import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { useConfirmed } from '../profile/mfa/useConfirmed.tsx';
import { identitiesKey, LinkedIdentities } from './LinkedIdentities.tsx';
import { words } from './words.ts';

const URL = 'users/profile/identities/';
const QUIET = { quiet: true } as const;

/** The own identities; ending one requires a fresh confirmation. */
export function OwnIdentities() {
  const client = useQueryClient();
  const { confirmed, question } = useConfirmed();
  return (
    <>
      <LinkedIdentities
        url={URL}
        lastWayHint={t(words.only)}
        end={({ source, issuer }) =>
          askFirst({
            message: t(words.ownQuestion, { issuer }),
            confirm: t(words.end),
            danger: true,
            run: () =>
              confirmed(async (password) => {
                await api.post(
                  `${URL}end/`,
                  { source, issuer, ...(password && { password }) },
                  QUIET,
                );
                toast.success(t(words.ended));
                await client.invalidateQueries({ queryKey: identitiesKey(URL) });
              }),
          })
        }
      />
      {question}
    </>
  );
}
