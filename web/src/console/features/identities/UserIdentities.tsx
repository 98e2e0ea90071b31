import type { LinkedIdentities as Linked, LinkedIdentity } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EndIdentityDialog } from './EndIdentityDialog.tsx';
import { identitiesKey, LinkedIdentities } from './LinkedIdentities.tsx';

interface UserIdentitiesProps {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Reloads the account: its source may have changed. */
  readonly onEnded: () => void;
}

/** Identities of another user, for administrators. */
export function UserIdentities({ id, name, email, onEnded }: UserIdentitiesProps) {
  const client = useQueryClient();
  const [ending, setEnding] = useState<{
    readonly identity: LinkedIdentity;
    readonly all: Linked;
  }>();
  const url = `users/users/${id}/identities/`;
  return (
    <>
      <LinkedIdentities url={url} end={(identity, all) => setEnding({ identity, all })} />
      {ending && (
        <EndIdentityDialog
          {...ending}
          url={url}
          name={name}
          email={email}
          onClose={(ended) => {
            setEnding(undefined);
            if (!ended) return;
            void client.invalidateQueries({ queryKey: identitiesKey(url) });
            void client.invalidateQueries({ queryKey: ['sign-ins'] });
            onEnded();
          }}
        />
      )}
    </>
  );
}
