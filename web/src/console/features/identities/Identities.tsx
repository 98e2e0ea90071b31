import { Button, Text } from '@mantine/core';
import {
  type LinkedIdentities as Linked,
  type LinkedIdentity,
  sourceOf,
} from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { useConfirmed } from '../mfa/index.ts';
import { EndIdentityDialog } from './EndIdentityDialog.tsx';
import { words } from './words.ts';

interface LinkedIdentitiesProps {
  /** The list of the own account, or of another user. */
  readonly url: string;
  readonly end: (identity: LinkedIdentity, all: Linked) => void;
  /** Explains why the last way to sign in cannot be ended here. */
  readonly lastWayHint?: string;
}

/** Links of an account to identity providers; renders nothing without links. */
export function LinkedIdentities({ url, end, lastWayHint }: LinkedIdentitiesProps): ReactNode {
  const query = useQuery({
    queryKey: identitiesKey(url),
    queryFn: ({ signal }) => api.get<Linked>(url, { signal }),
    staleTime: 0,
  });
  if (query.error) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  const { data } = query;
  if (!data || data.identities.length === 0) return null;
  return (
    <div className={styles.narrow}>
      <Card title={t(words.title)} icon={<IconShieldCheck size={16} />}>
        {data.identities.map((identity) => {
          const refused = identity.is_last_way ? lastWayHint : undefined;
          return (
            <div key={`${identity.source} ${identity.issuer}`} className={styles.row}>
              <div className={styles.what}>
                <Text component="span" fw={500}>
                  {`${sourceOf(identity.source).service} · ${identity.subject}`}
                </Text>
                <Text fz="xs" c="dimmed">
                  <span className="mono">{identity.issuer}</span>
                  {` · ${t(words.linked, { date: formatDate(identity.date_created) })} · ${t(words.used, { date: formatDate(identity.date_used) })}`}
                </Text>
                {refused && (
                  <Text fz="xs" c="dimmed">
                    {refused}
                  </Text>
                )}
              </div>
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                disabled={refused !== undefined}
                aria-label={`${t(words.end)}: ${sourceOf(identity.source).service} ${identity.subject}`}
                onClick={() => end(identity, data)}
              >
                {t(words.end)}
              </Button>
            </div>
          );
        })}
      </Card>
    </div>
  );
}

/** Query key of a list of identities. */
export const identitiesKey = (url: string) => ['linked-identities', url] as const;

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
