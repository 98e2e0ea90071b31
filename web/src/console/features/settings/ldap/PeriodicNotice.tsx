import { Alert, Text } from '@mantine/core';
import type { LdapPeriodic } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { words } from '../words.ts';

/** Maximum number of skipped users listed here; the server log lists all. */
const MAX_NAMED = 10;

/** The result of the last periodic import; renders nothing before the first one. */
export function PeriodicNotice() {
  const { data } = useQuery({
    queryKey: ['ldap-periodic'],
    queryFn: ({ signal }) =>
      api.get<LdapPeriodic>('settings/ldap/periodic/', { signal, quiet: true }),
    staleTime: 0,
  });
  if (!data?.date_done) return null;
  const { created, updated, unchanged, refused, reason } = data;
  return (
    <Alert
      color={reason ? 'red' : refused.length > 0 ? 'yellow' : 'teal'}
      title={t(words.lastPeriodic, { date: formatDate(data.date_done) })}
      mb="md"
    >
      {reason || t(words.periodicCounts, { created, updated, unchanged, refused: refused.length })}
      {refused.length > 0 && (
        <ul style={{ margin: '8px 0 0', paddingInlineStart: 20 }}>
          {refused.slice(0, MAX_NAMED).map((one) => (
            <li key={one.username}>
              <Text component="span" fw={500} fz="sm">
                {one.username}
              </Text>
              {`: ${one.reason}`}
            </li>
          ))}
          {refused.length > MAX_NAMED && (
            <li>{t(words.periodicMore, { count: refused.length - MAX_NAMED })}</li>
          )}
        </ul>
      )}
    </Alert>
  );
}
