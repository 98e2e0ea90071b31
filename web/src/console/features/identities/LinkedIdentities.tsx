import { Button, Text } from '@mantine/core';
import type { LinkedIdentities as Linked, LinkedIdentity } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import styles from '../profile/Profile.module.css';
import { words } from './words.ts';

const SOURCES = { openid: 'OpenID', saml: 'SAML', cas: 'CAS' } as const;

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
                  {`${SOURCES[identity.source]} · ${identity.subject}`}
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
                aria-label={`${t(words.end)}: ${SOURCES[identity.source]} ${identity.subject}`}
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
