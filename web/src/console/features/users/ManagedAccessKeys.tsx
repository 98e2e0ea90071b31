import { Badge, Button, Skeleton, Text } from '@mantine/core';
import { type AccessKeyRow, validityOf } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconTerminal2 } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { useMinute } from '../../resource/list/table/Moment.tsx';
import { words } from './words.ts';

const QUIET = { quiet: true } as const;

/**
 * Access keys of a user, for administrators: purpose, last use with its address, and revocation.
 */
export function ManagedAccessKeys({ url }: { readonly url: string }) {
  const client = useQueryClient();
  const now = useMinute();
  const queryKey = ['managed-access-keys', url];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<readonly AccessKeyRow[]>(url, { signal }),
    staleTime: 0,
  });
  if (query.error) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton height={160} maw={720} />;
  const rows = query.data;

  const revoke = (message: string, address: string) =>
    askFirst({
      message,
      confirm: t(words.revoke),
      danger: true,
      success: t(words.revoked),
      run: async () => {
        await api.delete(address, QUIET);
        await client.invalidateQueries({ queryKey });
      },
    });

  return (
    <div className={styles.narrow}>
      <Card title={t(words.accessKeys)} icon={<IconTerminal2 size={16} />}>
        {rows.length === 0 && (
          <Text className={styles.row} c="dimmed" fz="sm">
            {t(words.noAccessKeys)}
          </Text>
        )}
        <ul className={styles.list}>
          {rows.map((row) => {
            const name = row.name || row.id;
            const used = row.date_last_used
              ? t(words.keyUsed, {
                  date: formatDate(row.date_last_used),
                  address: row.remote_addr || '-',
                })
              : t(words.keyNeverUsed);
            return (
              <li key={row.id} className={styles.row}>
                <div className={styles.what}>
                  <Text component="span" fw={500} className={row.name ? '' : 'mono'}>
                    {name}
                  </Text>{' '}
                  {validityOf(row, now) === 'expired' && (
                    <Badge size="sm" variant="light" color="red">
                      {t(words.keyOver)}
                    </Badge>
                  )}
                  {!row.is_active && (
                    <Badge size="sm" variant="light" color="gray">
                      {t(words.keyOff)}
                    </Badge>
                  )}
                  <Text fz="xs" c="dimmed">
                    {`${used} · ${row.date_expired ? t(words.keyEnds, { date: formatDate(row.date_expired) }) : t(words.keyNoEnd)}`}
                  </Text>
                </div>
                <Button
                  size="compact-sm"
                  variant="light"
                  color="red"
                  aria-label={`${t(words.revoke)}: ${name}`}
                  onClick={() => revoke(t(words.revokeQuestion, { name }), `${url}${row.id}/`)}
                >
                  {t(words.revoke)}
                </Button>
              </li>
            );
          })}
        </ul>
        {rows.length > 1 && (
          <div className={styles.row}>
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              ml="auto"
              onClick={() => revoke(t(words.revokeAllQuestion), url)}
            >
              {t(words.revokeAll)}
            </Button>
          </div>
        )}
      </Card>
    </div>
  );
}
